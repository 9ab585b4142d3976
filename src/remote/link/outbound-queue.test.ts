import { describe, expect, test } from 'vitest'
import type { Question } from '../../actor/internals.ts'
import { defaultSerializationSettings } from '../../serialization/index.ts'
import { BATCH_ELEMENTS, type ByteBuffer, ValueCodec } from '../../serialization/internals.ts'
import type { RemoteRecipient } from '../ref/remote-ref.ts'
import { FrameReader } from '../wire/frame.ts'
import { MessageReader } from '../wire/message-reader.ts'
import { OutboundQueue } from './outbound-queue.ts'

const to = (wireText: string, node?: string): RemoteRecipient =>
  ({ wireText, node, askNumber: -1, tableSlot: -1 }) as RemoteRecipient

function stage(whenRefused: () => void = () => undefined) {
  const refused: unknown[] = []
  const left: (readonly number[])[] = []
  const expired: unknown[] = []
  const queue = new OutboundQueue({
    makeCodec: () => new ValueCodec({ use: 'link' }),
    onRefused: ({ message }) => {
      refused.push(message)
      whenRefused()
    },
    onExpired: ({ message }) => void expired.push(message),
    onLeft: (places) => void left.push(places),
  })
  /** What a fresh receiver makes of these bytes. */
  const receive = (bytes: Buffer): unknown[] => {
    const got: unknown[] = []
    const delivery = {
      frameBegins: () => undefined,
      recipientAt: (path: string) => ({
        tell: (message: unknown) => void got.push([path, message]),
      }),
    } as never
    const reader = new MessageReader(new ValueCodec({ use: 'link' }), delivery)
    const frames = new FrameReader(10_000_000, (chunk, start, end) => {
      reader.read(chunk, start + 1, end)
      return undefined
    })
    expect(frames.read(bytes)).toBeUndefined()
    return got
  }
  const handOver = (): Buffer => {
    queue.gather()
    return queue.handOver()
  }
  return { queue, refused, expired, left, handOver, receive }
}

describe('OutboundQueue', () => {
  test('hands over everything once', () => {
    const { queue, receive, handOver } = stage()
    queue.add(to('/a'), 1, undefined)
    queue.add(to('/b'), 2, undefined)
    expect(queue.count).toBe(2)
    expect(receive(handOver())).toEqual([
      ['/a', 1],
      ['/b', 2],
    ])
    queue.reuse(true)
    expect([queue.count, queue.bytes, handOver().length]).toEqual([0, 0, 0])
  })

  test('closes a frame before it has more values than the other end takes', () => {
    const { queue, receive, handOver } = stage()
    const half = Array.from({ length: BATCH_ELEMENTS / 2 }, (_, n) => n)
    const most = Array.from({ length: defaultSerializationSettings.elementsMax - 1 }, () => 0)
    const messages = [half, 'between', half, most, most, 'after']
    for (const message of messages) queue.add(to('/a'), message, undefined)
    queue.restart()
    const got = receive(handOver()) as [string, unknown][]
    expect(got.map(([, message]) => (message as unknown[]).length)).toEqual(
      messages.map((message) => message.length),
    )
  })

  test('after a break, writes what was not handed over so that a fresh receiver understands it', () => {
    const { queue, receive, handOver } = stage()
    const target = to('/a')
    queue.add(target, { n: 1 }, undefined)
    handOver()
    queue.reuse(true)
    for (const n of [2, 3]) queue.add(target, { n }, undefined)
    queue.restart()
    expect(receive(handOver())).toEqual([
      ['/a', { n: 2 }],
      ['/a', { n: 3 }],
    ])
  })

  test('takes out those for others, and keeps the rest in order', () => {
    const { queue, left, receive, handOver } = stage()
    for (const [n, node] of ['one', 'two', undefined, 'two'].entries()) {
      queue.add(to(`/${n}`, node), n, undefined)
    }
    const taken = queue.takeOut(({ node }) => node === 'two')
    expect(taken.map(({ message }) => message)).toEqual([1, 3])
    expect(left).toEqual([[1, 3]])
    expect([queue.countFor('one'), queue.countFor('two')]).toEqual([1, 0])
    expect(receive(handOver())).toEqual([
      ['/0', 0],
      ['/2', 2],
    ])
  })

  test('a message that has changed since spoils none of its neighbours', () => {
    const { queue, refused, left, receive, handOver } = stage()
    const changing: { value: unknown } = { value: 1 }
    queue.add(to('/a'), 'before', undefined)
    queue.add(to('/b'), changing, undefined)
    queue.add(to('/c'), 'after', undefined)
    changing.value = () => undefined
    expect(receive(handOver())).toEqual([
      ['/a', 'before'],
      ['/c', 'after'],
    ])
    expect(refused).toEqual([changing])
    expect(left).toEqual([[1]])
  })

  test('what has waited for a connection says how much time is left, or leaves', () => {
    const { queue, expired, left, receive, handOver } = stage()
    const asked = (afterWaiting: (message: unknown) => unknown) =>
      ({ renew: () => undefined, afterWaiting }) as unknown as Question
    queue.add(
      to('/a'),
      { leftMs: 9 },
      asked(() => undefined),
    )
    queue.add(
      to('/a'),
      { leftMs: 8 },
      asked(() => ({ leftMs: 5 })),
    )
    queue.add(to('/a'), { leftMs: 7 }, undefined)
    queue.connected()
    expect([expired, left, queue.count]).toEqual([[{ leftMs: 9 }], [[0]], 2])
    expect(receive(handOver())).toEqual([
      ['/a', { leftMs: 5 }],
      ['/a', { leftMs: 7 }],
    ])
  })

  test('who hears that a message has left may send more, behind all that waits', () => {
    const { queue, refused, receive, handOver } = stage(() => {
      for (const n of [4, 5]) queue.add(to('/a'), n, undefined)
    })
    const changing: { value: unknown } = { value: 1 }
    queue.add(to('/a'), changing, undefined)
    for (const n of [1, 2, 3]) queue.add(to('/a'), n, undefined)
    changing.value = () => undefined
    const first = handOver()
    queue.reuse(false)
    expect([refused, queue.count]).toEqual([[changing], 2])
    expect(receive(Buffer.concat([first, handOver()]))).toEqual(
      [1, 2, 3, 4, 5].map((n) => ['/a', n]),
    )
    expect(queue.count).toBe(0)
  })

  test('frames of another kind keep their place', () => {
    const { queue, handOver } = stage()
    queue.add(to('/a'), 1, undefined)
    queue.appendFrame((target: ByteBuffer) => target.append(Buffer.from([9, 9, 9]), 0, 3))
    const bytes = handOver()
    expect([...bytes.subarray(-3)]).toEqual([9, 9, 9])
  })
})
