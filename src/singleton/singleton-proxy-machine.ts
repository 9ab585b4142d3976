/**
 * Finds the instance of a singleton for one node, wherever it lives.
 *
 *   searching ──InstanceIsHere──▶ found ──it stops, terminates, or its node is removed──▶ searching
 *
 * What was found stays in use while it lives, also when its node is no longer the oldest: it may have work to finish.
 * Invariant: never goes back to an earlier term of those who are members, nor to one that has ended. Terms of removed nodes
 * do not count: the number that terms begin with may be given again, and the next instance would never be found.
 */
import type { Member } from '../cluster/index.ts'
import { unreachable } from '../foundation/assert.ts'
import type { NodeId } from '../foundation/node-id.ts'
import { oldestInService } from './oldest.ts'
import type { ProxyEffect, ProxyInput, ProxyOptions } from './singleton-proxy-inputs.ts'
import type { InstanceIsHere, WhereIsInstance } from './singleton-messages.ts'
import { heededTermLimit } from './singleton-terms.ts'

export class SingletonProxyMachine {
  readonly #options: ProxyOptions
  #members: readonly Member[] = []
  #oldest: NodeId | undefined
  #target: InstanceIsHere | undefined
  /** The last term that is known to have ended, anywhere and at any time. */
  #lastEnded = 0
  /** The same for each host that is a member. */
  readonly #ended = new Map<NodeId, number>()
  #isAsking = false

  constructor(options: ProxyOptions) {
    this.#options = options
  }

  step(input: ProxyInput): ProxyEffect[] {
    switch (input.type) {
      case 'MembersChanged':
        return this.#membersChanged(input.members)
      case 'InstanceIsHere':
        return this.#isHere(input)
      case 'InstanceStops':
        return this.#isOver(input)
      case 'TargetTerminated':
        return this.#target?.term === input.term ? this.#isOver(this.#target) : []
      case 'AskAgain':
        return this.#search()
      default:
        return unreachable(input)
    }
  }

  snapshot(): { readonly host: NodeId | undefined; readonly term: number } {
    return { host: this.#target?.from, term: this.#target?.term ?? 0 }
  }

  #membersChanged(members: readonly Member[]): ProxyEffect[] {
    const { self } = this.#options
    const wasMember = this.#knows(self)
    const oldest = this.#oldest
    this.#members = members
    const own = members.find(({ node }) => node === self)
    if (own === undefined ? wasMember : own.status === 'Removed')
      return [...this.#rest(), { type: 'Close' }]
    this.#oldest = oldestInService(members, this.#options.hosts)
    for (const host of this.#ended.keys()) if (!this.#knows(host)) this.#ended.delete(host)
    const target = this.#target
    if (target !== undefined && !this.#knows(target.from)) return this.#isOver(target)
    return this.#oldest === oldest ? [] : this.#search()
  }

  #isHere(found: InstanceIsHere): ProxyEffect[] {
    const { from, instance, term } = found
    const isNews = term > Math.max(0, this.#target?.term ?? 0, ...this.#ended.values())
    if (!isNews || !this.#knows(from)) return []
    this.#target = found
    this.#noteEnd(from, term - 1)
    return [{ type: 'Use', instance, term }, ...this.#search()]
  }

  #isOver({ from, term }: { readonly from: NodeId; readonly term: number }): ProxyEffect[] {
    this.#noteEnd(from, term)
    if (this.#target?.from !== from || this.#target.term !== term) return []
    this.#target = undefined
    return [{ type: 'Forget' }, ...this.#search()]
  }

  #noteEnd(host: NodeId, term: number): void {
    // A higher one is not gone above, and would hide the others.
    if (term < heededTermLimit) this.#lastEnded = Math.max(this.#lastEnded, term)
    if (this.#knows(host)) this.#ended.set(host, Math.max(term, this.#ended.get(host) ?? 0))
  }

  /** Asks the oldest, again and again, unless the instance is known to be there. */
  #search(): ProxyEffect[] {
    const oldest = this.#oldest
    if (oldest === undefined || this.#target?.from === oldest) return this.#rest()
    this.#isAsking = true
    const { self: from, retryIntervalMs: delayMs } = this.#options
    const message: WhereIsInstance = { type: 'WhereIsInstance', from, term: this.#lastEnded }
    return [
      { type: 'Send', to: oldest, message },
      { type: 'StartTimer', delayMs },
    ]
  }

  #rest(): ProxyEffect[] {
    if (!this.#isAsking) return []
    this.#isAsking = false
    return [{ type: 'CancelTimer' }]
  }

  #knows(node: NodeId): boolean {
    return this.#members.some((member) => member.node === node)
  }
}
