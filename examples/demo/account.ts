/**
 * An account: a durable entity that lives once in the cluster, wherever that is. Nothing here knows about nodes, moves or
 * retries. A teller who got no answer asks again; the account remembers the last order of each teller, so that an order
 * given twice is booked once.
 */
import { defineEntity } from '../../src/index.ts'
import { type Order, type Statement, booked } from './transfers.ts'

/** `late` orders are older than what their teller has sent since: repeated by a node that slept. They change nothing. */
export type Receipt = 'booked' | 'refused' | 'late'

interface LastOrder {
  readonly number: number
  readonly receipt: 'booked' | 'refused'
}

interface AccountState {
  readonly statement: Statement
  /** By teller. */
  readonly last: Readonly<Record<string, LastOrder>>
}

const openingBalance = 1_000

export const Account = defineEntity('Account', {
  numberOfShards: 30,
  state: (): AccountState => ({
    statement: { balance: openingBalance, bookings: 0, seal: 0 },
    last: {},
  }),
  events: {
    Withdrawn: (state, order: Order) => ({
      statement: booked(state.statement, order, -order.amount),
      last: { ...state.last, [order.teller]: { number: order.number, receipt: 'booked' } },
    }),
    Deposited: (state, order: Order) => ({
      statement: booked(state.statement, order, order.amount),
      last: { ...state.last, [order.teller]: { number: order.number, receipt: 'booked' } },
    }),
    // A refusal is stored as well: the same order must not succeed when it is repeated after money has come in.
    Refused: (state, order: Order) => ({
      ...state,
      last: { ...state.last, [order.teller]: { number: order.number, receipt: 'refused' } },
    }),
  },
  commands: {
    withdraw: (self, order: Order): Receipt => {
      const known = knownReceipt(self.state, order)
      if (known !== undefined) return known
      const isEnough = self.state.statement.balance >= order.amount
      self.persist(isEnough ? 'Withdrawn' : 'Refused', order)
      return isEnough ? 'booked' : 'refused'
    },
    deposit: (self, order: Order): Receipt => {
      const known = knownReceipt(self.state, order)
      if (known !== undefined) return known
      self.persist('Deposited', order)
      return 'booked'
    },
    statement: (self): Statement => self.state.statement,
  },
})

function knownReceipt({ last }: AccountState, { teller, number }: Order): Receipt | undefined {
  const known = last[teller]
  if (known === undefined || known.number < number) return undefined
  return known.number === number ? known.receipt : 'late'
}
