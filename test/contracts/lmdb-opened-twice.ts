/**
 * A process that opens one folder again and again while a journal of its own commits there: `lmdb-opened-twice.ts FOLDER`. Says
 * how many events were stored meanwhile.
 */
import { LmdbJournal } from '../../src/persistence/index.ts'
import { appendText } from '../../src/testkit/journal-contract/journal-texts.ts'

const [, , folder = ''] = process.argv
const journal = await LmdbJournal.open({ folder })
const { epoch } = await journal.claim('a', 'first')
let stored = 0
const writing = { isOver: false }
const written = (async () => {
  while (!writing.isOver) await appendText(journal, { id: 'a', epoch, after: stored++ }, 'x')
})()
for (let round = 0; round < 10; round++) {
  const other = await LmdbJournal.open({ folder })
  await other.claim('b', 'second')
  await other.close()
}
writing.isOver = true
await written
await journal.close()
console.log(stored)
