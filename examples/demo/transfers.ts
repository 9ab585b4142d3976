/**
 * Money on its way, and the ledger of what was acknowledged. The ledger knows what every account must hold in the end,
 * how many bookings it must have made, and a seal over exactly these bookings: one that is missing, doubled or of another
 * amount breaks the seal, even where the sums agree.
 */

/** A teller works on one transfer at a time, and numbers them upwards. */
export interface Transfer {
  readonly teller: string
  readonly number: number
  readonly from: string
  readonly to: string
  readonly amount: number
}

/** The part of a transfer that one account books. */
export type Order = Pick<Transfer, 'teller' | 'number' | 'amount'>

export type Outcome = 'done' | 'refused'

/** What an account says about itself. */
export interface Statement {
  readonly balance: number
  readonly bookings: number
  readonly seal: number
}

/** The statement after one more booking; `amount` is below zero where money leaves. */
export function booked(before: Statement, order: Order, amount: number): Statement {
  return {
    balance: before.balance + amount,
    bookings: before.bookings + 1,
    seal: (before.seal + markOf(`${order.teller}/${order.number}/${amount}`)) >>> 0,
  }
}

export class Ledger {
  readonly #expected: Map<string, Statement>
  readonly coins: number
  #done = 0
  #refused = 0

  /** Begins with what was in the accounts. */
  constructor(opening: ReadonlyMap<string, Statement>) {
    this.#expected = new Map(opening)
    this.coins = sumOf(opening)
  }

  /** What every account must hold by what was acknowledged so far. */
  get expected(): ReadonlyMap<string, Statement> {
    return new Map(this.#expected)
  }

  get done(): number {
    return this.#done
  }

  get refused(): number {
    return this.#refused
  }

  acknowledge(transfer: Transfer, outcome: Outcome): void {
    if (outcome === 'refused') {
      this.#refused++
      return
    }
    this.#done++
    this.#book(transfer.from, transfer, -transfer.amount)
    this.#book(transfer.to, transfer, transfer.amount)
  }

  /** Everything that is wrong with the accounts now that no transfer is under way; empty when the books balance. */
  audit(closing: ReadonlyMap<string, Statement>): string[] {
    const problems: string[] = []
    const coins = sumOf(closing)
    if (coins !== this.coins)
      problems.push(`there should be ${this.coins} coins, there are ${coins}`)
    for (const [account, expected] of this.#expected) {
      const found = closing.get(account)
      const problem = found === undefined ? 'is missing' : problemWith(found, expected)
      if (problem !== undefined) problems.push(`${account} ${problem}`)
    }
    return problems
  }

  #book(account: string, order: Order, amount: number): void {
    const before = this.#expected.get(account)
    if (before === undefined) throw new RangeError(`there is no account ${account}`)
    this.#expected.set(account, booked(before, order, amount))
  }
}

function problemWith(found: Statement, expected: Statement): string | undefined {
  if (found.balance < 0) return `is overdrawn: ${found.balance}`
  if (found.balance !== expected.balance) {
    return `holds ${found.balance} and should hold ${expected.balance}`
  }
  if (found.bookings !== expected.bookings) {
    return `was booked ${found.bookings} times and should have been ${expected.bookings} times`
  }
  return found.seal === expected.seal ? undefined : 'has other bookings than those acknowledged'
}

function sumOf(statements: ReadonlyMap<string, Statement>): number {
  return [...statements.values()].reduce((sum, { balance }) => sum + balance, 0)
}

/** FNV-1a: 32 bits that differ for nearly every two texts. */
function markOf(text: string): number {
  let mark = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193)
  }
  return mark >>> 0
}
