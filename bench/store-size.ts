/**
 * Benchmark `store-size`: how large the file of an LMDB journal becomes when 1,000 streams append for a long time, save a
 * snapshot every 100 events, keep two of them and delete the events before. Beside it the data that lives: the bytes of
 * events and snapshots that are not deleted, as their owners gave them.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LmdbJournal } from '../src/persistence/index.ts'
import type { Benchmark } from './benchmark.ts'

const streamCount = 1000
const snapshotEvery = 100
const snapshotsKept = 2
const eventBytes = 100
const snapshotBytes = 1000
const eventsPerAppend = 5
const eventsDefault = 1_000_000
const looks = 20

interface Stream {
  readonly persistenceId: string
  readonly epoch: number
  /** So that not all save their snapshots at once. */
  readonly offset: number
  highestSequenceNr: number
  deletedSequenceNr: number
  snapshots: number[]
}

export const storeSize: Benchmark = {
  name: 'store-size',
  summary: 'bytes of the LMDB file after many events with snapshots and retention',
  smallerIsBetter: true,
  async run(_peers, { events = eventsDefault } = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'sherd-bench-'))
    const journal = await LmdbJournal.open({ folder })
    try {
      const { file, live } = await fill(journal, folder, events)
      const contestants = [
        { name: 'ours', samples: [file] },
        { name: 'live data', samples: [live] },
      ]
      return [{ name: `file, ${events.toLocaleString('en')} events`, unit: 'bytes', contestants }]
    } finally {
      await journal.close()
      rmSync(folder, { recursive: true })
    }
  },
}

/** Answers the greatest size of the file, and the live data at the end. */
async function fill(
  journal: LmdbJournal,
  folder: string,
  events: number,
): Promise<{ readonly file: number; readonly live: number }> {
  const streams = await Promise.all(
    Array.from({ length: streamCount }, (_, i) => begin(journal, i)),
  )
  const rounds = Math.ceil(events / streamCount / eventsPerAppend)
  const start = performance.now()
  let file = 0
  for (let round = 1; round <= rounds; round++) {
    await Promise.all(streams.map((stream) => append(journal, stream)))
    if (round % Math.ceil(rounds / looks) !== 0 && round !== rounds) continue
    file = statSync(join(folder, 'data.mdb')).size
    const stored = round * streamCount * eventsPerAppend
    const live = liveBytes(streams)
    const rate = Math.round((stored * 1000) / (performance.now() - start))
    const words = [`${stored} events`, `file ${megabytes(file)}`, `live ${megabytes(live)}`]
    console.error([...words, `${(file / live).toFixed(2)} times`, `${rate} events/s`].join(', '))
  }
  return { file, live: liveBytes(streams) }
}

async function begin(journal: LmdbJournal, index: number): Promise<Stream> {
  const persistenceId = `Account|${index}`
  const { epoch } = await journal.claim(persistenceId, 'bench')
  const numbers = { highestSequenceNr: 0, deletedSequenceNr: 0, snapshots: [] }
  return { persistenceId, epoch, offset: index % snapshotEvery, ...numbers }
}

const event = Buffer.alloc(eventBytes, 'event')
const snapshot = Buffer.alloc(snapshotBytes, 'state')

async function append(journal: LmdbJournal, stream: Stream): Promise<void> {
  const { persistenceId, epoch, highestSequenceNr: expectedSequenceNr } = stream
  const batch = Array.from({ length: eventsPerAppend }, () => event)
  await journal.append({ persistenceId, epoch, expectedSequenceNr, events: batch })
  stream.highestSequenceNr += eventsPerAppend
  const { highestSequenceNr, offset } = stream
  const isDue = (highestSequenceNr + offset) % snapshotEvery < eventsPerAppend
  if (isDue) await keepSnapshot(journal, stream)
}

async function keepSnapshot(journal: LmdbJournal, stream: Stream): Promise<void> {
  const { persistenceId, epoch, highestSequenceNr: sequenceNr } = stream
  const place = { persistenceId, epoch }
  await journal.saveSnapshot({ ...place, sequenceNr, savedAtMs: 0, bytes: snapshot })
  stream.snapshots.push(sequenceNr)
  if (stream.snapshots.length <= snapshotsKept) return
  stream.snapshots = stream.snapshots.slice(-snapshotsKept)
  const [oldest = 0] = stream.snapshots
  const before = { fromSequenceNr: 0, toSequenceNr: oldest - 1 }
  await journal.deleteEventsTo({ ...place, toSequenceNr: oldest })
  await journal.deleteSnapshots({ ...place, ...before })
  stream.deletedSequenceNr = oldest
}

function liveBytes(streams: readonly Stream[]): number {
  return streams.reduce((sum, { highestSequenceNr, deletedSequenceNr, snapshots }) => {
    const events = (highestSequenceNr - deletedSequenceNr) * eventBytes
    return sum + events + snapshots.length * snapshotBytes
  }, 0)
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}
