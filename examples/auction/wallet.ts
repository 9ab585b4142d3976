/**
 * A wallet: what somebody has, and what of it is held for bids. Every command names what it is for, and the wallet remembers
 * the names: an errand that is run twice, by a process that was killed and by the one that took over, is booked once.
 */
import { defineEntity } from '../../src/index.ts'

export interface WalletState {
  /** Free to be held or taken out. */
  readonly balance: number
  /** Held for bids, by the name of the bid. */
  readonly held: ReadonlyMap<string, number>
  /** All that was ever booked, by name, with the answer it got. */
  readonly booked: ReadonlyMap<string, 'yes' | 'no'>
}

const booked = (state: WalletState, name: string, answer: 'yes' | 'no') =>
  new Map(state.booked).set(name, answer)

function withoutHold({ held }: WalletState, bid: string): ReadonlyMap<string, number> {
  return new Map([...held].filter(([each]) => each !== bid))
}

export const Wallet = defineEntity('Wallet', {
  state: (): WalletState => ({ balance: 0, held: new Map(), booked: new Map() }),
  events: {
    PaidIn: (state, name: string, amount: number) => ({
      ...state,
      balance: state.balance + amount,
      booked: booked(state, name, 'yes'),
    }),
    Held: (state, bid: string, amount: number) => ({
      balance: state.balance - amount,
      held: new Map(state.held).set(bid, amount),
      booked: booked(state, `hold ${bid}`, 'yes'),
    }),
    // A refusal is stored as well: the same errand must not succeed when it is run again after money has come in.
    HoldRefused: (state, bid: string) => ({
      ...state,
      booked: booked(state, `hold ${bid}`, 'no'),
    }),
    Released: (state, bid: string) => ({
      balance: state.balance + (state.held.get(bid) ?? 0),
      held: withoutHold(state, bid),
      booked: booked(state, `end ${bid}`, 'yes'),
    }),
    Spent: (state, bid: string) => ({
      ...state,
      held: withoutHold(state, bid),
      booked: booked(state, `end ${bid}`, 'yes'),
    }),
  },
  commands: {
    payIn: (self, name: string, amount: number) => {
      if (!(amount > 0)) throw new RangeError('pay in more than nothing')
      if (!self.state.booked.has(name)) self.persist('PaidIn', name, amount)
    },
    /** Whether there was enough. */
    hold: (self, bid: string, amount: number): 'yes' | 'no' => {
      const before = self.state.booked.get(`hold ${bid}`)
      if (before !== undefined) return before
      if (self.state.balance < amount) {
        self.persist('HoldRefused', bid)
        return 'no'
      }
      self.persist('Held', bid, amount)
      return 'yes'
    },
    /** Gives back what was held for a bid. */
    release: (self, bid: string) => {
      if (!self.state.booked.has(`end ${bid}`)) self.persist('Released', bid)
    },
    /** Takes what was held for a bid that has won. */
    spend: (self, bid: string) => {
      if (!self.state.booked.has(`end ${bid}`)) self.persist('Spent', bid)
    },
    look: (self) => ({
      balance: self.state.balance,
      held: [...self.state.held.values()].reduce((sum, amount) => sum + amount, 0),
    }),
  },
})
