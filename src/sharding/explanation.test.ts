import { expect, test } from 'vitest'
import { addressOfNode } from '../foundation/node-id.ts'
import { type EntityExplanation, withAnswers } from './explanation.ts'
import type { EntityReported, ShardHistory } from './sharding-messages.ts'

const [a, b, c] = [1, 2, 3].map((each) => `10.0.0.${each}:2552#000000000000000${each}`) as [
  ...[string, string, string],
]
const moves = [{ from: b, to: c, epoch: 9, why: 'rebalance', agoMs: 5 }] as const
const told: ShardHistory = {
  ...{ type: 'ShardHistory', term: 1, ask: 1, shard: 7, home: c, epoch: 9 },
  ...{ isMoving: false, whyHere: 'It had the fewest shards.', moves },
}
const report: EntityReported = {
  ...{ type: 'EntityReported', ask: 1, phase: 'running', epoch: 9, isRunning: true },
  ...{ waiting: 3, buffered: 0 },
}

/** As node a explains it, which believes that the shard is at `home`. */
function explained(home: string, answers: Readonly<Record<string, EntityReported>>) {
  const found: EntityExplanation = {
    ...{ entityType: 'Cart', entityId: 'ada', shard: 7, home, homeAddress: addressOfNode(home) },
    ...{ isHere: home === a, epoch: 4, phase: 'running', isRunning: true, waiting: 8 },
    ...{ buffered: 0, text: '' },
  }
  const region = { questions: { historyOf: () => Promise.resolve(told) } }
  const inspector = { entityAt: (node: string) => Promise.resolve(answers[node]) }
  return withAnswers(found, { self: a, region, inspector }, 1_000)
}

test('a later home that the coordinator knows is told with its reason, and is asked', async () => {
  const gone = { ...report, phase: 'absent', epoch: undefined, isRunning: false, waiting: 0 }
  expect(await explained(b, { [b]: gone, [c]: report })).toMatchObject({
    ...{ home: c, homeAddress: addressOfNode(c), isHere: false, epoch: 9, phase: 'running' },
    ...{ isRunning: true, waiting: 3, whyHere: told.whyHere },
  })
})

test('nothing that was known of the former home is told of a later one that is silent', async () => {
  const silent = await explained(a, {})
  expect(silent).toMatchObject({ home: c, isHere: false, epoch: 9, silent: ['home'] })
  expect(silent).not.toHaveProperty('isRunning')
  expect(silent).not.toHaveProperty('phase')
  expect(silent).not.toHaveProperty('waiting')
})
