/** Entities to be weighed: plain actors in shards, and durable ones made by `defineEntity`. */
import { Behaviors } from '../src/actor/index.ts'
import { defineEntity, startNode } from '../src/index.ts'
import type { Journal } from '../src/persistence/index.ts'
import type { Countdown } from './countdown.ts'
import type { Population } from './heap.ts'
import { logger } from './quiet-system.ts'
import { accounts, startMember } from './sharded-shape.ts'

/** Answers at once and keeps nothing. */
const forgetful: Journal = {
  claim: async () => ({ epoch: 1, highestSequenceNr: 0 }),
  append: async ({ expectedSequenceNr, events }) => ({
    type: 'Appended',
    highestSequenceNr: expectedSequenceNr + events.length,
  }),
  read: async () => undefined,
  highestSequenceNr: async () => 0,
  close: async () => undefined,
}

export async function idleSharded(countdown: Countdown): Promise<Population> {
  const { sharding } = await startMember()
  const behavior = Behaviors.receiveMessage(countdown.one)
  sharding.init({ key: accounts, behavior: () => behavior })
  // Its first message starts an entity, so there is nothing to do before.
  return {
    spawn: () => undefined,
    greet: (index) => {
      sharding.entityRefFor(accounts, `account-${index}`).tell({ type: 'add', by: 1 })
    },
  }
}

const Account = defineEntity('Account', {
  state: () => ({ balance: 0 }),
  events: { Deposited: (state, coins: number) => ({ balance: state.balance + coins }) },
  commands: {
    deposit: (self, coins: number) => self.persist('Deposited', coins).balance,
    balance: (self) => self.state.balance,
  },
  numberOfShards: 100,
  passivateAfter: 'never',
})

export async function idleDefined(countdown: Countdown): Promise<Population> {
  const node = await startNode({ entities: [Account], store: forgetful, environment: { logger } })
  return {
    spawn: () => undefined,
    greet: (index) => void node.entity(Account, `account-${index}`).balance().then(countdown.one),
  }
}
