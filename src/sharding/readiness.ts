/**
 * Whether the types of a node can be called, for those who send it traffic. A type is ready when its region knows its
 * coordinator. It stays ready from then on, since the loss of a coordinator must not take all nodes out of service; and it
 * counts as ready when the node is long enough in the cluster, since a type that is new in a rolling upgrade may have its
 * coordinator only after the last node was replaced.
 *
 *   joining ──Up, or on its way out──▶ waiting ──registered, or time is up──▶ ready
 *      └──(never ready)                   └──refused──▶ not ready, as long as it is
 */
import type { Member } from '../cluster/index.ts'

/** What a region says about itself, asked now. */
export interface RegionStanding {
  readonly isRegistered: boolean
  readonly refusal: string | undefined
  readonly trouble: string | undefined
}

export interface TypeReadiness {
  readonly entityType: string
  readonly isReady: boolean
  /** Why it is, or is not, in words. */
  readonly reason: string
}

/** All of it is plain data, to be sent as JSON. */
export interface Readiness {
  readonly isReady: boolean
  readonly types: readonly TypeReadiness[]
}

export interface TypeReadinessLook {
  readonly now: number
  /** Of this node, as the cluster knows it; undefined when it is no member. */
  readonly status: Member['status'] | undefined
  readonly timeoutMs: number
  /** Asked only where its answer counts. */
  readonly standing: () => RegionStanding
}

/** Of one type, from the first look on. */
export class TypeReady {
  readonly #entityType: string
  #isLatched = false
  /** Of the first look at which this node was a member. */
  #memberSince: number | undefined

  constructor(entityType: string) {
    this.#entityType = entityType
  }

  look({ now, status, timeoutMs, standing }: TypeReadinessLook): TypeReadiness {
    if (this.#isLatched)
      return this.#say(true, 'a coordinator has taken the region of this node in')
    if (status === undefined || status === 'Joining' || status === 'Down') {
      const being = status === undefined ? 'is no member of the cluster' : `is ${status}`
      return this.#say(false, `this node ${being}`)
    }
    this.#memberSince ??= now
    const { isRegistered, refusal, trouble } = standing()
    if (refusal !== undefined) return this.#say(false, `the region was refused: ${refusal}`)
    if (isRegistered) {
      this.#isLatched = true
      return this.#say(true, 'a coordinator has taken the region of this node in')
    }
    const lacking = `no coordinator has taken the region of this node in yet${trouble === undefined ? '' : `: ${trouble}`}`
    if (now - this.#memberSince < timeoutMs) return this.#say(false, lacking)
    return this.#say(
      true,
      `${lacking}; after readinessTimeoutMs, ${timeoutMs} ms, that does not count`,
    )
  }

  #say(isReady: boolean, reason: string): TypeReadiness {
    return { entityType: this.#entityType, isReady, reason }
  }
}
