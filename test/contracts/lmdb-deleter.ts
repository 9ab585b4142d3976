/**
 * A process of its own that writes into a shared LMDB journal, and deletes in it, until it is killed. It says on standard output
 * what was acknowledged: `id sequenceNr text` of the first event of an append, and `deleted` behind it when all before that
 * event are gone. Now and then it saves a snapshot and deletes the events before it: `id sequenceNr text saved`. Fenced, it
 * claims the stream back.
 *
 *   node --import tsx test/contracts/lmdb-deleter.ts FOLDER NAME STREAMS
 */
import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { bytesOf, claimed, type Writer } from '../../src/testkit/journal-contract/journal-texts.ts'

const [folder = '', name = '', streams = '1'] = process.argv.slice(2)
/** Small, so that deletions meet folds and tails. */
const foldLimits = { foldAfterEvents: 100, foldHeadsMax: 3 }
const journal = await LmdbJournal.open({ folder, foldLimits })

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

/** Whoever is fenced meanwhile learns it from the next append. */
async function keepSnapshot({ id, epoch, after }: Writer, text: string): Promise<void> {
  const stream = { persistenceId: id, epoch }
  const snapshot = { ...stream, sequenceNr: after, savedAtMs: 0, bytes: bytesOf(text) }
  const { type } = await journal.saveSnapshot(snapshot)
  if (type !== 'SnapshotSaved') return
  await say(`${id} ${after} ${text} saved\n`)
  await journal.deleteEventsTo({ ...stream, toSequenceNr: after - 1 })
  await journal.deleteSnapshots({ ...stream, fromSequenceNr: 0, toSequenceNr: after - 1 })
}

async function writeForever(id: string): Promise<never> {
  let { epoch, after } = await claimed(journal, id, name)
  for (let count = 1; ; count++) {
    const text = `${name}.${epoch}.${count}`
    // Some are so many that a deletion takes them out in parts.
    const texts = Array.from({ length: count % 7 === 0 ? 400 : 2 }, () => text)
    const events = texts.map(bytesOf)
    const batch = { persistenceId: id, epoch, expectedSequenceNr: after, events }
    const deletes = count % 4 === 0
    const result = await (deletes ? journal.deleteEvents(batch) : journal.append(batch))
    if (result.type === 'Appended') {
      await say(`${id} ${after + 1} ${text}${deletes ? ' deleted' : ''}\n`)
      after = result.highestSequenceNr
      if (count % 3 === 0) await keepSnapshot({ id, epoch, after }, text)
    } else {
      if (result.type === 'SequenceConflict') await say(`conflict ${id}\n`)
      ;({ epoch, after } = await claimed(journal, id, name))
    }
  }
}

await Promise.all(Array.from({ length: Number(streams) }, (_, i) => writeForever(`stream|${i}`)))
