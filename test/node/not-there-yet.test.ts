/** What is not there yet, asked for below the door of `defineEntity` and `startNode`. */
import { describe, expect, test } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import { EntityTypeKey } from '../../src/sharding/index.ts'
import { nodeFor } from './nodes.ts'

const notThereYet = (option: string) =>
  expect.objectContaining({ code: 'NOT_THERE_YET', option: `\`${option}\`` }) as Error

describe('what is not there yet is refused, not passed over', () => {
  test.each(['dataCenter', 'stateStoreMode'])('by sharding.init: %s', async (option) => {
    const { sharding } = await nodeFor({ store: 'memory' })
    const key = new EntityTypeKey<string>('Cart')
    const given = { key, behavior: () => Behaviors.ignore, [option]: true }
    expect(() => sharding.init(given)).toThrow(notThereYet(option))
    const settings = { [option]: true }
    const within = { key, behavior: () => Behaviors.ignore, settings }
    expect(() => sharding.init(within)).toThrow(notThereYet(`settings.${option}`))
    expect([...sharding.entityTypes]).toEqual([])
  })
})

test('the data center of a singleton is that of its node: whoever asks for another is told where to look', async () => {
  const { singletons } = await nodeFor({ store: 'memory' })
  const given = { name: 'clerk', behavior: () => Behaviors.ignore, dataCenter: 'eu-1' }
  expect(() => singletons.start(given)).toThrow('`settings.cluster.dataCenter`')
})
