import { expect, test } from 'vitest'
import type { Journal } from '../../src/persistence/index.ts'
import { add, countOf, hostCounters } from './counter.ts'
import { play } from './scene.ts'

type Call = 'claim' | 'read' | 'append'

const isOfCoordinator = (persistenceId: string): boolean => persistenceId.startsWith('$coordinator')

/** Never answers the first call of this kind that the coordinator makes, and all others at once. */
function silentOnce(journal: Journal, silent: Call): { journal: Journal; calls: Call[] } {
  const calls: Call[] = []
  const answers = (call: Call, persistenceId: string): boolean => {
    if (!isOfCoordinator(persistenceId)) return true
    calls.push(call)
    return call !== silent || calls.filter((made) => made === call).length > 1
  }
  const never = new Promise<never>(() => undefined)
  return {
    calls,
    journal: {
      claim: (id, writer) => (answers('claim', id) ? journal.claim(id, writer) : never),
      append: (batch) => (answers('append', batch.persistenceId) ? journal.append(batch) : never),
      read: (range, onEvent) =>
        answers('read', range.persistenceId) ? journal.read(range, onEvent) : never,
      highestSequenceNr: (id) => journal.highestSequenceNr(id),
      close: () => journal.close(),
    },
  }
}

test.each(['claim', 'append'] as const)(
  'a coordinator whose %s is never answered gives up, and the next one takes over',
  async (silent) => {
    await play(async (scene) => {
      let calls: Call[] = []
      const node = await scene.start('a', {
        sharding: { storeTimeoutMs: 3_000 },
        journal: (real) => {
          const made = silentOnce(real, silent)
          calls = made.calls
          return made.journal
        },
        init: (starting) => hostCounters(starting),
      })
      add(node, 'x', 1)
      expect((await scene.settle(countOf(node, 'x'))).count).toBe(1)
      expect(scene.simulation.now).toBeGreaterThanOrEqual(3_000)
      expect(calls.filter((call) => call === 'claim')).toHaveLength(2)
    })
  },
)
