import { expect, test } from 'vitest'
import { ActiveEntities } from '../passivation/active-entities.ts'
import { makeStrategy } from '../passivation/make-strategy.ts'
import { Entities, type Entity } from './entities.ts'
import { LimitedEntities } from './limited-entities.ts'

type Anyone = Entity<never, never>

function oneAtATime() {
  const entities = new Entities<never, never>(0)
  const strategy = makeStrategy({ replacement: 'least-recently-used' })
  const limited = new LimitedEntities(entities, new ActiveEntities(strategy, 1))
  return { limited, make: (id: string): Anyone => entities.add(id, true, 0) }
}

test('one that had to go may be taken out once more, and come back', () => {
  const { limited, make } = oneAtATime()
  const [a, b] = [make('a'), make('b')]
  expect(limited.add(a)).toEqual([])
  expect(limited.add(b)).toEqual([a])
  limited.remove(a)
  expect(limited.add(a)).toEqual([b])
})

test('a use of one that had to go since is not taken for one of who came in its place', () => {
  const { limited, make } = oneAtATime()
  const [a, b, c] = [make('a'), make('b'), make('c')]
  limited.add(a)
  limited.touch(a)
  expect(limited.add(b)).toEqual([a])
  limited.touch(a)
  limited.limitTo(2)
  limited.settle()
  expect(limited.add(c)).toEqual([])
  limited.touch(b)
  expect(limited.add(a)).toEqual([c])
})

test('however many uses there are before anybody comes, the order of all of them counts', () => {
  const { limited, make } = oneAtATime()
  const [a, b, c] = [make('a'), make('b'), make('c')]
  limited.limitTo(2)
  limited.settle()
  for (const each of [a, b]) limited.add(each)
  for (let turn = 0; turn < 1000; turn++) limited.touch(turn % 2 === 0 ? b : a)
  limited.touch(b)
  expect(limited.add(c)).toEqual([a])
})
