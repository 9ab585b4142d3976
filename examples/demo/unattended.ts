/**
 * What happens when nobody is at the keys: a node is killed, another one joins, the oldest is killed, another one joins, a
 * node is drained, and so on until the time is over. A step waits for the cluster to be whole again: two of three nodes
 * killed at once would be a majority lost, and a bank that rightly stands still.
 */

export type Step = 'kill' | 'kill-oldest' | 'drain' | 'add'

export interface Situation {
  readonly elapsedMs: number
  /** Members that are Up, reachable and run. */
  readonly healthy: number
  /** Whether a process is starting or ending, or a member is not what its process is. */
  readonly isChanging: boolean
}

const steps: readonly Step[] = ['kill', 'add', 'kill-oldest', 'add', 'drain', 'add']
const healthyAtStart = 3
/** Nothing new is done so close to the end, apart from the first kill and the first join. */
const quietEndMs = 4_000

export class Unattended {
  readonly #everyMs: number
  readonly #lastMs: number
  #taken = 0

  constructor(seconds: number) {
    // Short runs get at least a kill and a join, long ones something new every few seconds.
    this.#everyMs = Math.min(6_000, (seconds * 1_000) / 4)
    this.#lastMs = seconds * 1_000 - quietEndMs
  }

  /** Undefined when nothing more is planned. */
  get nextStep(): Step | undefined {
    const isPlanned = this.#taken < 2 || this.#nextAtMs <= this.#lastMs
    return isPlanned ? steps[this.#taken % steps.length] : undefined
  }

  get #nextAtMs(): number {
    return (this.#taken + 1) * this.#everyMs
  }

  /** The step to take now, if any. */
  next({ elapsedMs, healthy, isChanging }: Situation): Step | undefined {
    const step = this.nextStep
    if (step === undefined || elapsedMs < this.#nextAtMs) return undefined
    // A new node may come at any time: it is let in when the cluster has made up its mind about the one that is gone.
    const isReady = step === 'add' || (healthy >= healthyAtStart && !isChanging)
    if (!isReady) return undefined
    this.#taken++
    return step
  }
}

export const stepInWords: Readonly<Record<Step, string>> = {
  kill: 'kill -9 of a node',
  'kill-oldest': 'kill -9 of the oldest node',
  drain: 'a node is drained',
  add: 'a node joins',
}
