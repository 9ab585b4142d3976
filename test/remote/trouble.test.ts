import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, type Behavior, Behaviors, Dropped } from '../../src/actor/index.ts'
import {
  defaultRemoteSettings,
  InvalidActorAddress,
  PeerConnected,
  PeerDisconnected,
} from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes, untilTurn } from './nodes.ts'

/** So many inside each other; the innermost says who it is. */
function lineOfActors(count: number, told: ActorRef<ActorRef<string>>): Behavior<string> {
  return Behaviors.setup((context) => {
    if (count === 0) told.tell(context.self)
    else context.spawn(lineOfActors(count - 1, told), 'x'.repeat(500))
    return Behaviors.ignore
  })
}

describe.each(['tcp', 'tls', 'memory'] as const)('trouble over %s', (kind) => {
  let nodes = new TestNodes(kind)

  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes(kind, 11)
  })

  const refTo = (from: TestNode, to: { address: string }, path: string): ActorRef<string> =>
    from.remoting.refAt(to.address, path)

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

  test('says once why it closed a connection, for the sender cannot know', async () => {
    const serialization = { ...defaultRemoteSettings.serialization, depthMax: 4 }
    const [a, b] = [await nodes.start(), await nodes.start({ remote: { serialization } })]
    const target = a.remoting.refAt(b.remoting.address, '/user/probe')
    for (let round = 0; round < 2; round++) {
      const broken = nextEvent(a.system, PeerDisconnected)
      target.tell([[[[[[[round]]]]]]])
      await broken
    }
    const said = b.logs.matching(/Closed a connection with .*nested too deep.*same settings/)
    expect(said.map(({ level }) => level)).toEqual(['warn'])
  })

  test('an actor too deep for others to speak to costs only the message with its ref', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const probe = createTestProbe<unknown>(b.system, 'probe')
    const target = a.remoting.refAt(b.remoting.address, '/user/probe')
    const deep = createTestProbe<ActorRef<string>>(a.system, 'deep')
    a.system.spawn(lineOfActors(9, deep.ref), 'x'.repeat(500))
    const dropped = nextEvent(a.system, Dropped)
    target.tell('before')
    target.tell({ ref: await deep.receive() })
    target.tell('after')
    expect(await dropped).toMatchObject({ reason: 'cannot-serialize' })
    await a.logs.expect(/message\.ref .*more than 4096 bytes.*shorter names/, { level: 'error' })
    expect(await probe.receive(2)).toEqual(['before', 'after'])
    const path = `/user${`/${'x'.repeat(500)}`.repeat(9)}`
    const { address } = b.remoting
    expect(() => a.remoting.refAt(address, path)).toThrow('a path of at most 4096 bytes')
    expect(() => a.remoting.refTo(`sherd://shop@${address}${path}`)).toThrow(InvalidActorAddress)
    expect(() => a.remoting.refTo('sherd://shop@127.0.0.1:70000/user/x')).toThrow('1 to 65535')
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

describe('a message that is changed after it was sent', () => {
  const nodes = new TestNodes('memory')
  afterEach(() => nodes.stop())

  test('arrives changed, is dropped, or breaks the connection, and later ones arrive', async () => {
    const [a, b] = [await nodes.start(), await nodes.start()]
    const probe = createTestProbe<unknown>(b.system, 'probe')
    const target = a.remoting.refAt(b.remoting.address, '/user/probe')
    const send = (change: (box: { value: unknown }) => void): void => {
      const box = { value: 1 as unknown }
      target.tell(box)
      change(box)
    }
    send((box) => (box.value = 2))
    await probe.expect({ value: 2 })
    const dropped = nextEvent(a.system, Dropped)
    send((box) => (box.value = () => undefined))
    expect(await dropped).toMatchObject({ reason: 'cannot-serialize' })
    target.tell('between')
    await probe.expect('between')
    const broken = nextEvent(a.system, PeerDisconnected)
    send((box) => {
      for (let depth = 0; depth < 1_000; depth++) box.value = [box.value]
    })
    expect((await broken).unconfirmed).toBeGreaterThan(0)
    target.tell('after')
    await probe.expect('after')
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
  const tellMore = (): void => {
    for (let n = 0; n < 1_000; n++) target.tell(sent++)
  }
  await untilTurn('a message that is dropped', () => dropped.length > 0, tellMore)
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
