/**
 * A process of its own that writes into a shared PostgreSQL journal until it is killed, and says on standard output what was
 * acknowledged: `id sequenceNr text` per line. Fenced, it claims the stream back: it fights on purpose. When nobody can tell
 * what was stored it claims as well, as a new writer would.
 *
 *   node test/postgres/postgres-writer.js URL NAME STREAMS
 */
import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type AppendResult, PostgresJournal } from '../../src/persistence/index.ts'
import { appendText, claimed } from '../../src/testkit/journal-contract/journal-texts.ts'

const [url = '', name = '', streams = '1'] = process.argv.slice(2)
const journal = await PostgresJournal.open({ url })

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

type Answer = AppendResult | { readonly type: 'Unknown' }

const passing: readonly unknown[] = ['JOURNAL_UNAVAILABLE', 'JOURNAL_OUTCOME_UNKNOWN']

function unknown(error: unknown): Answer {
  if (passing.includes((error as { readonly code?: unknown }).code)) return { type: 'Unknown' }
  throw error
}

async function writeForever(id: string): Promise<never> {
  let { epoch, after } = await claimed(journal, id, name)
  for (let count = 1; ; count++) {
    const text = `${name}.${epoch}.${count}`
    const storing: Promise<Answer> = appendText(journal, { id, epoch, after }, text, `${text}+`)
    const result = await storing.catch(unknown)
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
