/**
 * Benchmark `persist`: events stored by 256 event-sourced entities on LMDB and on PostgreSQL, with one command or several in flight per entity.
 * An event counts when its entity was told that it is durable. Beside it the store's own limit: as many writers that each wait
 * for their own event, put under growing keys in commits of the same size, and nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { defaultLmdbSettings, LmdbJournal } from '../src/persistence/index.ts'
import { ValueCodec } from '../src/serialization/internals.ts'
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { measure, type Running } from './harness.ts'
import { measurePostgres } from './persist-postgres.ts'
import { groupCommits, setUpEntities, storedEvent } from './persisting.ts'

const entityCount = 256

export const persist: Benchmark = {
  name: 'persist',
  summary: 'events stored durably per second by 256 entities on LMDB and on PostgreSQL',
  async run() {
    return [
      await measureCase('256 entities', 1),
      await measureCase('256 entities, 8 in flight', 8),
      await measurePostgres(entityCount),
    ]
  },
}

/** `inFlight`: commands that each entity has under way. */
function measureCase(name: string, inFlight: number): Promise<MeasuredCase> {
  return measure({
    name,
    unit: 'events/s',
    operationsStep: entityCount * inFlight,
    contestants: [
      { name: 'ours', setUp: () => setUpOurs(inFlight) },
      { name: 'store', setUp: () => setUpStore(entityCount * inFlight) },
    ],
  })
}

function makeFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

async function setUpOurs(inFlight: number): Promise<Running> {
  const { folder, remove } = makeFolder()
  const journals = [await LmdbJournal.open({ folder })]
  return setUpEntities({ journals, entityCount, inFlight, remove })
}

/** As many events to a commit, and to a record of the log, as the journal puts there. */
function setUpStore(writers: number): Running {
  const { folder, remove } = makeFolder()
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
  const store = open<Buffer, Buffer>({
    ...binary,
    path: folder,
    noSubdir: false,
    overlappingSync: false,
  })
  const event = new ValueCodec({ use: 'stored' }).encode(storedEvent)
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
