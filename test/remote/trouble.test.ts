import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, DeadLetter, Dropped } from '../../src/actor/index.ts'
import {
  ConnectionRefused,
  HandshakeFailed,
  PeerConnected,
  PeerDisconnected,
  ThisNodeQuarantined,
} from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes } from './nodes.ts'

describe.each(['tcp', 'memory'] as const)('trouble over %s', (kind) => {
  let nodes = new TestNodes(kind)

  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes(kind, 11)
  })

  const refTo = (from: TestNode, to: { address: string }, path: string): ActorRef<string> =>
    from.remoting.refAt(to.address, path)

  /** A port where nobody listens now. */
  const freePort = async (): Promise<number> => {
    const node = await nodes.start()
    await node.kill()
    return node.port
  }

  test('RM-001 sent to an absent node for longer than messages wait: lost, and later ones arrive', async () => {
    const a = await nodes.start({ remote: { giveUpAfterMs: 60 } })
    const port = await freePort()
    const target = refTo(a, { address: `127.0.0.1:${port}` }, '/user/probe')
    const refused = nextEvent(a.system, ConnectionRefused)
    const lost = nextEvent(a.system, DeadLetter)
    target.tell('too early')
    expect((await refused).address).toBe(`127.0.0.1:${port}`)
    expect(await lost).toMatchObject({ message: 'too early', reason: 'unreachable' })
    const b = await nodes.start({ port })
    const probe = createTestProbe<string>(b.system, 'probe')
    target.tell('in time')
    await probe.expect('in time')
  })

  test('RM-001 sent to an absent node that comes soon: the very first message arrives', async () => {
    const a = await nodes.start()
    const port = await freePort()
    const refused = nextEvent(a.system, ConnectionRefused)
    refTo(a, { address: `127.0.0.1:${port}` }, '/user/probe').tell('the first')
    await refused
    const b = await nodes.start({ port })
    const probe = createTestProbe<string>(b.system, 'probe')
    await probe.expect('the first')
  })

  test('RM-001 called by a name that is not its own: refused, told at both ends, a dead letter', async () => {
    const a = await nodes.start()
    const advertised = await nodes.start({ advertised: { host: 'other.example' } })
    const lost = nextEvent(a.system, DeadLetter)
    const told = nextEvent(advertised.system, HandshakeFailed)
    refTo(a, { address: `127.0.0.1:${advertised.port}` }, '/user/probe').tell('hello')
    expect(await lost).toMatchObject({ reason: 'connection-rejected' })
    expect((await told).error.code).toBe('WRONG_ADDRESS')
    await a.logs.expect(/Call it by its advertised address/, { level: 'warn' })
  })

  test('RM-002 a peer that restarts on the same port is spoken to again, and its former self never', async () => {
    const a = await nodes.start()
    const b = await nodes.start()
    const probe = createTestProbe<string>(b.system, 'probe')
    const byName = refTo(a, b.remoting, '/user/probe')
    byName.tell('one')
    await probe.expect('one')
    expect(a.remoting.peerAt(b.remoting.address)).toBe(b.remoting.node)
    const toFormer = a.remoting.refAt(b.remoting.node, '/user/probe') as ActorRef<string>
    const broken = nextEvent(a.system, PeerDisconnected)
    await b.kill()
    expect(await broken).toMatchObject({ node: b.remoting.node, lane: 'data' })
    const lost = nextEvent(a.system, DeadLetter)
    toFormer.tell('to the former')
    const again = await nodes.start({ port: b.port })
    const next = createTestProbe<string>(again.system, 'probe')
    byName.tell('two')
    await next.expect('two', { within: '10s' })
    expect(await lost).toMatchObject({ message: 'to the former', reason: 'former-incarnation' })
    expect(a.remoting.peerAt(b.remoting.address)).toBe(again.remoting.node)
    const later = nextEvent(a.system, DeadLetter)
    toFormer.tell('much later')
    expect(await later).toMatchObject({ reason: 'former-incarnation' })
    await expect(toFormer.ask(() => 'question')).rejects.toThrow('already been terminated')
  })

  test('RM-002 a quarantined incarnation is refused and told so; the next one is not', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const probe = createTestProbe<string>(b.system, 'probe')
    const target = refTo(a, b.remoting, '/user/probe')
    target.tell('one')
    await probe.expect('one')
    a.remoting.quarantine(b.remoting.node, 'removed')
    const lost = nextEvent(a.system, DeadLetter)
    target.tell('two')
    expect(await lost).toMatchObject({ reason: 'connection-rejected', message: 'two' })
    const told = nextEvent(b.system, ThisNodeQuarantined)
    refTo(b, a.remoting, '/user/nobody').tell('hello')
    expect((await told).by).toBe(a.remoting.address)
    await b.kill()
    const again = await nodes.start({ port: b.port })
    const next = createTestProbe<string>(again.system, 'probe')
    target.tell('three')
    await next.expect('three', { within: '10s' })
  })

  test('messages and asks go on after a broken connection, in order', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const probe = createTestProbe<string>(b.system, 'probe')
    const target = refTo(a, b.remoting, '/user/probe')
    target.tell('0')
    await probe.expect('0')
    if (nodes.network === undefined) return
    for (let round = 1; round <= 30; round++) {
      const broken = nextEvent(a.system, PeerDisconnected)
      nodes.network.cut(b.port)
      if (round % 2 === 0) target.tell(`${round} may be lost`)
      await broken
      const connected = nextEvent(a.system, PeerConnected)
      target.tell(`${round}`)
      await connected
    }
    const heard = await probe.fish((text) => (text === '30' ? 'done' : 'take'))
    const numbers = heard.map((text) => Number.parseInt(text, 10))
    expect(new Set(numbers).size).toBe(30)
    expect(numbers).toEqual([...numbers].sort((x, y) => x - y))
  })

  test('an idle connection is closed, and opened again by the next message', async () => {
    const [a, b] = [await nodes.start({ remote: { idleAfterMs: 30 } }), await nodes.start()]
    const probe = createTestProbe<string>(b.system, 'probe')
    const target = refTo(a, b.remoting, '/user/probe')
    const closed = nextEvent(a.system, PeerDisconnected)
    target.tell('one')
    await probe.expect('one')
    expect(await closed).toMatchObject({ reason: 'idle', unconfirmed: 0 })
    target.tell('two')
    await probe.expect('two')
  })

  test('a system that ends sends its last words first', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const probe = createTestProbe<string>(b.system, 'probe')
    const target = refTo(a, b.remoting, '/user/probe')
    target.tell('first words')
    await probe.expect('first words')
    for (let n = 0; n < 100; n++) target.tell(`${n}`)
    await a.system.terminate()
    expect((await probe.receive(100)).at(-1)).toBe('99')
  })
})

test('a reader that stalls costs a bounded queue; what does not fit is dropped with a reason', async () => {
  const nodes = new TestNodes('memory', 5)
  const a = await nodes.start({ remote: { queueMessagesMax: 1_000 } })
  const b = await nodes.start()
  const probe = createTestProbe<number>(b.system, 'probe')
  const target = a.remoting.refAt(b.remoting.address, '/user/probe')
  target.tell(-1)
  await probe.expect(-1)
  nodes.network?.stall(b.port)
  const full = nextEvent(a.system, Dropped)
  let sent = 0
  const dropped: unknown[] = []
  a.system.eventStream.subscribe(Dropped, (event) => void dropped.push(event.message))
  while (dropped.length === 0) {
    for (let n = 0; n < 1_000; n++) target.tell(sent++)
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  expect(await full).toMatchObject({ reason: 'outbound-queue-full' })
  expect(a.remoting.queuedFor(b.remoting.address)).toBeLessThanOrEqual(1_000)
  nodes.network?.flow(b.port)
  const arrived = await probe.receive(sent - dropped.length, { within: '10s' })
  expect(arrived).toEqual(
    Array.from({ length: sent }, (_, n) => n).filter((n) => !dropped.includes(n)),
  )
  await nodes.stop()
})

test('bytes in the queue are bounded too', async () => {
  const nodes = new TestNodes('memory', 6)
  const a = await nodes.start({ remote: { queueBytesMax: 100_000 } })
  const b = await nodes.start()
  const probe = createTestProbe<string>(b.system, 'probe')
  const target = a.remoting.refAt(b.remoting.address, '/user/probe')
  target.tell('hello')
  await probe.expect('hello')
  nodes.network?.stall(b.port)
  const full = nextEvent(a.system, Dropped)
  for (let n = 0; n < 200; n++) {
    target.tell('x'.repeat(10_000))
    if (n % 10 === 0) await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  expect(await full).toMatchObject({ reason: 'outbound-queue-full' })
  await nodes.stop()
})

test('connections that break in the middle of a frame lose messages, never mix them up', async () => {
  const nodes = new TestNodes('memory', 9)
  const [a, b] = [await nodes.start(), await nodes.start()]
  const probe = createTestProbe<{ n: number; text: string }>(b.system, 'probe')
  const target = a.remoting.refAt(b.remoting.address, '/user/probe')
  let lost = 0
  a.system.eventStream.subscribe(PeerDisconnected, (event) => void (lost += event.unconfirmed))
  const total = 3_000
  for (let n = 0; n < total; n++) {
    target.tell({ n, text: 'x'.repeat(n % 500) })
    if (n % 50 === 0) await new Promise<void>((resolve) => void setImmediate(resolve))
    if (n % 400 === 399) nodes.network?.cut(b.port)
  }
  target.tell({ n: total, text: '' })
  const got = await probe.fish(({ n }) => (n === total ? 'done' : 'take'), { within: '10s' })
  const numbers = got.map(({ n }) => n)
  expect(numbers).toEqual([...new Set(numbers)].sort((x, y) => x - y))
  expect(got.every(({ n, text }) => n === total || text.length === n % 500)).toBe(true)
  expect(numbers.length + lost).toBeGreaterThanOrEqual(total + 1)
  await nodes.stop()
})
