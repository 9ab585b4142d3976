/** One node of the cluster: with the role `counting` it hosts counters, without it routes to them. */
import { type SherdNode, startNode } from '../../src/index.ts'
import { MemoryJournal, type MemoryStore } from '../../src/persistence/index.ts'
import { supervised } from './supervisor.ts'
import type { Named, ToCounter, ToRegion } from './messages.ts'

/** Equal on every node. */
const type = {
  entityType: 'Counter',
  role: 'counting',
  /** Envelopes are understood besides. */
  extractEntityId: (message: ToRegion) => (message as Named).counter,
}

/** In earnest the store is a folder or a database that all nodes share, and the journal is opened from it. */
export async function startCountingNode(
  store: MemoryStore,
  seeds: readonly string[],
): Promise<SherdNode> {
  const journal = new MemoryJournal({ store })
  return startNode({
    ...{ store: journal, seeds, roles: ['counting'] },
    beforeJoin: ({ sharding }) =>
      void sharding.start<ToRegion, ToCounter>({
        ...type,
        behavior: (entity) => supervised(entity, journal),
        stopMessage: { type: 'Stop' },
        // Counters rest by a timeout of their own.
        passivation: 'off',
      }),
  })
}

export async function startProxyNode(
  store: MemoryStore,
  seeds: readonly string[],
): Promise<SherdNode> {
  return startNode({
    ...{ store: new MemoryJournal({ store }), seeds },
    beforeJoin: ({ sharding }) => void sharding.startProxy<ToRegion, ToCounter>(type),
  })
}
