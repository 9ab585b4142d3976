import { expect, test } from 'vitest'
import { CannotDeserialize } from './serialization-errors.ts'
import { defaultSerializationSettings } from './serialization-settings.ts'
import { ValueCodec } from './value-codec.ts'

const INPUTS = 20_000

/** Every other input is refused, and most of the time would go into stacks that nobody reads. */
Error.stackTraceLimit = 0

const refs = {
  isRef: () => false,
  toText: () => '',
  fromText: (text: string) => ({ ref: text }),
}

const samples: readonly unknown[] = [
  { type: 'Increment', by: 2, at: 1_700_000_000_000, note: 'café' },
  [{ a: 1 }, { a: 2 }, { a: [{ b: 'x'.repeat(80) }] }, -0, undefined, null, 1.5],
  new Map<unknown, unknown>([
    ['__proto__', new Set([1, { c: new Date(5) }])],
    [1, 2n ** 90n],
  ]),
  { error: new TypeError('no', { cause: new Error('deeper') }), bytes: new Uint16Array(4) },
  Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`key${index}`, index])),
  [Buffer.from('binary'), new ArrayBuffer(9), '\ufefftext', 'ü'.repeat(70)],
]

/** Deeper by what marks may add. */
const again = new ValueCodec({
  use: 'stored',
  settings: { ...defaultSerializationSettings, depthMax: 100 },
})

/** Bytes that mean something, so that changes hit home. */
const telling = [
  0x40, 0x7f, 0x80, 0x91, 0x9f, 0xa1, 0xbf, 0xc1, 0xc4, 0xc7, 0xc9, 0xd4, 0xd5, 0xd6, 0x72,
]
telling.push(0x73, 0x74, 0x42, 0x62, 0x65, 0x69, 0x70, 0x78, 0xd9, 0xdb, 0xdd, 0xdf, 0xe0, 0xff, 0)

test(`whatever comes, ${INPUTS} times: a value or a refusal, and nothing else happens`, () => {
  const chance = chanceOf(20_261_115)
  const reader = new ValueCodec({ use: 'stored', refs })
  const valid = samples.map((sample) => reader.encode(sample))
  const before = Object.getOwnPropertyNames(Object.prototype).join()
  const counts = { read: 0, refused: 0 }
  const lesson = new ValueCodec({ use: 'link' }).encode(samples)
  let link = linkAfter(lesson)
  for (let input = 0; input < INPUTS; input++) {
    const bytes = hostile(chance, valid)
    const isLink = input % 2 === 0
    if (read(isLink ? link : reader, bytes)) counts.read++
    else {
      counts.refused++
      if (isLink) link = linkAfter(lesson)
    }
  }
  expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  // Both happen, or else the inputs are not worth their name.
  expect(counts.read).toBeGreaterThan(INPUTS / 50)
  expect(counts.refused).toBeGreaterThan(INPUTS / 3)
  expect(samples.map((sample) => reader.decode(reader.encode(sample)))).toHaveLength(samples.length)
}, 120_000)

test('lies about length cost no memory', () => {
  const reader = new ValueCodec({ use: 'stored' })
  const heads = [0xdd, 0xdf, 0xdb, 0xc6].map((tag) => Uint8Array.of(tag, 0x0f, 255, 255, 255, 0))
  const before = process.memoryUsage()
  for (let round = 0; round < 5_000; round++) {
    if (heads.some((head) => read(reader, head))) throw new Error('a lie was believed')
  }
  const after = process.memoryUsage()
  expect(after.rss + after.external - before.rss - before.external).toBeLessThan(100 * 2 ** 20)
})

/** What was read is data: it can be sent again, and comes back readable. */
function read(codec: ValueCodec, bytes: Uint8Array): boolean {
  let value: unknown
  try {
    value = codec.decode(bytes)
  } catch (error) {
    if (error instanceof CannotDeserialize) return false
    throw error
  }
  again.decode(again.encode(value))
  return true
}

/** A link whose receiver knows some records. */
function linkAfter(lesson: Uint8Array): ValueCodec {
  const link = new ValueCodec({ use: 'link', refs })
  link.decode(lesson)
  return link
}

function hostile(chance: (below: number) => number, valid: readonly Uint8Array[]): Uint8Array {
  const pick = <T>(list: readonly T[]): T => list[chance(list.length)] as T
  if (chance(8) === 0) {
    return Uint8Array.from({ length: chance(60) }, () => (chance(2) ? chance(256) : pick(telling)))
  }
  let bytes = [...pick(valid)]
  for (let change = chance(4); change >= 0; change--) {
    const at = chance(bytes.length + 1)
    const way = chance(6)
    if (way === 0) bytes[Math.min(at, bytes.length - 1)] = pick(telling)
    else if (way === 1) bytes[Math.min(at, bytes.length - 1)] = chance(256)
    else if (way === 2) bytes.splice(at, chance(4))
    else if (way === 3) bytes.splice(at, 0, pick(telling), chance(256))
    else if (way === 4) bytes = [...bytes.slice(0, at), ...pick(valid).slice(chance(20))]
    else bytes.splice(at, 0, ...Array<number>(chance(90)).fill(pick(telling)))
    if (bytes.length === 0) return new Uint8Array()
  }
  return Uint8Array.from(bytes)
}

/** The same numbers on every run. */
function chanceOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
