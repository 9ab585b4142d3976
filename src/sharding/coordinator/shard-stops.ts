/**
 * Who wants which shards to be stopped, and what became of each. Every request is answered once all its shards have an
 * outcome; who asks again, because the answer was lost, gets the same one.
 *
 *   wanted ──not at home anywhere──▶ not-running
 *      ├──its life ended, by whatever──▶ stopped
 *      └──the hand-off was given up──▶ timed-out
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { ShardStop } from '../shard-stop.ts'
import type { StopShards } from '../sharding-messages.ts'
import type { SendToRegion } from './coordinator-inputs.ts'

/** Answers kept for those who ask again. */
const answersMax = 100

export interface ShardStopsOptions {
  readonly term: number
  /** Why nothing may be stopped; undefined when it may. */
  readonly refusal: string | undefined
  /** Whether the shard has a home, and its life is not over. */
  readonly isAtHome: (shard: ShardId) => boolean
}

interface Request {
  readonly region: NodeId
  readonly ask: number
  readonly open: Set<ShardId>
  readonly stops: ShardStop[]
}

export class ShardStops {
  readonly #options: ShardStopsOptions
  readonly #requests = new Map<string, Request>()
  readonly #answered = new Map<string, SendToRegion>()

  constructor(options: ShardStopsOptions) {
    this.#options = options
  }

  /** The shards that are to be stopped for it now, and what can be said at once. */
  request({ region, ask, shards }: StopShards): {
    readonly wanted: readonly ShardId[]
    readonly effects: readonly SendToRegion[]
  } {
    const key = `${region}/${ask}`
    const known = this.#answered.get(key)
    if (known !== undefined) return { wanted: [], effects: [known] }
    // It will be answered.
    if (this.#requests.has(key)) return { wanted: [], effects: [] }
    const request: Request = { region, ask, open: new Set(), stops: [] }
    const { refusal, isAtHome } = this.#options
    for (const shard of new Set(shards)) {
      if (refusal !== undefined) {
        request.stops.push({ shard, outcome: 'refused', reason: refusal })
      } else if (isAtHome(shard)) request.open.add(shard)
      else request.stops.push({ shard, outcome: 'not-running' })
    }
    this.#requests.set(key, request)
    return { wanted: [...request.open], effects: this.#finish(key, request) }
  }

  /** What became of a shard that may be wanted. */
  ended(stop: ShardStop): SendToRegion[] {
    if (this.#requests.size === 0) return []
    return [...this.#requests].flatMap(([key, request]) => {
      if (!request.open.delete(stop.shard)) return []
      request.stops.push(stop)
      return this.#finish(key, request)
    })
  }

  /** Nobody there waits any more. */
  forget(region: NodeId): void {
    for (const [key, request] of this.#requests) {
      if (request.region === region) this.#requests.delete(key)
    }
  }

  #finish(key: string, { region, ask, open, stops }: Request): SendToRegion[] {
    if (open.size > 0) return []
    this.#requests.delete(key)
    const { term } = this.#options
    const message = { type: 'ShardsStopped', term, ask, stops } as const
    const effect: SendToRegion = { type: 'Send', to: region, message }
    this.#answered.set(key, effect)
    for (const oldest of this.#answered.keys()) {
      if (this.#answered.size <= answersMax) break
      this.#answered.delete(oldest)
    }
    return [effect]
  }
}
