/** What the people of the workshop say to each other. `letter` names what the ledger follows. */
import type { ActorRef } from '../../src/actor/index.ts'

/** Customer -> desk: please make this. */
export interface Order {
  readonly type: 'Order'
  readonly letter: string
  readonly replyTo: ActorRef<Answer>
}

/** Desk -> bench: one attempt at an order. */
export interface Job {
  readonly type: 'Job'
  readonly letter: string
  readonly replyTo: ActorRef<Answer>
}

/** Bench -> desk -> customer: how it went. */
export interface Answer {
  readonly type: 'Made' | 'Refused'
  readonly letter: string
}

/** Bench -> store: material for a piece, please. */
export interface Fetch {
  readonly type: 'Fetch'
  readonly replyTo: ActorRef<{ readonly type: 'Material' }>
}

/** Scenario -> desk: these benches are open. */
export interface BenchesOpened {
  readonly type: 'BenchesOpened'
  readonly benches: readonly ActorRef<ToBench>[]
}

export type ToBench =
  | Job
  /** To itself: the tools are ready. */
  | { readonly type: 'Warm' }
  /** To itself: the tools have gone cold. */
  | { readonly type: 'Cold' }

export type ToDesk =
  | Order
  | BenchesOpened
  /** To itself: a bench answered. */
  | { readonly type: 'Answered'; readonly order: Order; readonly answer: Answer }
  /** To itself: a bench did not answer; the order has been tried so many times. */
  | { readonly type: 'Unanswered'; readonly order: Order; readonly attempt: number }
  | { readonly type: 'Tick' }
