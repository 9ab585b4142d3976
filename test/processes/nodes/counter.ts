/** Durable counters with few shards, and a type of which nobody ever starts an entity. */
import { defineEntity } from '../../../src/entity/index.ts'

export const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Added: (state, by: number) => ({ count: state.count + by }) },
  commands: {
    add: (self, by: number) => self.persist('Added', by).count,
    get: (self) => self.state.count,
  },
  numberOfShards: 12,
})

export const Idle = defineEntity('Idle', {
  state: () => undefined,
  commands: {},
})
