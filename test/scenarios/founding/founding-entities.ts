/** What lives in the cluster of the founding scenario: counters that keep nothing, and counters that keep events. */
import { defineEntity } from '../../../src/entity/index.ts'
import type { Simulation } from '../../../src/simulation/index.ts'

export type FoundingEntities = ReturnType<typeof foundingEntities>

/** `acted` hears of every command, and in which life of a node it is handled; `suffix` is for a data center with its own types. */
export function foundingEntities(
  simulation: Simulation,
  acted: (label: string, entityType: string, entityId: string) => void,
  suffix = '',
) {
  const [plainName, durableName] = [`Plain${suffix}`, `Durable${suffix}`]
  const plain = defineEntity(plainName, {
    state: () => ({ count: 0 }),
    commands: {
      add: (self, by: number): number => {
        acted(simulation.here, plainName, self.id)
        self.state.count += by
        return self.state.count
      },
    },
  })
  const durable = defineEntity(durableName, {
    state: () => ({ count: 0 }),
    events: { Added: (state, by: number) => ({ count: state.count + by }) },
    commands: {
      add: (self, by: number): number => {
        acted(simulation.here, durableName, self.id)
        return self.persist('Added', by).count
      },
    },
  })
  return { plain, durable }
}
