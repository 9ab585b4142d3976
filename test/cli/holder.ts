/** A process of its own that has the store in a folder open until its input ends. Says `open` when it has. */
import { LmdbJournal } from '../../src/persistence/index.ts'

const journal = await LmdbJournal.open({ folder: process.argv[2] ?? '' })
process.stdout.write('open\n')
process.stdin.resume().once('end', () => void journal.close())
