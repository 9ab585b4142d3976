/**
 * A process that is killed in the middle of a deletion: `lmdb-killed-deleting.ts FOLDER`. The stream `a` has 3,000 events and is
 * deleted, most of them are still in the log; `b` has 10 that stay.
 */
import { LmdbJournal } from '../../src/persistence/index.ts'
import { appendText } from '../../src/testkit/journal-contract/journal-texts.ts'

const [, , folder = ''] = process.argv
const journal = await LmdbJournal.open({ folder })
for (const id of ['a', 'b']) await journal.claim(id, 'killed')
for (let after = 0; after < 3_000; after += 100) {
  const texts = Array.from({ length: 100 }, (_, i) => `secret ${after + i}`)
  await appendText(journal, { id: 'a', epoch: 1, after }, ...texts)
  if (after < 1_000) await appendText(journal, { id: 'b', epoch: 1, after: after / 100 }, 'stays')
}
const batch = { persistenceId: 'a', epoch: 1, expectedSequenceNr: 3_000, events: [] }
await journal.deleteEvents(batch)
process.kill(process.pid, 'SIGKILL')
