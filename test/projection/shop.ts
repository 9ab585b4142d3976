/** Carts and orders for the tests of projections, and a store that is filled without running them. */
import { defineEntity } from '../../src/entity/index.ts'
import { MemoryJournal, MemoryStore, persistenceIdOf } from '../../src/persistence/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'

export const Cart = defineEntity('Cart', {
  state: () => ({ items: 0 }),
  events: {
    Added: (state, _item: string, count: number) => ({ items: state.items + count }),
    Ordered: (_state) => ({ items: 0 }),
  },
  upcast: {
    // As it was called once, before several could be added.
    Put: (item: string) => ['Added', item, 1],
    Twice: (item: string) => [
      ['Added', item, 1],
      ['Added', item, 1],
    ],
    Forgotten: () => [],
  },
  commands: {
    add: (self, item: string, count: number) => self.persist('Added', item, count).items,
    order: (self) => self.persist('Ordered').items,
  },
})

export const Order = defineEntity('Order', {
  state: () => ({}),
  events: { Paid: (state, _amount: number) => state },
  commands: { pay: (self, amount: number) => void self.persist('Paid', amount) },
})

const codec = new ValueCodec({ use: 'stored' })

/** A store that several journals share, as processes do. */
export class Shop {
  readonly store = new MemoryStore({ storeId: 'shop' })
  readonly journal = new MemoryJournal({ store: this.store })

  /** Stores events as this or an earlier version would have. */
  async did(
    entityType: string,
    id: string,
    events: readonly (readonly [string, ...unknown[]])[],
    tags: readonly string[] = [],
  ): Promise<void> {
    const persistenceId = persistenceIdOf(entityType, id)
    const { epoch, highestSequenceNr } = await this.journal.claim(persistenceId, 'test')
    await this.journal.append({
      ...{ persistenceId, epoch, expectedSequenceNr: highestSequenceNr },
      events: events.map((event) => ({ bytes: codec.encode(event, 'event'), tags })),
    })
  }

  added(id: string, item: string, count = 1): Promise<void> {
    return this.did('Cart', id, [['Added', item, count]])
  }
}
