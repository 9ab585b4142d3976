/** A process that is killed in the middle of a read, with everything it holds: `lmdb-killed-reader.ts FOLDER`. */
import { prepareFolder } from '../../src/persistence/journals/lmdb-folder.ts'
import { openTables, readCount } from '../../src/persistence/journals/lmdb-tables.ts'

const [, , folder = ''] = process.argv
prepareFolder(folder)
// What it has read is a snapshot until its turn ends, and it does not.
readCount(openTables(folder))
process.kill(process.pid, 'SIGKILL')
