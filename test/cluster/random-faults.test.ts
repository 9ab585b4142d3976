import { expect, test } from 'vitest'
import { cases } from '../how-long.ts'
import { randomRun } from './random-faults.ts'

const from = Number(process.env['CLUSTER_SEED'] ?? 1)
const count = Number(process.env['CLUSTER_SEEDS'] ?? cases({ short: 100, full: 1_000 }))

test(`${count} random runs break no promise, and every cluster becomes whole again`, () => {
  const struck = new Map<string, number>()
  let removals = 0
  let extinct = 0
  let excuses = 0
  for (let seed = from; seed < from + count; seed++) {
    const { network, faults, isExtinct } = seeded(seed)
    if (isExtinct) extinct++
    for (const kind of faults) struck.set(kind, (struck.get(kind) ?? 0) + 1)
    removals += network.checks.removals
    excuses += network.checks.excuses
  }
  if (count >= 100) expect([...struck.keys()].sort()).toHaveLength(9)
  expect(removals).toBeGreaterThan(count)
  console.info({ count, removals, excuses, extinct, faults: Object.fromEntries(struck) })
  // Few seeds have as many now and then.
  const rare = Math.max(count / 20, 10)
  expect(excuses).toBeLessThanOrEqual(rare)
  expect(extinct).toBeLessThanOrEqual(rare)
}, 600_000)

test('the same seed is the same run', () => {
  const story = () => randomRun(7).network.nodes.map(({ id, events }) => [id, events])
  expect(JSON.stringify(story())).toBe(JSON.stringify(story()))
})

function seeded(seed: number) {
  try {
    return randomRun(seed)
  } catch (error) {
    throw new Error(`CLUSTER_SEED=${seed} CLUSTER_SEEDS=1: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
