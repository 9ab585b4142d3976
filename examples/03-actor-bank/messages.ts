/** What is said in the bank. */
import type { ActorRef } from '../../src/index.ts'

/** Teller -> account: change the balance by `amount`, below zero to take. Said twice, it is done once. */
export interface Book {
  readonly type: 'Book'
  readonly teller: string
  /** Grows with every booking of this teller. */
  readonly order: number
  readonly amount: number
  readonly replyTo: ActorRef<Receipt>
}

/** Account -> teller: done, or refused for lack of money. */
export interface Receipt {
  readonly type: 'Receipt'
  readonly order: number
  readonly isBooked: boolean
}

/** Bank -> account: how much is there? */
export interface GetBalance {
  readonly type: 'GetBalance'
  readonly replyTo: ActorRef<number>
}

/** Saboteur -> account: fail at your next booking, before it is stored or after. */
export interface Sabotage {
  readonly type: 'Sabotage'
  readonly moment: 'before' | 'after'
}

export type ToAccount = Book | GetBalance | Sabotage

export type ToTeller =
  /** To itself: serve somebody. */
  | { readonly type: 'NextCustomer' }
  /** Bank -> teller: finish, then go home. */
  | { readonly type: 'CloseCounter' }

export type ToBookkeeper =
  /** Teller -> bookkeeper: the money has arrived. */
  | {
      readonly type: 'Transferred'
      readonly from: number
      readonly to: number
      readonly amount: number
    }
  /** Teller -> bookkeeper: there was not enough money. */
  | { readonly type: 'Refused' }
  /** Teller -> bookkeeper: no answer came, so it asks again. */
  | { readonly type: 'AskedAgain' }
  /** Account -> bookkeeper: it failed, and will be back. */
  | { readonly type: 'AccountFailed' }
  | GetTotals

/** Anybody -> bank -> bookkeeper: how does it go? */
export interface GetTotals {
  readonly type: 'GetTotals'
  readonly replyTo: ActorRef<Totals>
}

/** Bookkeeper -> whoever asks: everything so far. */
export interface Totals {
  readonly transferred: number
  readonly refused: number
  readonly askedAgain: number
  readonly failures: number
  /** By account: what was brought minus what was taken. */
  readonly changes: readonly number[]
}

export type ToBank =
  /** Operator -> bank: no more customers. Answered when the last teller has gone home and the money is counted. */
  | { readonly type: 'Close'; readonly replyTo: ActorRef<Statement> }
  /** To itself: a teller has gone home. */
  | { readonly type: 'TellerGone' }
  | GetTotals

/** Bank -> operator: what is in the accounts, and what the books say about it. */
export interface Statement {
  readonly balances: readonly number[]
  readonly totals: Totals
}
