/**
 * Finds out when a node outside of this cluster writes to the same store: mostly a second process on the same folder that
 * was started without `seeds`, so that both are clusters of their own and take the entities from each other, and the streams
 * of their coordinators.
 */
import type { Cluster } from '../cluster/index.ts'
import type { Logger } from '../foundation/logger.ts'
import { show } from '../foundation/show.ts'

export class ForeignWriters {
  readonly #cluster: Pick<Cluster, 'isFrozen' | 'state'>
  readonly #log: Logger
  #isTold = false

  constructor(cluster: Pick<Cluster, 'isFrozen' | 'state'>, log: Logger) {
    this.#cluster = cluster
    this.#log = log
  }

  /** Of a writer that has taken a stream; undefined for members. Logs it once. */
  adviceOn(writer: string): string | undefined {
    const { isFrozen, state } = this.#cluster
    // Frozen, it may have missed who has come.
    if (isFrozen || state.members.some(({ node }) => node === writer)) return undefined
    const cutOff = [...state.unreachableDataCenters].map(show).join(', ')
    const elsewhere =
      cutOff === '' ? '' : ` It may also have joined data center ${cutOff}, which is cut off.`
    const advice = `${show(writer)} is not a member of this cluster: a node outside of it writes to the same store. Did you forget \`seeds\`? If it does not belong to this cluster, stop it or give it a store of its own.${elsewhere}`
    if (!this.#isTold) this.#log.warn({ writer }, advice)
    this.#isTold = true
    return advice
  }
}
