/** `protocol`: messages of the cluster, of sharding and of singletons with wrong fields, as values and as bytes. */
import { CannotDeserialize } from '../../src/serialization/index.ts'
import { NotAMessage, ValueCodec } from '../../src/serialization/internals.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { checkPrototype, type Fuzz, MemoryLimit, mutated, pick, runRounds } from './fuzz.ts'
import { type ProtocolSample, protocolSamples } from './protocol-samples.ts'

const memoryLimitMiB = 128

const odd: readonly unknown[] = [
  ...[
    undefined,
    null,
    true,
    0,
    -1,
    0.5,
    NaN,
    Infinity,
    2 ** 53,
    2n ** 70n,
    '',
    '\0',
    'x'.repeat(2_000),
  ],
  ...[
    'Up',
    'constructor',
    '10.0.0.1:2552#0000000000000001',
    '10.0.0.9:1#zz',
    [],
    {},
    [[]],
    new Map(),
    new Set([1]),
  ],
  ...[
    new Date(NaN),
    new Error('no'),
    Object.create(null) as unknown,
    Buffer.alloc(3),
    { length: 1e9 },
  ],
  ...[
    { type: 'Heartbeat' },
    Array<number>(20_000).fill(1),
    JSON.parse('{"__proto__": {"from": 1}}') as unknown,
  ],
]

export const protocol: Fuzz = {
  name: 'protocol',
  summary: 'mutated messages of cluster, sharding and singletons, into their protocols',
  defaultRounds: 200_000,
  async run(options) {
    const random = new SeededRandom(options.seed, 'protocol')
    const codec = new ValueCodec({ use: 'stored' })
    const bytes = protocolSamples.map(({ packed }) => Buffer.from(codec.encode(packed)))
    const memory = new MemoryLimit(memoryLimitMiB)
    const counts = { taken: 0, refused: 0, unreadable: 0 }
    let done = 0
    const act = (round: number): void => {
      done = round
      const index = random.below(protocolSamples.length)
      const sample = protocolSamples[index] as ProtocolSample
      const isOfBytes = round % 2 === 0
      const value = isOfBytes
        ? decoded(codec, mutated(bytes[index] as Buffer, random))
        : changed(structuredClone(sample.packed), random)
      const { protocol: taker } = random.below(4) === 0 ? pick(protocolSamples, random) : sample
      const message: unknown = value === unreadable ? unreadable : taker.unpack(value)
      if (message === unreadable) counts.unreadable++
      else if (message instanceof NotAMessage) counts.refused++
      else {
        counts.taken++
        // What was taken is taken again: it can be passed on.
        const again: unknown = taker.unpack(value)
        if (again !== message) throw new Error('the same value is a message only once')
      }
    }
    await runRounds(options, act, () => {
      checkPrototype()
      memory.check(done)
    })
    return { ...counts, 'memory added at most (MiB)': memory.mostMiB }
  },
}

const unreadable = Symbol('unreadable')

function decoded(codec: ValueCodec, bytes: Buffer): unknown {
  try {
    return codec.decode(bytes)
  } catch (error) {
    if (error instanceof CannotDeserialize) return unreadable
    throw error
  }
}

/** Replaces, removes or doubles something somewhere inside. */
function changed(value: unknown, random: SeededRandom): unknown {
  if (typeof value !== 'object' || value === null || random.below(12) === 0) {
    return pick(odd, random)
  }
  const holder = value as Record<string, unknown>
  const keys = Object.keys(holder)
  const key = keys.length === 0 ? 'extra' : pick(keys, random)
  const way = random.below(8)
  // Nothing that came over the wire has holes.
  if (way === 0 && Array.isArray(value)) value.splice(Number(key), 1)
  else if (way === 0) delete holder[key]
  else if (way === 1) holder[`${key}2`] = pick(odd, random)
  else if (way === 2 && Array.isArray(value)) value.push(value[0])
  else holder[key] = changed(holder[key], random)
  return value
}
