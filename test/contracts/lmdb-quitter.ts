/**
 * A process that writes to a journal and ends, while a commit is under way or as soon as it was answered:
 * `lmdb-quitter.ts FOLDER exit|throw|wait`.
 */
import { LmdbJournal } from '../../src/persistence/index.ts'

const [, , folder = '', way] = process.argv
const journal = await LmdbJournal.open({ folder })
await journal.claim('quitter', 'quitter')
if (way === 'wait') process.exit(3)
void journal.claim('quitter', 'quitter')
// The commit has been given to the other thread by then, and cannot have come back.
setImmediate(() => {
  void journal.claim('quitter', 'quitter')
  if (way === 'throw') throw new Error('the dog ate it')
  process.exit(3)
})
