import { expect, test } from 'vitest'
import { cases } from '../how-long.ts'
import { randomRun } from './random-faults.ts'

const from = Number(process.env['CLUSTER_SEED'] ?? 1)
const count = Number(process.env['CLUSTER_SEEDS'] ?? cases({ short: 40, full: 1_000 }))

test.each([false, true])(
  `${count} random runs break no promise, and every cluster becomes whole again; with a shared store: %s`,
  (hasStore) => play(hasStore),
  600_000,
)

function play(hasStore: boolean): void {
  const struck = new Map<string, number>()
  let removals = 0
  let extinct = 0
  let excuses = 0
  for (let seed = from; seed < from + count; seed++) {
    const { network, faults, isExtinct } = seeded(seed, hasStore)
    if (isExtinct) extinct++
    for (const kind of faults) struck.set(kind, (struck.get(kind) ?? 0) + 1)
    removals += network.checks.removals
    excuses += network.checks.excuses
  }
  if (count >= 100) expect([...struck.keys()].sort()).toHaveLength(hasStore ? 10 : 9)
  expect(removals).toBeGreaterThan(count)
  console.info({ count, removals, excuses, extinct, faults: Object.fromEntries(struck) })
  // Few seeds have as many now and then.
  const rare = Math.max(count / 20, 10)
  expect(excuses).toBeLessThanOrEqual(rare)
  // The store decides for somebody whenever somebody is left.
  expect(extinct).toBeLessThanOrEqual(hasStore ? count / 50 : rare)
}

test('the same seed is the same run', () => {
  const story = () => randomRun(7).network.nodes.map(({ id, events }) => [id, events])
  expect(JSON.stringify(story())).toBe(JSON.stringify(story()))
})

function seeded(seed: number, hasStore: boolean) {
  try {
    return randomRun(seed, hasStore)
  } catch (error) {
    throw new Error(`CLUSTER_SEED=${seed} CLUSTER_SEEDS=1: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
