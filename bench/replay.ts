/**
 * Benchmark `replay`: events of LMDB through the whole recovery of event-sourced entities, until each answers its first
 * command. The events were stored as entities do it: one after the other by one, and in turns by 1,000, so that those of one
 * stream lie far apart. A long stream with a snapshot near its end is started from there. Beside it the bare work: the same
 * bytes in a table of LMDB under id and number, one value per event, read in their order and decoded by the same codec, and
 * nothing else.
 */
import { type Database, open } from 'lmdb'
import type { ActorRef } from '../src/actor/index.ts'
import { Effect, EventSourcedBehavior, LmdbJournal } from '../src/persistence/index.ts'
import { ValueCodec } from '../src/serialization/internals.ts'
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { measure, type Running } from './harness.ts'
import { quietSystem } from './quiet-system.ts'
import { makeFolder } from './stored-counters.ts'

interface Shape {
  readonly streams: number
  readonly events: number
  /** Of one stream: how many are stored together. */
  readonly appendEvents?: number
  /** Of one stream: a snapshot is there of the state after so many. */
  readonly snapshotAt?: number
}

interface Look {
  readonly type: 'Look'
  readonly found: (state: number) => void
}

interface Incremented {
  readonly type: 'Incremented'
  readonly by: number
}

const codec = new ValueCodec({ use: 'stored' })
const eventBytes = codec.encode({ type: 'Incremented', by: 1 })
/** How long a stream may become that is started from a snapshot, and how many events come behind it. */
const longEvents = 1_000_000
const tailEvents = 100
const snapshotEvery = 1000

export const replay: Benchmark = {
  name: 'replay',
  summary: 'events per second from LMDB into the states of recovering entities',
  async run() {
    return [
      await measureCase('one long stream', { streams: 1, events: 50_000 }),
      await measureCase('1,000 short streams', { streams: 1000, events: 100 }),
      await measureSnapshot(),
    ]
  },
}

/** Beside it a stream that has no more events than come after the snapshot, and no snapshot. */
function measureSnapshot(): Promise<MeasuredCase> {
  const long = { streams: 1, events: longEvents, appendEvents: 1000 }
  const short = { streams: 1, events: tailEvents }
  return measure({
    name: 'one long stream, with a snapshot',
    unit: 'starts/s',
    contestants: [
      { name: 'ours', setUp: () => setUpOurs({ ...long, snapshotAt: longEvents - tailEvents }, 1) },
      { name: 'tail alone', setUp: () => setUpOurs(short, 1) },
    ],
  })
}

function measureCase(name: string, shape: Shape): Promise<MeasuredCase> {
  return measure({
    name,
    unit: 'events/s',
    operationsStep: shape.streams * shape.events,
    contestants: [
      { name: 'ours', setUp: () => setUpOurs(shape) },
      { name: 'bare', setUp: () => setUpBare(shape) },
    ],
  })
}

const idOf = (stream: number): string => `Counter|${stream}`

/** `passOperations`: what a start of all streams counts for. */
async function setUpOurs(
  shape: Shape,
  passOperations = shape.streams * shape.events,
): Promise<Running> {
  const { folder, remove } = makeFolder()
  const journal = await LmdbJournal.open({ folder })
  await fill(journal, shape)
  const system = quietSystem()
  let lives = 0
  const recovered = async (stream: number): Promise<void> => {
    const behavior = EventSourcedBehavior<Look, Incremented, number>({
      persistenceId: idOf(stream),
      emptyState: 0,
      commandHandler: (state, { found }) =>
        Effect.stop<Incremented, number>().thenRun(() => found(state)),
      eventHandler: (state, { by }) => state + by,
      ...(shape.snapshotAt === undefined ? {} : { retention: { snapshotEvery, keepSnapshots: 1 } }),
      journal,
      codec,
    })
    const entity: ActorRef<Look> = system.spawn(behavior, `counter-${stream}-${lives++}`)
    const state = await new Promise<number>((found) => entity.tell({ type: 'Look', found }))
    if (state !== shape.events) throw new Error(`${state} events were read of ${shape.events}`)
  }
  return {
    round: async (operations) => {
      for (let left = operations; left > 0; left -= passOperations) {
        await Promise.all(Array.from({ length: shape.streams }, (_, stream) => recovered(stream)))
      }
    },
    tearDown: async () => {
      await system.terminate()
      await journal.close()
      remove()
    },
  }
}

/** One stream in appends of some events; many in turns of one event each. */
async function fill(journal: LmdbJournal, shape: Shape): Promise<void> {
  const { streams, events, appendEvents = 50, snapshotAt } = shape
  const each = streams === 1 ? appendEvents : 1
  const batch = Array.from({ length: each }, () => eventBytes)
  const ids = Array.from({ length: streams }, (_, stream) => idOf(stream))
  const epochs = await Promise.all(ids.map(async (id) => (await journal.claim(id, 'b')).epoch))
  for (let after = 0; after < events; after += each) {
    await Promise.all(
      ids.map((persistenceId, stream) => {
        const epoch = epochs[stream] ?? 1
        return journal.append({ persistenceId, epoch, expectedSequenceNr: after, events: batch })
      }),
    )
  }
  if (snapshotAt === undefined) return
  const stream = { persistenceId: idOf(0), epoch: epochs[0] ?? 1, sequenceNr: snapshotAt }
  const bytes = codec.encode({ version: 0, state: snapshotAt })
  await journal.saveSnapshot({ ...stream, savedAtMs: 0, bytes })
}

async function setUpBare({ streams, events }: Shape): Promise<Running> {
  const { folder, remove } = makeFolder()
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
  const store: Database<Buffer, Buffer> = open<Buffer, Buffer>({
    ...binary,
    path: folder,
    noSubdir: false,
  })
  const bytes = Buffer.from(eventBytes)
  await store.transaction(() => {
    for (let stream = 0; stream < streams; stream++) {
      for (let number = 1; number <= events; number++) void store.put(keyOf(stream, number), bytes)
    }
  })
  const read = (stream: number): void => {
    let state = 0
    const range = { start: keyOf(stream, 1), end: keyOf(stream, events + 1) }
    for (const { value } of store.getRange(range)) state += (codec.decode(value) as Incremented).by
    if (state !== events) throw new Error(`${state} events were read of ${events}`)
  }
  return {
    round: async (operations) => {
      for (let left = operations; left > 0; left -= streams * events) {
        for (let stream = 0; stream < streams; stream++) read(stream)
      }
    },
    tearDown: async () => {
      await store.close()
      remove()
    },
  }
}

function keyOf(stream: number, number: number): Buffer {
  const id = Buffer.from(idOf(stream))
  const key = Buffer.alloc(id.length + 7)
  id.copy(key)
  key.writeUIntBE(number, id.length + 1, 6)
  return key
}
