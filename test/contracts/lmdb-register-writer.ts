/**
 * A process of its own that writes one register of a shared LMDB store until it is killed, in a race with others, and says on
 * standard output what was acknowledged, `register revision text` per line, and what it should never see, `stale ...`.
 *
 *   node --import tsx test/contracts/lmdb-register-writer.ts FOLDER NAME
 */
import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { bytesOf } from '../../src/testkit/journal-contract/journal-texts.ts'

const [folder = '', name = ''] = process.argv.slice(2)
const journal = await LmdbJournal.open({ folder })

/** Synchronous, so that no line is lost with the process; a full pipe is tried again when its reader had a turn. */
async function say(line: string): Promise<void> {
  for (;;) {
    try {
      writeSync(1, line)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      await setImmediate()
    }
  }
}

for (let known = 0, count = 1; ; count++) {
  const revision = (await journal.readRegister('r'))?.revision ?? 0
  if (revision < known) await say(`stale ${revision} ${known}\n`)
  const text = `${name}.${count}`
  const write = { name: 'r', expectedRevision: revision, bytes: bytesOf(text) }
  const result = await journal.writeRegister(write)
  known = result.revision
  if (result.type === 'RegisterWritten') await say(`r ${result.revision} ${text}\n`)
}
