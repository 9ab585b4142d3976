/**
 * Connections that have not said yet, with proof, who they are. Where no more have room, one of them goes for each that
 * comes: a stranger of the host that has the most, rather one that did not even greet us than one that is proving itself,
 * rather an old one than a new one. So who merely sits there keeps nobody out, and a node that calls has its time.
 */

export interface Stranger {
  /** Where it comes from: host and port. */
  readonly from: string
  /** It has greeted us as a node would, and has not failed yet. */
  readonly isGreeting: boolean
}

/** Of one host; up to so many, none counts as crowding others out: nodes may share it, and each opens several. */
const fairShare = 8

export class Strangers<S extends Stranger> {
  /** Oldest first. */
  readonly #strangers = new Set<S>()

  get count(): number {
    return this.#strangers.size
  }

  add(stranger: S): void {
    this.#strangers.add(stranger)
  }

  delete(stranger: S): void {
    this.#strangers.delete(stranger)
  }

  /** Who goes first, and how many there are of its host; undefined when there is nobody. */
  first(): { readonly stranger: S; readonly share: number } | undefined {
    const shares = this.#shares()
    let first: { readonly stranger: S; readonly share: number } | undefined
    let firstRank = -1
    for (const stranger of this.#strangers) {
      const share = shares.get(hostOf(stranger.from)) ?? 0
      const rank = 2 * Math.max(share, fairShare) + (stranger.isGreeting ? 0 : 1)
      if (rank <= firstRank) continue
      first = { stranger, share }
      firstRank = rank
    }
    return first
  }

  #shares(): Map<string, number> {
    const shares = new Map<string, number>()
    for (const { from } of this.#strangers) {
      const host = hostOf(from)
      shares.set(host, (shares.get(host) ?? 0) + 1)
    }
    return shares
  }
}

export function hostOf(from: string): string {
  return from.slice(0, from.lastIndexOf(':'))
}
