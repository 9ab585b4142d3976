/**
 * Stands in for a disk: what is stored here survives its account. (Actors that store what happens to them are planned;
 * until then, storing is the program's business.)
 */
import type { Receipt } from './messages.ts'

export class Vault {
  readonly #pages: readonly Page[]

  constructor(accounts: number, coins: number) {
    this.#pages = Array.from({ length: accounts }, () => new Page(coins))
  }

  page(account: number): Page {
    const page = this.#pages[account]
    if (page === undefined) throw new RangeError(`there is no account ${account}`)
    return page
  }
}

/** What is stored for one account. */
export class Page {
  /** By teller. A teller has one booking at a time, so the last one is enough. */
  readonly lastReceipts = new Map<string, Receipt>()
  #balance: number

  constructor(balance: number) {
    this.#balance = balance
  }

  get balance(): number {
    return this.#balance
  }

  /** Takes a moment, as disks do; then the change and its receipt are there, both or neither. */
  async store(change: number, teller: string, receipt: Receipt): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#balance += change
    this.lastReceipts.set(teller, receipt)
  }
}
