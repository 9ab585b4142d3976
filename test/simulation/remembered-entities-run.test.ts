import { expect, test } from 'vitest'
import type { NodeId } from '../../src/foundation/node-id.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { EntityStarted, EntityStopped } from '../../src/sharding/index.ts'
import {
  type RememberedEvent,
  rememberedProtocol,
} from '../../src/sharding/remembering/remembered-wire.ts'
import { RememberedEntitiesRun } from '../../src/simulation/internals.ts'
import { life, Notebook } from './notebook.ts'

const unstored = 'R1: an entity runs only when it is remembered'

function bytesOf(event: RememberedEvent): Uint8Array {
  return new ValueCodec({ use: 'stored' }).encode(rememberedProtocol().pack(event))
}

function news(entityId: string, instance = 1) {
  return { entityType: 'Cart', node: 'a:1#1' as NodeId, shard: 3, entityId, instance }
}

function checkerOf(notebook: Notebook, excuse?: () => string | undefined) {
  const checker = new RememberedEntitiesRun(notebook, excuse)
  checker.watch('Cart')
  const store = (type: RememberedEvent['type'], ...ids: readonly string[]): void =>
    checker.stored('$remembered|Cart/3', [bytesOf({ type, ids })])
  return { checker, store }
}

test('finds an entity that starts before that is stored, or in another shard, unless two homes are excused', () => {
  const notebook = new Notebook()
  const { checker, store } = checkerOf(notebook)
  store('EntitiesRemembered', 'ann')
  checker.started(life('a#1'), new EntityStarted(news('ann')))
  expect(notebook.found).toEqual([])
  checker.started(life('a#1'), new EntityStarted(news('bob')))
  expect(notebook.found).toEqual([unstored])
  checker.started(life('a#1'), new EntityStarted({ ...news('ann', 2), shard: 4 }))
  expect(notebook.found).toEqual([unstored, unstored])
  const excused = new Notebook()
  const other = checkerOf(excused, () => 'links that stall').checker
  other.started(life('a#1'), new EntityStarted(news('bob')))
  expect(excused.found).toEqual([])
})

test('says who is remembered and does not run, and who runs and is not remembered', () => {
  const { checker, store } = checkerOf(new Notebook())
  const a = life('a#1')
  store('EntitiesRemembered', 'ann', 'bob')
  checker.started(a, new EntityStarted(news('ann')))
  checker.started(a, new EntityStarted(news('bob')))
  expect([...checker.problems()]).toEqual([])
  checker.stopped(a, new EntityStopped(news('ann')))
  expect([...checker.problems()]).toEqual(['Cart/ann is remembered by shard 3 and does not run'])
  store('EntitiesForgotten', 'ann', 'bob')
  expect([...checker.problems()]).toEqual(['Cart/bob runs and is not remembered'])
  a.isAlive = false
  expect([...checker.problems()]).toEqual([])
})
