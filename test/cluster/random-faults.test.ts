import { expect, test } from 'vitest'
import { randomRun } from './random-faults.ts'

const from = Number(process.env['CLUSTER_SEED'] ?? 1)
const count = Number(process.env['CLUSTER_SEEDS'] ?? 300)

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
  if (count >= 300) expect([...struck.keys()].sort()).toHaveLength(9)
  expect(removals).toBeGreaterThan(count)
  console.info({ count, removals, excuses, extinct, faults: Object.fromEntries(struck) })
  expect(excuses).toBeLessThanOrEqual(count / 20)
  expect(extinct).toBeLessThanOrEqual(count / 20)
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
