/**
 * Remembers which members were given up of late: a call that was on its way to one of them gets no answer, and by the time
 * its caller gives up its entity lives elsewhere, in good health.
 */
import type { Cluster } from '../cluster/index.ts'
import type { Clock } from '../foundation/clock.ts'
import type { NodeId } from '../foundation/node-id.ts'

const rememberedMax = 10

export class LostMembers {
  readonly #clock: Clock
  /** Oldest first. */
  readonly #lost: { readonly node: NodeId; readonly atMs: number }[] = []

  constructor(cluster: Pick<Cluster, 'self' | 'follow'>, clock: Clock) {
    this.#clock = clock
    cluster.follow((event) => {
      if (event.type !== 'MemberRemoved' || event.previousStatus !== 'Down') return
      if (event.member.node === cluster.self) return
      this.#lost.push({ node: event.member.node, atMs: clock.monotonicMs() })
      if (this.#lost.length > rememberedMax) this.#lost.shift()
    })
  }

  /** A whole sentence with a space before it; empty when there was none so lately. */
  inWords(withinMs: number): string {
    const sinceMs = this.#clock.monotonicMs() - withinMs
    const lost = this.#lost.filter(({ atMs }) => atMs >= sinceMs).map(({ node }) => node)
    if (lost.length === 0) return ''
    const were = lost.length === 1 ? 'was' : 'were'
    return ` While the call waited, ${lost.join(' and ')} ${were} removed from the cluster: if it was on its way there, it is lost.`
  }
}
