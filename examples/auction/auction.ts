/**
 * An auction: takes bids until its time is over, and writes down what has to happen to the wallets of others. It calls nobody:
 * such an *errand* is stored with the bid that caused it, is run by whoever gets there (errands.ts), and is crossed out when it
 * is done. So no kill in between loses one.
 */
import { defineEntity } from '../../src/index.ts'

export interface Offer {
  readonly seller: string
  readonly item: string
  readonly closesAt: number
}

export interface Bid {
  /** Drawn by the client, so that a request sent twice is one bid. */
  readonly id: string
  readonly bidder: string
  readonly amount: number
}

/** What has to happen to a wallet. */
export interface Errand {
  readonly name: string
  readonly does: 'hold' | 'release' | 'spend' | 'payIn'
  readonly wallet: string
  readonly bid: string
  readonly amount: number
}

/** `asked`: whether the bidder has the money is being found out. */
export type Standing = 'asked' | 'leads' | 'outbid' | 'refused' | 'won'

interface AuctionState {
  readonly offer: Offer | undefined
  readonly bids: ReadonlyMap<string, Bid & { readonly standing: Standing }>
  readonly leader: string | undefined
  readonly isClosed: boolean
  readonly errands: ReadonlyMap<string, Errand>
}

class NoSuchAuction extends Error {
  readonly code = 'NO_SUCH_AUCTION'
}

class BidTooLow extends Error {
  readonly code = 'BID_TOO_LOW'
}

class AuctionClosed extends Error {
  readonly code = 'AUCTION_CLOSED'
}

type Does = Errand['does']

function withStanding(state: AuctionState, id: string, standing: Standing): AuctionState['bids'] {
  return new Map(state.bids).set(id, { ...state.bids.get(id)!, standing })
}

function withErrands(state: AuctionState, ...errands: readonly Errand[]): AuctionState['errands'] {
  return new Map([...state.errands, ...errands.map((each) => [each.name, each] as const)])
}

function errand(does: Does, { id, bidder, amount }: Bid, wallet = bidder): Errand {
  return { name: `${does} ${id}`, does, wallet, bid: id, amount }
}

const begun: AuctionState = {
  offer: undefined,
  bids: new Map(),
  leader: undefined,
  isClosed: false,
  errands: new Map(),
}

export const Auction = defineEntity('Auction', {
  state: (): AuctionState => begun,
  events: {
    Opened: (state, offer: Offer) => ({ ...state, offer }),
    Asked: (state, bid: Bid) => ({
      ...state,
      bids: new Map(state.bids).set(bid.id, { ...bid, standing: 'asked' }),
      errands: withErrands(state, errand('hold', bid)),
    }),
    Refused: (state, id: string) => ({ ...state, bids: withStanding(state, id, 'refused') }),
    /** The money is held: it leads, and whoever led before gets theirs back. */
    Led: (state, id: string) => {
      const before = state.leader === undefined ? undefined : state.bids.get(state.leader)
      const bids = withStanding(state, id, 'leads')
      if (before === undefined) return { ...state, leader: id, bids }
      return {
        ...state,
        leader: id,
        bids: withStanding({ ...state, bids }, before.id, 'outbid'),
        errands: withErrands(state, errand('release', before)),
      }
    },
    /** The money is held, but by now there is a higher bid, or the auction is over. */
    CameTooLate: (state, id: string) => ({
      ...state,
      bids: withStanding(state, id, 'outbid'),
      errands: withErrands(state, errand('release', state.bids.get(id)!)),
    }),
    Closed: (state) => {
      const winner = state.leader === undefined ? undefined : state.bids.get(state.leader)
      if (winner === undefined || state.offer === undefined) return { ...state, isClosed: true }
      return {
        ...state,
        isClosed: true,
        bids: withStanding(state, winner.id, 'won'),
        errands: withErrands(
          state,
          errand('spend', winner),
          errand('payIn', winner, state.offer.seller),
        ),
      }
    },
    CrossedOut: (state, name: string) => ({
      ...state,
      errands: new Map([...state.errands].filter(([each]) => each !== name)),
    }),
  },
  commands: {
    open: (self, offer: Offer) => {
      if (self.state.offer === undefined) self.persist('Opened', offer)
    },
    bid: (self, bid: Bid) => {
      const { offer, bids, leader, isClosed } = self.state
      if (offer === undefined) throw new NoSuchAuction(`there is no auction ${self.id}`)
      if (bids.has(bid.id)) return
      if (isClosed || self.now() >= offer.closesAt) throw new AuctionClosed('it is closed')
      const least = (leader === undefined ? 0 : bids.get(leader)!.amount) + 1
      if (bid.amount < least) throw new BidTooLow(`bid at least ${least}`)
      self.persist('Asked', bid)
    },
    /** Closes it when its time is over; true when nothing is left to do, then and later. */
    look: (self) => {
      const { offer, isClosed } = self.state
      if (offer !== undefined && !isClosed && self.now() >= offer.closesAt) self.persist('Closed')
      return self.state.isClosed && self.state.errands.size === 0
    },
    errands: (self) => [...self.state.errands.values()],
    /** An errand is done. A second time changes nothing. */
    done: (self, name: string, answer: 'yes' | 'no') => {
      const { errands, leader, bids, isClosed } = self.state
      const run = errands.get(name)
      if (run === undefined) return
      self.persist('CrossedOut', name)
      if (run.does !== 'hold') return
      const highest = leader === undefined ? 0 : bids.get(leader)!.amount
      if (answer === 'no') self.persist('Refused', run.bid)
      else if (isClosed || run.amount <= highest) self.persist('CameTooLate', run.bid)
      else self.persist('Led', run.bid)
    },
    standing: (self, id: string): Standing | undefined => self.state.bids.get(id)?.standing,
    show: (self) => {
      const { offer, leader, bids, isClosed } = self.state
      const highest = leader === undefined ? undefined : bids.get(leader)
      return {
        ...{ offer, isClosed, bids: bids.size },
        highest: highest && { bidder: highest.bidder, amount: highest.amount },
      }
    },
  },
})
