/**
 * A process of its own that writes into a shared LMDB journal until it is killed, and says on standard output what was
 * acknowledged: `id sequenceNr text` per line. Fenced, it claims the stream back: it fights on purpose.
 *
 *   node --import tsx test/contracts/lmdb-writer.ts FOLDER NAME STREAMS [KILL-AFTER-MS]
 */
import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { appendText, claimed } from '../../src/testkit/journal-contract/journal-texts.ts'

const [folder = '', name = '', streams = '1', killAfterMs = '2000'] = process.argv.slice(2)
const settings = { stoppedWriterKillAfterMs: Number(killAfterMs) }
/** Small, so that a short test sees many folds, each in several commits, and tails in between. */
const foldLimits = { foldAfterEvents: 100, foldHeadsMax: 3 }
const journal = await LmdbJournal.open({ folder, settings, foldLimits })

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

async function writeForever(id: string): Promise<never> {
  let { epoch, after } = await claimed(journal, id, name)
  for (let count = 1; ; count++) {
    const text = `${name}.${epoch}.${count}`
    const result = await appendText(journal, { id, epoch, after }, text, `${text}+`)
    if (result.type === 'Appended') {
      await say(`${id} ${after + 1} ${text}\n`)
      after = result.highestSequenceNr
    } else {
      if (result.type === 'SequenceConflict') await say(`conflict ${id}\n`)
      ;({ epoch, after } = await claimed(journal, id, name))
    }
  }
}

await Promise.all(Array.from({ length: Number(streams) }, (_, i) => writeForever(`stream|${i}`)))
