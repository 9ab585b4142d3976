import { describe, expect, test } from 'vitest'
import { PoisonPill } from '../../actor/index.ts'
import type { Question } from '../../actor/internals.ts'
import { ByteBuffer, ValueCodec } from '../../serialization/internals.ts'
import { MalformedFrame } from './byte-cursor.ts'
import { writeVarint } from './byte-writing.ts'
import { type Delivery, MessageReader } from './message-reader.ts'
import { MessageWriter, type WireRecipient } from './message-writer.ts'
import { tableEntriesMax, tableTextBytesMax } from './text-table.ts'

const actor = (wireText: string): WireRecipient => ({ wireText, askNumber: -1, tableSlot: -1 })
const question = (wireNumber: number): Question => ({ wireNumber }) as Question

function ends() {
  const got: unknown[] = []
  const looked: string[] = []
  const delivery: Delivery = {
    frameBegins: () => undefined,
    recipientAt: (path) => {
      looked.push(path)
      return { tell: (message) => void got.push([path, message]) }
    },
    answer: (number, reply) => void got.push([number, reply]),
    replyTo: (number) => `reply to ${number}`,
    stop: (recipient) => recipient.tell('stop'),
    failed: () => undefined,
  }
  const writer = new MessageWriter(new ValueCodec({ use: 'link' }))
  const reader = new MessageReader(new ValueCodec({ use: 'link' }), delivery)
  const pass = (): number => {
    const target = new ByteBuffer(64)
    writer.writeInto(target)
    reader.read(target.bytes, 5, target.position)
    return target.position
  }
  return { writer, reader, pass, got, looked }
}

describe('messages', () => {
  test('arrive as they were added, their paths once', () => {
    const { writer, pass, got, looked } = ends()
    const [a, b] = [actor('/user/a#1'), actor('/user/b#2')]
    writer.add(a, { n: 1 })
    writer.add(b, 'two')
    writer.add({ wireText: '', askNumber: 2 ** 40, tableSlot: -1 }, [3])
    writer.add(a, PoisonPill)
    const first = pass()
    writer.add(b, 'two')
    writer.add(a, { n: 2 })
    expect(pass()).toBeLessThan(first)
    expect(got).toEqual([
      ['/user/a#1', { n: 1 }],
      ['/user/b#2', 'two'],
      [2 ** 40, [3]],
      ['/user/a#1', 'stop'],
      ['/user/b#2', 'two'],
      ['/user/a#1', { n: 2 }],
    ])
    expect(looked).toEqual(['/user/a#1', '/user/b#2'])
  })

  test('carry the address for the answer in their head when it stands in a field', () => {
    const { writer, pass, got } = ends()
    const asked = question(77)
    writer.addQuestion(actor('/user/a'), { type: 'get', replyTo: asked, key: 'k' }, asked)
    pass()
    expect(got).toEqual([['/user/a', { type: 'get', replyTo: 'reply to 77', key: 'k' }]])
  })

  test('carry it in their body when the name of the field does not fit into a head', () => {
    const { writer, pass, got } = ends()
    const asked = question(77)
    const field = 'x'.repeat(tableTextBytesMax + 1)
    writer.addQuestion(actor('/user/a'), { [field]: asked }, asked)
    pass()
    expect(got).toEqual([['/user/a', { [field]: { wireNumber: 77 } }]])
  })

  test('go on when the table is full: numbers get new meanings at both ends', () => {
    const { writer, pass, got } = ends()
    const actors = Array.from({ length: tableEntriesMax + 10 }, (_, n) => actor(`/user/${n}`))
    const used = [...actors, ...actors.slice(0, 20), ...actors.slice(-20)]
    for (const [n, each] of used.entries()) {
      writer.add(each, n)
      if (writer.count === 200) pass()
    }
    if (writer.count > 0) pass()
    expect(got).toEqual(used.map(({ wireText }, n) => [wireText, n]))
  })

  test('that turn out not to be able to travel leave the connection whole', () => {
    const { writer, pass, got } = ends()
    const changing: { value: unknown } = { value: 1 }
    writer.add(actor('/user/a'), changing)
    changing.value = () => undefined
    const target = new ByteBuffer(64)
    expect(() => writer.writeInto(target)).toThrow('changed while it was encoded')
    expect([target.position, writer.count]).toEqual([0, 0])
    writer.add(actor('/user/a'), 'after')
    pass()
    expect(got).toEqual([['/user/a', 'after']])
  })

  test.each<[string, readonly number[]]>([
    ['no messages', [0]],
    ['too many messages', [1_000]],
    ['a number never defined', [1, 5 * 8]],
    ['a table filled out of order', [1, 9 * 8 + 4, 1, 65]],
    ['an unknown kind', [1, 7]],
  ])('refuses %s', (_what, numbers) => {
    const { reader } = ends()
    const target = new ByteBuffer(64)
    for (const number of numbers) writeVarint(target, number)
    expect(() => reader.read(target.bytes, 0, target.position)).toThrow(MalformedFrame)
  })

  test('an address for the answer is set only in a field that is there', () => {
    const { writer, pass, got } = ends()
    const asked = question(1)
    const body: Record<string, unknown> = { replyTo: asked }
    writer.addQuestion(actor('/user/a'), body, asked)
    pass()
    expect(Object.hasOwn((got[0] as [string, object])[1], 'replyTo')).toBe(true)
    expect(({} as { replyTo?: unknown }).replyTo).toBeUndefined()
  })
})
