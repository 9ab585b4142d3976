/**
 * Benchmark `replay`: events of LMDB through the whole recovery of event-sourced entities, until each answers its first
 * command. The events were stored as entities do it: one after the other by one, and in turns by 1,000, so that those of one
 * stream lie far apart. Beside it the bare work: the same bytes in a table of LMDB under id and number, one value per event, read in
 * their order and decoded by the same codec, and nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, open } from 'lmdb'
import type { ActorRef } from '../src/actor/index.ts'
import { Effect, EventSourcedBehavior, LmdbJournal } from '../src/persistence/index.ts'
import { ValueCodec } from '../src/serialization/internals.ts'
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { measure, type Running } from './harness.ts'
import { quietSystem } from './quiet-system.ts'

interface Shape {
  readonly streams: number
  readonly events: number
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
const appendEvents = 50

export const replay: Benchmark = {
  name: 'replay',
  summary: 'events per second from LMDB into the states of recovering entities',
  async run() {
    return [
      await measureCase('one long stream', { streams: 1, events: 50_000 }),
      await measureCase('1,000 short streams', { streams: 1000, events: 100 }),
    ]
  },
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

function makeFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

const idOf = (stream: number): string => `Counter|${stream}`

async function setUpOurs(shape: Shape): Promise<Running> {
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
      journal,
      codec,
    })
    const entity: ActorRef<Look> = system.spawn(behavior, `counter-${stream}-${lives++}`)
    const state = await new Promise<number>((found) => entity.tell({ type: 'Look', found }))
    if (state !== shape.events) throw new Error(`${state} events were read of ${shape.events}`)
  }
  return {
    round: async (operations) => {
      for (let left = operations; left > 0; left -= shape.streams * shape.events) {
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
async function fill(journal: LmdbJournal, { streams, events }: Shape): Promise<void> {
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
