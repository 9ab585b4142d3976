/**
 * The tellers' desk: who moves which money, and through which node. A teller has one transfer at a time; customers come
 * whether or not others still wait, so more tellers are busy while accounts are away. When the node that carries a
 * transfer out is gone, it is given to another; accounts book it once, however often it is asked for.
 */
import type { Transfer } from './transfers.ts'

export interface DeskOptions {
  readonly accounts: readonly string[]
  /** At most so many transfers are under way; further customers are turned away at the door. */
  readonly tellers: number
  /** Where the numbers of transfers begin: above all that were ever used with this store. */
  readonly firstNumber: number
  /** From 0 to 1. */
  readonly random: () => number
}

/** A transfer, and the node that shall carry it out. */
export interface Assignment {
  readonly node: string
  readonly transfer: Transfer
}

interface Teller {
  readonly name: string
  transfer: Transfer | undefined
  node: string | undefined
  /** When its customer came. */
  sinceMs: number
}

export class Desk {
  readonly #options: DeskOptions
  readonly #tellers: readonly Teller[]
  /** Nodes that take work. */
  readonly #open = new Set<string>()
  #number: number
  #longestMs = 0
  #isClosing = false

  constructor(options: DeskOptions) {
    this.#options = options
    this.#number = options.firstNumber
    this.#tellers = Array.from({ length: options.tellers }, (_, index) => ({
      name: `teller-${index + 1}`,
      transfer: undefined,
      node: undefined,
      sinceMs: 0,
    }))
  }

  get underWay(): Transfer[] {
    return this.#tellers.flatMap(({ transfer }) => transfer ?? [])
  }

  /** The longest that a customer waited, those included who still do. */
  longestWaitMs(nowMs: number): number {
    const busy = this.#tellers.filter(({ transfer }) => transfer !== undefined)
    return Math.max(this.#longestMs, ...busy.map(({ sinceMs }) => nowMs - sinceMs))
  }

  /** This node takes work from now on; answers what has been waiting for a node. */
  opened(node: string): Assignment[] {
    this.#open.add(node)
    return this.#assignAll()
  }

  /** This node takes no work any more. What it had is given to others when `isGone`, and finished by it otherwise. */
  closed(node: string, isGone: boolean): Assignment[] {
    this.#open.delete(node)
    if (!isGone) return []
    for (const teller of this.#tellers) {
      if (teller.node === node) teller.node = undefined
    }
    return this.#assignAll()
  }

  /** Whether this was news: another node may have finished the same transfer before. */
  finished(transfer: Transfer, nowMs: number): boolean {
    const teller = this.#tellers.find(({ name }) => name === transfer.teller)
    if (teller?.transfer?.number !== transfer.number) return false
    this.#longestMs = Math.max(this.#longestMs, nowMs - teller.sinceMs)
    teller.transfer = undefined
    teller.node = undefined
    return true
  }

  /** The transfer of the next customer, unless all tellers are busy, the desk closes or no node is open. */
  next(nowMs: number): Assignment | undefined {
    // The first that is free: in quiet times few tellers do all the work, and accounts need to remember few.
    const teller = this.#tellers.find(({ transfer }) => transfer === undefined)
    if (teller === undefined) return undefined
    teller.sinceMs = nowMs
    return this.#assign(teller)
  }

  /** No new transfers; those under way go on. */
  close(): void {
    this.#isClosing = true
  }

  #assignAll(): Assignment[] {
    return this.#tellers
      .filter(({ transfer, node }) => transfer !== undefined && node === undefined)
      .map((teller) => this.#assign(teller))
      .filter((assignment) => assignment !== undefined)
  }

  #assign(teller: Teller): Assignment | undefined {
    const node = this.#idlest()
    if (node === undefined || (teller.transfer === undefined && this.#isClosing)) return undefined
    teller.node = node
    teller.transfer ??= this.#invent(teller.name)
    return { node, transfer: teller.transfer }
  }

  #idlest(): string | undefined {
    const loads = [...this.#open].map(
      (node) => [this.#tellers.filter((each) => each.node === node).length, node] as const,
    )
    return loads.sort(([a], [b]) => a - b)[0]?.[1]
  }

  #invent(teller: string): Transfer {
    const { accounts, random } = this.#options
    const from = Math.floor(random() * accounts.length)
    const step = 1 + Math.floor(random() * (accounts.length - 1))
    return {
      teller,
      number: this.#number++,
      from: accounts[from]!,
      to: accounts[(from + step) % accounts.length]!,
      amount: 1 + Math.floor(random() * 100),
    }
  }
}
