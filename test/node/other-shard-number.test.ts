/** The number of shards belongs to the store: nobody starts with another one, and the store says so when no node is left that could. */
import { describe, expect, test } from 'vitest'
import { defineEntity, IncompatibleSettings } from '../../src/index.ts'
import { nodeFor, refusalOf, temporaryFolder } from './nodes.ts'

const counting = (name: string, numberOfShards: number) =>
  defineEntity(name, {
    numberOfShards,
    state: () => ({ count: 0 }),
    events: { Incremented: (state) => ({ count: state.count + 1 }) },
    commands: { increment: (self) => self.persist('Incremented').count },
  })

const ids = Array.from({ length: 40 }, (_, index) => `c${index}`)
const Other = counting('Other', 4)

describe('after a restart of all nodes', () => {
  test.each([32, 8])('a node with %s shards instead of 16 does not start', async (number) => {
    const store = { folder: temporaryFolder() }
    const Counter = counting('Counter', 16)
    const entities = [Other, Counter]
    const first = await nodeFor({ entities, store })
    for (const id of ids) await first.entity(Counter, id).increment()
    await first.entity(Other, 'o').increment()
    await first.stop()

    const Changed = counting('Counter', number)
    const error = await refusalOf({ entities: [Other, Changed], store })
    expect(error).toBeInstanceOf(IncompatibleSettings)
    for (const words of ['entity Counter', `is ${number}`, 'has 16', 'set numberOfShards to 16']) {
      expect(error.message).toContain(words)
    }
    expect(error.message).not.toContain('entity Other')

    const again = await nodeFor({ entities, store })
    expect(await again.entity(Counter, 'c1').increment()).toBe(2)
    expect(await again.entity(Other, 'o').increment()).toBe(2)
  })
})
