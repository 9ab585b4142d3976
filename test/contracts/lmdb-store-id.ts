/** A process that opens a journal when it is told to, and prints the id of its store: `lmdb-store-id.ts FOLDER`. */
import { once } from 'node:events'
import { LmdbJournal } from '../../src/persistence/index.ts'

const [, , folder = ''] = process.argv
console.log('ready')
await once(process.stdin, 'data')
const journal = await LmdbJournal.open({ folder })
console.log(journal.storeId)
await journal.close()
process.stdin.destroy()
