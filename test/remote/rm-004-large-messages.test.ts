import { describe, expect, test } from 'vitest'
import { Behaviors, Dropped } from '../../src/actor/index.ts'
import {
  defaultRemoteSettings,
  PeerConnected,
  PeerDisconnected,
  type RemoteSettings,
} from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { LaneTap } from './lane-tap.ts'
import { nextEvent } from './nodes.ts'
import { stageForTests } from './stage.ts'

const largeMessagePaths = ['/user/bulk/**', '/user/bulk']
const bytesMax = (bytes: number): Pick<RemoteSettings, 'serialization'> => ({
  serialization: { ...defaultRemoteSettings.serialization, bytesMax: bytes },
})

describe.each(['tcp', 'memory'] as const)('RM-004 large messages over %s', (kind) => {
  const stage = stageForTests(kind)
  const { start, refTo } = stage

  /** Only the sender knows that `/user/bulk` on b is for large messages. */
  async function twoNodes(remote: Partial<RemoteSettings> = {}) {
    const tap = new LaneTap(stage.nodes.transport)
    const a = await start({ transport: tap, remote: { largeMessagePaths, ...remote } })
    const b = await start()
    const probes = {
      bulk: createTestProbe<unknown>(b.system, 'bulk'),
      small: createTestProbe<unknown>(b.system, 'small'),
    }
    const bulk = refTo<unknown>(a, b, '/user/bulk')
    const small = refTo<unknown>(a, b, '/user/small')
    return { tap, a, b, bulk, small, probes }
  }

  test('RM-004 small messages are not blocked behind large ones', async () => {
    const { tap, a, bulk, small, probes } = await twoNodes()
    const opened: string[] = []
    a.system.eventStream.subscribe(PeerConnected, ({ lane }) => void opened.push(lane))
    small.tell('hello')
    await probes.small.expect('hello')
    expect(opened).toEqual(['data'])
    bulk.tell('hello')
    await probes.bulk.expect('hello')
    expect(opened).toEqual(['data', 'large'])
    tap.stop('large')
    for (const text of ['x'.repeat(3_000_000), 'behind it']) bulk.tell(text)
    for (let n = 0; n < 1_000; n++) small.tell(n)
    const got = await probes.small.receive(1_000, { within: '40s' })
    expect(got).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
    await probes.bulk.expectNo({ for: 20 })
    tap.flow('large')
    const large = (await probes.bulk.receive(2, { within: '40s' })) as string[]
    expect(large.map((text) => text.length)).toEqual([3_000_000, 9])
  })

  test('RM-004 a large recipient takes what is too large for others, up to its own limit', async () => {
    const limits = { ...bytesMax(100_000), largeMessageBytesMax: 1_000_000 }
    const { a, bulk, small, probes } = await twoNodes(limits)
    const text = 'x'.repeat(500_000)
    bulk.tell(text)
    expect(await probes.bulk.receive()).toBe(text)
    const tooLarge = nextEvent(a.system, Dropped)
    small.tell(text)
    expect(await tooLarge).toMatchObject({ reason: 'cannot-serialize' })
    await a.logs.expect(/message takes more than 100000 bytes/, { level: 'error' })
    const larger = nextEvent(a.system, Dropped)
    bulk.tell(text.repeat(3))
    expect(await larger).toMatchObject({ reason: 'cannot-serialize' })
    await a.logs.expect(/message takes more than 1000000 bytes/, { level: 'error' })
    const asked = bulk.ask<never>((replyTo) => ({ replyTo, text: text.repeat(3) }))
    await expect(asked).rejects.toMatchObject({ code: 'CANNOT_SERIALIZE' })
    bulk.tell('after')
    await probes.bulk.expect('after')
  })

  test('RM-004 what is large for the receiver is taken on the lane for it and on no other', async () => {
    const tap = new LaneTap(stage.nodes.transport)
    const a = await start({ transport: tap, remote: { largeMessagePaths } })
    const b = await start({ remote: bytesMax(1_000) })
    const probe = createTestProbe<string>(b.system, 'bulk')
    createTestProbe<string>(b.system, 'small')
    const text = 'x'.repeat(7_000_000)
    const broken = nextEvent(a.system, PeerDisconnected)
    refTo<string>(a, b, '/user/small').tell(text)
    expect(await broken).toMatchObject({ lane: 'data', unconfirmed: 1 })
    await b.logs.expect(/a frame has \d+ of at most \d+ bytes/, { level: 'debug' })
    refTo<string>(a, b, '/user/bulk').tell(text)
    const [got] = await probe.receive(1, { within: '40s' })
    expect(got).toHaveLength(7_000_000)
  })

  test('RM-004 the queue for large messages is bounded, and what does not fit is dropped with a reason', async () => {
    const { tap, a, bulk, small, probes } = await twoNodes({ largeQueueMessagesMax: 3 })
    bulk.tell('hello')
    await probes.bulk.expect('hello')
    tap.stop('large')
    const dropped: unknown[] = []
    a.system.eventStream.subscribe(Dropped, ({ message, reason }) => {
      dropped.push([String(message).length, reason])
    })
    // The first is handed to the network at once, three wait.
    for (let n = 1; n <= 6; n++) bulk.tell('x'.repeat(100_000 + n))
    expect(dropped).toEqual([5, 6].map((n) => [100_000 + n, 'outbound-queue-full']))
    small.tell('fits')
    await probes.small.expect('fits')
    tap.flow('large')
    const got = (await probes.bulk.receive(4, { within: '40s' })) as string[]
    expect(got.map((text) => text.length - 100_000)).toEqual([1, 2, 3, 4])
  })

  test.each(['/user/urgent', '/user/small', '/user/bulk'])(
    'RM-004 messages of each sender arrive in order on the lane of %s',
    async (path) => {
      const remote = {
        ...{ largeMessagePaths, controlPaths: ['/user/urgent'] },
        largeQueueMessagesMax: 10_000,
      }
      const senders = [await start({ remote }), await start({ remote })]
      const c = await start()
      const probe = createTestProbe<{ from: number; n: number }>(c.system, path.slice(6))
      const targets = senders.map((node) => refTo<{ from: number; n: number }>(node, c, path))
      for (let n = 0; n < 1_000; n++) {
        for (const [from, target] of targets.entries()) target.tell({ from, n })
      }
      const all = await probe.receive(2_000, { within: '40s' })
      for (const sender of senders.keys()) {
        const numbers = all.filter(({ from }) => from === sender).map(({ n }) => n)
        expect(numbers).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
      }
    },
  )

  test('RM-004 a death does not overtake large last words', async () => {
    const { tap, a, b, bulk, probes } = await twoNodes()
    bulk.tell('hello')
    await probes.bulk.expect('hello')
    const speaker = a.system.spawn(
      Behaviors.receiveMessage<string>((words) => {
        bulk.tell(words)
        return Behaviors.stopped()
      }),
      'speaker',
    )
    const ref = refTo<never>(b, a, '/user/speaker')
    const watching = Behaviors.setup<string>((context) => {
      context.watch(ref)
      return Behaviors.receiveMessage<string>(() => undefined).receiveSignal({
        Terminated: () => probes.bulk.ref.tell('gone'),
      })
    })
    const connected = nextEvent(b.system, PeerConnected, ({ lane }) => lane === 'control')
    b.system.spawn(watching, 'watcher')
    await connected
    tap.stop('large')
    speaker.tell('x'.repeat(500_000))
    await a.system.whenStopped(speaker)
    await probes.bulk.expectNo({ for: 50 })
    tap.flow('large')
    const got = (await probes.bulk.receive(2, { within: '40s' })) as string[]
    expect(got.map((text) => text.length)).toEqual([500_000, 'gone'.length])
  })
})
