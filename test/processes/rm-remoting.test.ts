import { describe, expect, test, beforeAll } from 'vitest'
import { clusterForTest, clusterForSuite } from './harness/scene.ts'
import type { RemotingNode, RemotingNodeOptions } from './nodes/remoting-node.ts'
import type { NodeProcess } from './harness/node-process.ts'

const remotingCluster = () => clusterForTest<RemotingNode, RemotingNodeOptions>('remoting')

describe('RM-001 handshake between processes', () => {
  test('an address that is not the one a node is known by: refused, and a dead letter', async () => {
    const cluster = remotingCluster()
    const [a, b] = await Promise.all([cluster.start('a', {}), cluster.start('b', {})])
    await b.call('listen', 'ear')
    const alias = (await cluster.addressOf('b')).replace('127.0.0.1', 'localhost')
    await a.call('tell', alias, '/user/ear', 'for an alias')
    await a.news.next('HandshakeFailed', { code: 'WRONG_ADDRESS' })
    await a.news.next('DeadLetter', { reason: 'connection-rejected', message: 'for an alias' })
    await b.news.next('HandshakeFailed', { code: 'WRONG_ADDRESS' })
    await b.printed(/warn.*was called by the address .*localhost:\d+.*not the one it is known by/i)
    await a.call('tell', await cluster.addressOf('b'), '/user/ear', 'for you')
    expect(await b.call('heard', 'ear', 1)).toEqual(['for you'])
  })

  test('absent for longer than messages wait: they are dead letters, later ones arrive', async () => {
    const cluster = remotingCluster()
    const a = await cluster.start('a', { settings: { giveUpAfterMs: 200 } })
    const address = await cluster.addressOf('b')
    await a.call('tell', address, '/user/ear', 'too early')
    await a.news.next('DeadLetter', { reason: 'unreachable', message: 'too early' })
    const b = await cluster.start('b', {})
    await b.call('listen', 'ear')
    await a.call('tell', address, '/user/ear', 'in time')
    expect(await b.call('heard', 'ear', 1)).toEqual(['in time'])
  })

  test('absent for less than that: the very first message arrives', async () => {
    const cluster = remotingCluster()
    const a = await cluster.start('a', { settings: { giveUpAfterMs: 30_000 } })
    await a.call('tell', await cluster.addressOf('b'), '/user/post', {
      route: [await cluster.addressOf('a')],
      listener: 'ear',
      number: 1,
    })
    await a.call('listen', 'ear')
    await cluster.start('b', {})
    expect(await a.call('heard', 'ear', 1)).toEqual([1])
  })
})

describe('RM-002 a receiver that was restarted', () => {
  test('kill -9 and a new process on the same port: another incarnation, and messages flow', async () => {
    const cluster = remotingCluster()
    const [a, b] = await Promise.all([cluster.start('a', {}), cluster.start('b', {})])
    const address = await cluster.addressOf('b')
    await b.call('listen', 'ear')
    const oldRef = await a.call('refOf', address, '/user/ear')
    expect(await a.call('peerAt', address)).toBe(await b.call('node'))

    expect(await b.kill()).toMatchObject({ signal: 'SIGKILL' })
    await a.news.next('PeerDisconnected', { lane: 'data' })
    const again = await cluster.start('b', {})
    await again.call('listen', 'ear')
    await a.call('tell', address, '/user/ear', 'to whoever is there')
    expect(await again.call('heard', 'ear', 1)).toEqual(['to whoever is there'])
    const node = await again.call('node')
    expect(node).not.toBe(await a.news.next('PeerConnected').then((news) => news['node']))
    expect(await a.call('peerAt', address)).toBe(node)

    await a.call('tellRef', oldRef, 'to the dead')
    await a.news.next('DeadLetter', { reason: 'former-incarnation', message: 'to the dead' })
  })

  test('one that was given up learns it, is not spoken to, and does not stand in the way of the next', async () => {
    const cluster = remotingCluster()
    const [a, b] = await Promise.all([cluster.start('a', {}), cluster.start('b', {})])
    const address = await cluster.addressOf('b')
    await Promise.all([a.call('listen', 'ear'), b.call('listen', 'ear')])
    await a.call('tell', address, '/user/ear', 'hello')
    await b.call('heard', 'ear', 1)
    await b.call('tell', await cluster.addressOf('a'), '/user/ear', 'hello')
    await a.call('heard', 'ear', 1)

    await a.call('quarantine', await b.call('node'))
    await a.call('tell', address, '/user/ear', 'to the address')
    await a.news.next('DeadLetter', { reason: 'connection-rejected', message: 'to the address' })
    await a.call('tell', await b.call('node'), '/user/ear', 'to the node')
    await a.news.next('DeadLetter', { reason: 'quarantined', message: 'to the node' })
    await b.call('tell', await cluster.addressOf('a'), '/user/ear', 'still there?')
    await b.news.next('ThisNodeQuarantined', { by: await cluster.addressOf('a') })
    // It gives up in return: half a connection would help nobody.
    await b.news.next('PeerQuarantined', { node: await a.call('node') })
    await b.call('tell', await a.call('node'), '/user/ear', 'to that one')
    await b.news.next('DeadLetter', { reason: 'quarantined', message: 'to that one' })

    await b.kill()
    const again = await cluster.start('b', {})
    await again.call('listen', 'ear')
    await a.call('tell', address, '/user/ear', 'welcome')
    expect(await again.call('heard', 'ear', 1)).toEqual(['welcome'])
    await again.call('tell', await cluster.addressOf('a'), '/user/ear', 'thank you')
    expect(await a.call('heard', 'ear', 2)).toEqual(['hello', 'thank you'])
  })
})

const idleSoon = { idleAfterMs: 100, forgetAfterMs: 200 }

describe('RM-003 quarantine and idleness between processes', () => {
  test('an idle connection is closed, both nodes forget each other, and the next message brings both back', async () => {
    const cluster = remotingCluster()
    const settings = idleSoon
    const [a, b] = await Promise.all(['a', 'b'].map((name) => cluster.start(name, { settings })))
    await b!.call('listen', 'ear')
    const address = await cluster.addressOf('b')
    for (let round = 1; round <= 3; round++) {
      const from = a!.news.mark
      await a!.call('tell', address, '/user/ear', round)
      expect(await b!.call('heard', 'ear', round)).toHaveLength(round)
      await a!.news.next('PeerDisconnected', { reason: 'idle' }, { from })
      for (const node of [a!, b!]) await node.call('whenPeersAre', 0)
    }
  })

  test('only the incarnation that was quarantined is kept out, also when its peer was forgotten', async () => {
    const cluster = remotingCluster()
    const a = await cluster.start('a', { settings: idleSoon })
    const b = await cluster.start('b', {})
    const address = await cluster.addressOf('b')
    const [former] = await Promise.all([b.call('node'), a.call('listen', 'ear')])
    await b.call('tell', await cluster.addressOf('a'), '/user/ear', 'hello')
    await a.call('heard', 'ear', 1)
    await a.call('quarantine', former)
    await a.call('whenPeersAre', 0)
    await b.call('tell', await cluster.addressOf('a'), '/user/ear', 'let me in')
    await b.news.next('ThisNodeQuarantined', { by: await cluster.addressOf('a') })
    await a.call('tell', former, '/user/ear', 'to the former')
    await a.news.next('DeadLetter', { reason: 'quarantined', message: 'to the former' })
    await b.kill()
    const next = await cluster.start('b', {})
    await next.call('listen', 'ear')
    await a.call('tell', address, '/user/ear', 'welcome')
    expect(await next.call('heard', 'ear', 1)).toEqual(['welcome'])
    await next.call('tell', await cluster.addressOf('a'), '/user/ear', 'thank you')
    expect(await a.call('heard', 'ear', 2)).toEqual(['hello', 'thank you'])
  })

  test('one that left in good order is not told that it was given up', async () => {
    const cluster = remotingCluster()
    const [a, b] = await Promise.all([cluster.start('a', {}), cluster.start('b', {})])
    await a.call('listen', 'ear')
    const address = await cluster.addressOf('a')
    await b.call('tell', address, '/user/ear', 'hello')
    await a.call('heard', 'ear', 1)
    await a.call('nodeRemoved', await b.call('node'))
    await b.call('tell', address, '/user/ear', 'last words')
    expect(await a.call('heard', 'ear', 2)).toEqual(['hello', 'last words'])
    const told = [a, b].flatMap(({ news }) => news.since().map(({ type }) => type))
    expect(told.filter((type) => type.endsWith('Quarantined'))).toEqual([])
  })
})

describe('RM-005 a watch of hosts that are not there, between processes', () => {
  const settings = { giveUpAfterMs: 500 }

  test.each([
    ['a system that does not run', '127.0.0.1:1'],
    ['a host that nobody knows', 'nowhere.invalid:2552'],
    ['an incarnation that nobody has met', '127.0.0.1:1#00000000000000aa'],
  ])('%s: who watches is told, who asks is told, and nobody is quarantined', async (_, where) => {
    const cluster = remotingCluster()
    const a = await cluster.start('a', { settings })
    await a.call('whenGone', where, '/user/ear')
    await expect(a.call('refOf', where, '/user/ear')).rejects.toThrow(/not sent \(unreachable\)/)
    expect(a.news.since().filter(({ type }) => type === 'PeerQuarantined')).toEqual([])
  })

  test('kill -9 of a node that is no member: told when it could not be reached for long enough', async () => {
    const cluster = remotingCluster()
    const [a, b] = await Promise.all([cluster.start('a', { settings }), cluster.start('b', {})])
    await b.call('listen', 'ear')
    const address = await cluster.addressOf('b')
    const gone = a.call('whenGone', address, '/user/ear')
    await a.news.next('PeerConnected', { lane: 'control' })
    await b.kill()
    await a.news.next('PeerDisconnected', { lane: 'control' })
    await gone
    expect(a.news.since().filter(({ type }) => type === 'PeerQuarantined')).toEqual([])
    const next = await cluster.start('b', {})
    await next.call('listen', 'ear')
    await a.call('tell', address, '/user/ear', 'welcome')
    expect(await next.call('heard', 'ear', 1)).toEqual(['welcome'])
  })
})

interface Numbered {
  readonly sender: string
  readonly number: number
}

const names = ['a', 'b', 'c']

describe('RM-004 order and identity between processes', () => {
  const cluster = clusterForSuite<RemotingNode, RemotingNodeOptions>('remoting')
  let a: NodeProcess<RemotingNode>
  let b: NodeProcess<RemotingNode>
  let c: NodeProcess<RemotingNode>
  beforeAll(async () => {
    const settings = {
      controlPaths: ['/user/urgent'],
      largeMessagePaths: ['/user/bulk', '/user/freight'],
    }
    const three = await Promise.all(names.map((name) => cluster.start(name, { settings })))
    ;[a, b, c] = three as [typeof a, typeof b, typeof c]
  })

  test('1,000 messages of each of several senders: per sender in order, none lost', async () => {
    await c.call('listen', 'numbers')
    const address = await cluster.addressOf('c')
    await Promise.all(
      [a, b].map((node) => node.call('tellNumbered', address, '/user/numbers', 4, 1_000)),
    )
    const heard = (await c.call('heard', 'numbers', 8_000)) as Numbered[]
    const senders = [...new Set(heard.map(({ sender }) => sender))]
    expect(senders).toHaveLength(8)
    for (const name of senders) {
      const numbers = heard.filter(({ sender }) => sender === name).map(({ number }) => number)
      expect(numbers).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
    }
  })

  test('500 letters over five hops all come back', async () => {
    await a.call('listen', 'letters')
    const [atA = '', atB = '', atC = ''] = await Promise.all(
      names.map((name) => cluster.addressOf(name)),
    )
    await a.call('sendLetters', [atB, atC, atB, atC, atA], 'letters', 500)
    const numbers = (await a.call('heard', 'letters', 500)) as number[]
    expect(numbers).toEqual(Array.from({ length: 500 }, (_, n) => n))
  })

  test('an old ref does not reach a new actor of the same name', async () => {
    await b.call('listen', 'twin')
    const address = await cluster.addressOf('b')
    const ref = await a.call('refOf', address, '/user/twin')
    await b.call('endListener', 'twin')
    await b.call('listen', 'twin')
    await a.call('tellRef', ref, 'for the old one')
    await b.news.next('DeadLetter', { message: 'for the old one' })
    await a.call('tell', address, '/user/twin', 'for the new one')
    expect(await b.call('heard', 'twin', 1)).toEqual(['for the new one'])
  })

  test('what is too long or cannot travel is dropped with a reason; the connection lives on', async () => {
    await b.call('listen', 'odd')
    const address = await cluster.addressOf('b')
    await a.call('tell', address, '/user/odd', 'first')
    await b.call('heard', 'odd', 1)
    const mark = a.news.mark
    await a.call('tellLong', address, '/user/odd', 1, 100 * 1024 * 1024)
    await a.call('tellUnsendable', address, '/user/odd')
    await a.call('tell', address, '/user/odd', 'last')
    expect(await b.call('heard', 'odd', 2)).toEqual(['first', 'last'])
    const told = a.news.since(mark)
    expect(told.map(({ type, reason }) => `${String(type)} ${String(reason)}`)).toEqual([
      'Dropped cannot-serialize',
      'Dropped cannot-serialize',
    ])
  })

  test.each([
    ['the control lane', 'urgent', 'large'],
    ['the data lane', 'small', 'bulk'],
  ])('a small message on %s does not wait behind large ones', async (_, small, large) => {
    const address = await cluster.addressOf('b')
    for (const name of [small, large]) {
      await b.call('listen', name)
      await a.call('tell', address, `/user/${name}`, 'hello')
    }
    await Promise.all([b.call('heard', small, 1), b.call('heard', large, 1)])
    // Asleep, it reads nothing, so the large ones stay on the way until the small one is on its way too.
    b.pause()
    await a.call('tellLong', address, `/user/${large}`, 200, 100_000)
    await a.call('tell', address, `/user/${small}`, 'small')
    b.resume()
    await Promise.all([b.call('heard', small, 2), b.call('heard', large, 201)])
    const order = await b.call('order')
    expect(order.lastIndexOf(large) - order.lastIndexOf(small)).toBeGreaterThan(100)
  })

  test('a large recipient takes what is too large for others', async () => {
    await Promise.all(['vast', 'freight'].map((name) => b.call('listen', name)))
    const address = await cluster.addressOf('b')
    await a.call('tellLong', address, '/user/freight', 1, 20 * 1024 * 1024)
    expect(await b.call('heard', 'freight', 1)).toHaveLength(1)
    for (const [path, mebibytes] of [
      ['/user/vast', 20],
      ['/user/freight', 100],
    ] as const) {
      const from = a.news.mark
      await a.call('tellLong', address, path, 1, mebibytes * 1024 * 1024)
      await a.news.next('Dropped', { reason: 'cannot-serialize' }, { from })
    }
  })
})
