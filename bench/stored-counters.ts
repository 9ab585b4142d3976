/**
 * What benchmarks of stored events have in common: entities on LMDB that store an event per command, and the store's own limit
 * beside them, as many writers that each wait for their own event, put under growing keys in commits of the same size.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { ActorRef } from '../src/actor/index.ts'
import {
  defaultLmdbSettings,
  Effect,
  EventSourcedBehavior,
  type Journal,
  LmdbJournal,
} from '../src/persistence/index.ts'
import { ValueCodec } from '../src/serialization/internals.ts'
import { Countdown } from './countdown.ts'
import type { Running } from './harness.ts'
import { quietSystem } from './quiet-system.ts'

interface Increment {
  readonly type: 'Increment'
  readonly by: number
  readonly done: () => void
}

interface Incremented {
  readonly type: 'Incremented'
  readonly by: number
}

/** How many entities, and how many commands each of them has under way. */
export interface Load {
  readonly entities: number
  readonly inFlight: number
}

export function makeFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

export async function countersOnLmdb(load: Load): Promise<Running> {
  const { folder, remove } = makeFolder()
  return storedCounters(await LmdbJournal.open({ folder }), load, remove)
}

export function storedCounters(journal: Journal, load: Load, remove: () => void): Running {
  const system = quietSystem()
  const codec = new ValueCodec({ use: 'stored' })
  const entities = Array.from({ length: load.entities }, (_, index) => {
    const behavior = EventSourcedBehavior<Increment, Incremented, number>({
      persistenceId: `Counter|${index}`,
      emptyState: 0,
      commandHandler: (_state, { by, done }) =>
        Effect.persist<Incremented, number>({ type: 'Incremented', by }).thenRun(done),
      eventHandler: (state, { by }) => state + by,
      journal,
      codec,
    })
    return system.spawn(behavior, `counter-${index}`)
  })
  return {
    round: (operations) => storeAll(entities, load.inFlight, operations),
    tearDown: async () => {
      await system.terminate()
      await journal.close()
      remove()
    },
  }
}

/** Each entity gets its next command when one of its events is stored. */
function storeAll(
  entities: readonly ActorRef<Increment>[],
  inFlight: number,
  operations: number,
): Promise<void> {
  const each = operations / entities.length
  const stored = new Countdown()
  const finished = stored.from(operations)
  for (const entity of entities) {
    let sent = 0
    const next = (): void => {
      if (sent++ < each) entity.tell({ type: 'Increment', by: 1, done })
    }
    const done = (): void => {
      stored.one()
      next()
    }
    for (let first = 0; first < inFlight; first++) next()
  }
  return finished
}

/** As many events to a commit, and to a record of the log, as the journal puts there. */
export function bareLmdb(writers: number): Running {
  const { folder, remove } = makeFolder()
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
  const store = open<Buffer, Buffer>({
    ...binary,
    path: folder,
    noSubdir: false,
    overlappingSync: false,
  })
  const event = new ValueCodec({ use: 'stored' }).encode({ type: 'Incremented', by: 1 })
  const bytes = Buffer.from(event)
  let lastKey = 0
  const putAll = async (count: number): Promise<void> => {
    await store.batch(() => {
      for (let index = 0; index < count; index++) {
        const key = Buffer.alloc(8)
        key.writeDoubleBE(++lastKey)
        void store.put(key, bytes)
      }
    })
  }
  const round = groupCommits(writers, defaultLmdbSettings.commitEventsMax, putAll)
  return {
    round,
    tearDown: async () => {
      await store.close()
      remove()
    },
  }
}

/** Writers that each wait for their own event; those that wait at the same time share a commit. */
export function groupCommits(
  writers: number,
  eventsMax: number,
  putAll: (count: number) => Promise<void>,
): Running['round'] {
  const waiting: (() => void)[] = []
  let isCommitting = false
  const commit = async (): Promise<void> => {
    isCommitting = true
    while (waiting.length > 0) {
      const taken = waiting.splice(0, Math.min(eventsMax, writers))
      await putAll(taken.length)
      for (const stored of taken) stored()
    }
    isCommitting = false
  }
  const put = (): Promise<void> =>
    new Promise((stored) => {
      waiting.push(stored)
      if (!isCommitting) void commit()
    })
  const writer = async (events: number): Promise<void> => {
    for (let count = 0; count < events; count++) await put()
  }
  return async (operations) => {
    await Promise.all(Array.from({ length: writers }, () => writer(operations / writers)))
  }
}
