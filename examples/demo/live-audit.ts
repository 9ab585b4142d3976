/**
 * Checks all accounts while money moves. An account that was asked must hold what was acknowledged before the question,
 * plus a choice of the bookings that were under way meanwhile: its seal tells which, so nothing else can pass.
 */
import { type Order, type Statement, type Transfer, booked } from './transfers.ts'

/** One side of a transfer, which may or may not have been booked when the account answered. */
interface Leg {
  readonly order: Order
  readonly amount: number
}

/** Beyond these there are too many choices to try: the account is left for the next round. */
const legsMax = 14

export interface Judgement {
  /** In words, one per account that nothing explains. */
  readonly problems: readonly string[]
  /** Accounts with too much under way to tell. */
  readonly undecided: number
}

export class LiveAudit {
  readonly #expected: ReadonlyMap<string, Statement>
  readonly #legs = new Map<string, Leg[]>()

  /** Begins when the accounts are asked, with what is acknowledged and what is under way then. */
  constructor(expected: ReadonlyMap<string, Statement>, underWay: Iterable<Transfer>) {
    this.#expected = expected
    for (const transfer of underWay) this.begun(transfer)
  }

  /** This may be booked before the accounts answer. */
  begun(transfer: Transfer): void {
    this.#add(transfer.from, { order: transfer, amount: -transfer.amount })
    this.#add(transfer.to, { order: transfer, amount: transfer.amount })
  }

  judge(found: ReadonlyMap<string, Statement>): Judgement {
    const problems: string[] = []
    let undecided = 0
    for (const [account, expected] of this.#expected) {
      const statement = found.get(account)
      const legs = this.#legs.get(account) ?? []
      if (statement === undefined) problems.push(`${account} is missing`)
      else if (legs.length > legsMax) undecided++
      else if (!isExplained(expected, statement, legs)) {
        problems.push(`${account} holds ${statement.balance}, which no transfer explains`)
      }
    }
    return { problems, undecided }
  }

  #add(account: string, leg: Leg): void {
    const legs = this.#legs.get(account)
    if (legs === undefined) this.#legs.set(account, [leg])
    else legs.push(leg)
  }
}

/** Whether some choice of these, added to what was there, makes what was found. */
function isExplained(before: Statement, found: Statement, legs: readonly Leg[]): boolean {
  const missing = found.bookings - before.bookings
  if (missing === 0) return before.balance === found.balance && before.seal === found.seal
  if (missing < 0 || missing > legs.length) return false
  const [leg, ...others] = legs
  return (
    isExplained(booked(before, leg!.order, leg!.amount), found, others) ||
    isExplained(before, found, others)
  )
}
