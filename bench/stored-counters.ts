/** Entities on LMDB that store an event per command, and the store's own limit beside them: the same events put under growing keys. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { defaultLmdbSettings, LmdbJournal } from '../src/persistence/index.ts'
import { ValueCodec } from '../src/serialization/internals.ts'
import type { Running } from './harness.ts'
import { groupCommits, setUpEntities, storedEvent } from './persisting.ts'

/** How many entities, and how many commands each of them has under way. */
export interface Load {
  readonly entities: number
  readonly inFlight: number
}

export function makeFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

export async function countersOnLmdb({ entities, inFlight }: Load): Promise<Running> {
  const { folder, remove } = makeFolder()
  const journals = [await LmdbJournal.open({ folder })]
  return setUpEntities({ journals, entityCount: entities, inFlight, remove })
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
