/** Traces by name, made of a seed: which entity every message is for. */

/** The entities of one message after the other, as numbers from 1 on. */
export interface Trace {
  readonly name: string
  readonly summary: string
  readonly limit: number
  readonly make: (seed: number) => Iterable<number>
}

export const traces: readonly Trace[] = [
  {
    name: 'zipf',
    summary: 'a few are popular and most are not, always the same: 500,000 messages for 100,000',
    limit: 5_000,
    make: (seed) => zipf({ messages: 500_000, entities: 100_000, skew: 1 }, chance(seed)),
  },
  {
    name: 'loop',
    summary: 'one after the other, round and round: 500,000 messages for 10,000',
    limit: 5_000,
    make: () => loop(500_000, 10_000),
  },
  {
    name: 'scan',
    summary: 'popular ones, and every now and then a walk over many that nobody wants again',
    limit: 2_000,
    make: (seed) => scan(chance(seed)),
  },
  {
    name: 'shifting',
    summary: 'popular ones that are others after a while',
    limit: 2_000,
    make: (seed) => shifting(chance(seed)),
  },
  {
    name: 'bursts',
    summary: 'each is wanted a few times within a short while, and then never: as in a ledger',
    limit: 2_000,
    make: (seed) => bursts(chance(seed)),
  },
  {
    name: 'encyclopedia',
    summary: 'popular pages, news that come and go, and many that are read once',
    limit: 5_000,
    make: (seed) => encyclopedia(chance(seed)),
  },
]

type Chance = () => number

/** Numbers from 0 to 1, the same for a seed everywhere. */
function chance(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

interface Popularity {
  readonly messages: number
  readonly entities: number
  /** How much the most popular stand out. */
  readonly skew: number
}

function* zipf({ messages, entities, skew }: Popularity, random: Chance): Iterable<number> {
  const draw = zipfDraw(entities, skew, random)
  for (let message = 0; message < messages; message++) yield draw()
}

/** Draws ranks from 1 on, each by its share: found in the sums of all shares. */
function zipfDraw(entities: number, skew: number, random: Chance): () => number {
  const sums = new Float64Array(entities)
  let sum = 0
  for (let rank = 1; rank <= entities; rank++) sums[rank - 1] = sum += rank ** -skew
  return () => {
    const wanted = random() * sum
    let [low, high] = [0, entities - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((sums[middle] as number) < wanted) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

function* loop(messages: number, entities: number): Iterable<number> {
  for (let message = 0; message < messages; message++) yield (message % entities) + 1
}

function* scan(random: Chance): Iterable<number> {
  const draw = zipfDraw(20_000, 0.9, random)
  let next = 1_000_000
  for (let round = 0; round < 20; round++) {
    for (let message = 0; message < 20_000; message++) yield draw()
    for (let step = 0; step < 5_000; step++) yield next++
  }
}

function* shifting(random: Chance): Iterable<number> {
  const draw = zipfDraw(20_000, 1, random)
  for (let message = 0; message < 500_000; message++) {
    const era = Math.floor(message / 50_000)
    yield draw() + era * 7_000
  }
}

function* bursts(random: Chance): Iterable<number> {
  const open: number[] = []
  let next = 1
  for (let message = 0; message < 500_000; message++) {
    if (open.length < 1_000) open.push(next++)
    const index = Math.floor(random() * open.length)
    yield open[index] as number
    if (random() < 0.2) open[index] = next++
  }
}

function* encyclopedia(random: Chance): Iterable<number> {
  const page = zipfDraw(100_000, 0.9, random)
  const news = zipfDraw(500, 1, random)
  let once = 10_000_000
  for (let message = 0; message < 500_000; message++) {
    const kind = random()
    if (kind < 0.6) yield page()
    else if (kind < 0.8) yield 1_000_000 + Math.floor(message / 20_000) * 500 + news()
    else yield once++
  }
}
