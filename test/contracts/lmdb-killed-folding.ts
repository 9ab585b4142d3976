/**
 * A process that is killed in the middle of a fold: `lmdb-killed-folding.ts FOLDER`. It claims the streams `s|0` to `s|63`,
 * stores one event in each of the first 44, and has written the heads of 16 of them by then.
 */
import { LmdbJournal } from '../../src/persistence/index.ts'
import { appendText } from '../../src/testkit/journal-contract/journal-texts.ts'

const [, , folder = ''] = process.argv
const journal = await LmdbJournal.open({
  folder,
  foldLimits: { foldAfterHeads: 40, foldHeadsMax: 4 },
})
for (let index = 0; index < 64; index++) await journal.claim(`s|${index}`, 'killed')
// One commit each: the fold begins with the 41st.
for (let index = 0; index < 44; index++) {
  await appendText(journal, { id: `s|${index}`, epoch: 1, after: 0 }, `${index}`)
}
process.kill(process.pid, 'SIGKILL')
