/** `values`: bytes that mean almost something, into the codec of values, for links, batches and the store. */
import { CannotDeserialize, defaultSerializationSettings } from '../../src/serialization/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { checkPrototype, type Fuzz, MemoryLimit, pick, runRounds } from './fuzz.ts'

const memoryLimitMiB = 128

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
const deeper = { ...defaultSerializationSettings, depthMax: 100 }

/** Bytes that mean something, so that changes hit home. */
const telling = [
  0x40, 0x7f, 0x80, 0x91, 0x9f, 0xa1, 0xbf, 0xc1, 0xc4, 0xc7, 0xc9, 0xd4, 0xd5, 0xd6, 0x72,
]
telling.push(0x73, 0x74, 0x42, 0x62, 0x65, 0x69, 0x70, 0x78, 0xd9, 0xdb, 0xdd, 0xdf, 0xe0, 0xff, 0)

export const values: Fuzz = {
  name: 'values',
  summary: 'mutated bytes, into the codec of values: link, batch and stored',
  defaultRounds: 200_000,
  async run(options) {
    const random = new SeededRandom(options.seed, 'values')
    const stored = new ValueCodec({ use: 'stored', refs })
    const again = new ValueCodec({ use: 'stored', settings: deeper })
    const valid = samples.map((sample) => stored.encode(sample))
    const lesson = new ValueCodec({ use: 'link' }).encode(samples)
    const counts = { read: 0, refused: 0 }
    let link = linkAfter(lesson)
    const memory = new MemoryLimit(memoryLimitMiB)
    // Every other input is refused, and most of the time would go into stacks that nobody reads.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    let done = 0
    const act = (round: number): void => {
      done = round
      const bytes = hostile(random, valid)
      const way = round % 3
      const codec = way === 0 ? stored : link
      // What was read is data: it can be sent again, and comes back readable.
      const value = read(() =>
        way === 2 ? codec.decodeBatch(bytes, lengthOf(bytes)) : codec.decode(bytes),
      )
      if (value === refused) {
        counts.refused++
        if (way !== 0) link = linkAfter(lesson)
      } else {
        counts.read++
        again.decode(again.encode(value))
      }
    }
    try {
      await runRounds(options, act, () => {
        checkPrototype()
        memory.check(done)
      })
    } finally {
      Error.stackTraceLimit = stackTraceLimit
    }
    return { ...counts, 'memory added at most (MiB)': memory.mostMiB }
  },
}

/** As heads that go with them would say. */
function lengthOf(bytes: Uint8Array): number {
  const [tag = 0, high = 0, low = 0] = bytes
  return tag === 0xdc ? high * 256 + low : tag & 0x0f
}

const refused = Symbol('refused')

function read(decode: () => unknown): unknown {
  try {
    return decode()
  } catch (error) {
    if (error instanceof CannotDeserialize) return refused
    throw error
  }
}

/** A link whose receiver knows some records. */
function linkAfter(lesson: Uint8Array): ValueCodec {
  const link = new ValueCodec({ use: 'link', refs })
  link.decode(lesson)
  return link
}

function hostile(random: SeededRandom, valid: readonly Uint8Array[]): Uint8Array {
  if (random.below(8) === 0) {
    const any = (): number => (random.below(2) ? random.below(256) : pick(telling, random))
    return Uint8Array.from({ length: random.below(60) }, any)
  }
  let bytes = [...pick(valid, random)]
  for (let change = random.below(4); change >= 0 && bytes.length > 0; change--) {
    const at = random.below(bytes.length + 1)
    const way = random.below(6)
    if (way === 0) bytes[Math.min(at, bytes.length - 1)] = pick(telling, random)
    else if (way === 1) bytes[Math.min(at, bytes.length - 1)] = random.below(256)
    else if (way === 2) bytes.splice(at, random.below(4))
    else if (way === 3) bytes.splice(at, 0, pick(telling, random), random.below(256))
    else if (way === 4)
      bytes = [...bytes.slice(0, at), ...pick(valid, random).slice(random.below(20))]
    else bytes.splice(at, 0, ...Array<number>(random.below(90)).fill(pick(telling, random)))
  }
  return Uint8Array.from(bytes)
}
