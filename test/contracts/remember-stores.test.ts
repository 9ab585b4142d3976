import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { systemEnvironment } from '../../src/foundation/system-environment.ts'
import {
  type Journal,
  LmdbJournal,
  MemoryJournal,
  MemoryStore,
} from '../../src/persistence/index.ts'
import { RememberJournal } from '../../src/sharding/internals.ts'
import { rememberStoreContract } from '../../src/testkit/index.ts'
import { faultyJournal } from '../persistence/faulty-journal.ts'

const { timers } = systemEnvironment({})

/** A journal with the first port alone: it deletes no events. */
function bare(journal: Journal): Journal {
  return {
    claim: (id, writer) => journal.claim(id, writer),
    append: (batch) => journal.append(batch),
    read: (range, onEvent) => journal.read(range, onEvent),
    highestSequenceNr: (id) => journal.highestSequenceNr(id),
    close: () => journal.close(),
  }
}

function slow(memory: MemoryJournal): Journal {
  const journal = faultyJournal(memory, systemEnvironment({}))
  journal.setFaults({ latencyMeanMs: 0.1, stallChance: 0.01, stallMaxMs: 5 })
  return journal
}

const memories: readonly [string, (memory: MemoryJournal) => Journal][] = [
  ['in memory', (memory) => memory],
  ['that is slow, and stalls', slow],
  ['that deletes no events', bare],
]

for (const [how, journalOf] of memories) {
  rememberStoreContract(
    { describe, test },
    {
      name: `RememberJournal on a journal ${how}`,
      newStore: () => {
        const journal = journalOf(new MemoryJournal({ store: new MemoryStore() }))
        return { open: (options) => new RememberJournal({ journal, timers, ...options }) }
      },
    },
  )
}

rememberStoreContract(
  { describe, test },
  {
    name: 'RememberJournal on LMDB',
    newStore: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'sherd-remembered-'))
      const journal = await LmdbJournal.open({ folder })
      return {
        open: (options) => new RememberJournal({ journal, timers, ...options }),
        remove: async () => {
          await journal.close()
          await rm(folder, { recursive: true })
        },
      }
    },
  },
)
