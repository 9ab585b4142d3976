import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { startNode } from '../../src/node/index.ts'
import { LmdbJournal, persistenceIdOf } from '../../src/persistence/index.ts'
import { codecOfStore } from '../../src/serialization/internals.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { printFigures } from '../figures.ts'

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Added: (state, by: number) => ({ count: state.count + by }) },
  commands: { get: (self) => self.state.count },
  snapshots: { every: 100 },
})

const eventsMax = 1_000_000
const tail = 57

/** Without running the entity, so that there is no snapshot yet. */
async function fill(journal: LmdbJournal, id: string, from: number, to: number): Promise<void> {
  const persistenceId = persistenceIdOf('Counter', id)
  const bytes = codecOfStore().encode(['Added', 1], 'event')
  const { epoch } = await journal.claim(persistenceId, 'test')
  const appends: Promise<unknown>[] = []
  for (let after = from; after < to; after += 500) {
    const events = Array.from({ length: Math.min(500, to - after) }, () => bytes)
    appends.push(journal.append({ persistenceId, epoch, expectedSequenceNr: after, events }))
    if (appends.length === 50) await Promise.all(appends.splice(0))
  }
  await Promise.all(appends)
}

/** How long the first call takes, and how many events were read for it. */
async function firstCall(
  folder: string,
  id: string,
): Promise<{ readonly count: number; readonly ms: number; readonly events: number }> {
  const journal = await LmdbJournal.open({ folder })
  const read = journal.read.bind(journal)
  let events = 0
  const counting: typeof read = (range, onEvent) =>
    read(range, (event) => {
      events++
      onEvent(event)
    })
  const node = await startNode({
    ...{ entities: [Counter], store: Object.assign(journal, { read: counting }), name: 'million' },
    ...{ callTimeout: '60s', logger: new CapturedLogs() },
  })
  // The first call of a node also finds a home for its shard.
  await node.entity(Counter, 'nobody').get()
  events = 0
  const begunMs = performance.now()
  const count = await node.entity(Counter, id).get()
  const ms = performance.now() - begunMs
  await node.stop()
  await journal.close()
  return { count, ms, events }
}

test('a stream of a million events starts in the time of its snapshot and tail', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-million-'))
  try {
    const empty = await LmdbJournal.open({ folder })
    await fill(empty, 'long', 0, eventsMax)
    await fill(empty, 'short', 0, tail)
    await empty.close()
    const whole = await firstCall(folder, 'long')
    expect(whole).toMatchObject({ count: eventsMax, events: eventsMax })
    const journal = await LmdbJournal.open({ folder })
    await fill(journal, 'long', eventsMax, eventsMax + tail)
    await journal.close()
    const again = await firstCall(folder, 'long')
    expect(again).toMatchObject({ count: eventsMax + tail, events: tail })
    const short = await firstCall(folder, 'short')
    expect(short).toMatchObject({ count: tail, events: tail })
    expect(again.ms).toBeLessThan(whole.ms / 10)
    printFigures('a million events', {
      allEventsMs: Math.round(whole.ms),
      ...{ snapshotAndTailMs: Math.round(again.ms), shortStreamMs: Math.round(short.ms) },
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
