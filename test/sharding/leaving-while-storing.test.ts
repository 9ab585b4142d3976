import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Journal } from '../../src/persistence/index.ts'
import { add, countOf, hostCounters } from './counter.ts'
import { play } from './scene.ts'

const APPEND_MS = 1_000

/** What the store said to the coordinator, which waits long for it. */
function slow(journal: Journal, answers: string[]): Journal {
  return {
    claim: (id, writer) => journal.claim(id, writer),
    append: async (batch) => {
      const isOfCoordinator = batch.persistenceId.startsWith('$coordinator')
      if (isOfCoordinator) await pause(APPEND_MS)
      const result = await journal.append(batch)
      if (isOfCoordinator) answers.push(result.type)
      return result
    },
    read: (range, onEvent) => journal.read(range, onEvent),
    highestSequenceNr: (id) => journal.highestSequenceNr(id),
    close: () => journal.close(),
  }
}

test('a coordinator whose node leaves finishes the write under way before the next one claims', async () => {
  await play(async (scene) => {
    const answers: string[] = []
    const init = hostCounters
    const a = await scene.start('a', { init, journal: (real) => slow(real, answers) })
    const b = await scene.start('b', { init })
    // Both regions are known.
    await scene.simulation.run({ for: 3 * APPEND_MS })
    const before = answers.length
    add(b, 'x', 1)
    await scene.simulation.run({ for: 50 })
    void a.system.terminate()
    expect((await scene.settle(countOf(b, 'x'))).count).toBe(1)
    expect(answers.length).toBeGreaterThan(before)
    expect(new Set(answers)).toEqual(new Set(['Appended']))
  })
})
