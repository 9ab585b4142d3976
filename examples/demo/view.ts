/** Everything the operator sees, as plain data: the screen and the printed lines are made from this and nothing else. */

export interface View {
  readonly elapsedMs: number
  readonly accounts: number
  readonly coins: number
  /** The last look into all accounts while money moves; undefined before the first. */
  readonly check: Check | undefined
  /** Oldest member first, then who is not a member yet. */
  readonly nodes: readonly NodeView[]
  readonly chosen: string | undefined
  readonly callsPerSecond: number
  /** Calls per second, a sample every half second, the newest last. */
  readonly history: readonly number[]
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
  readonly askedAgain: number
  /** The longest that a customer has waited. */
  readonly longestWaitMs: number
  readonly done: number
  readonly refused: number
  readonly underWay: number
  readonly moves: number
  readonly freezes: number
  readonly kills: number
  readonly joins: number
  /** The newest last. */
  readonly news: readonly News[]
  /** The last line: which keys there are, or what happens next by itself. */
  readonly footer: Footer
}

export interface Check {
  readonly atMs: number
  readonly isRight: boolean
}

export interface NodeView {
  readonly name: string
  readonly pid: number
  readonly process: 'starting' | 'running' | 'paused' | 'draining' | 'gone'
  /** As the others see it; undefined before it has asked to join. */
  readonly member: string | undefined
  readonly isReachable: boolean
  readonly isFrozen: boolean
  readonly isOldest: boolean
  /** Since it became Up. */
  readonly ageMs: number | undefined
  readonly shards: number
  readonly entities: number
  readonly callsPerSecond: number
}

export interface News {
  readonly atMs: number
  readonly text: string
  readonly mood: Mood
}

export type Mood = 'plain' | 'good' | 'warning' | 'bad'

export type Footer =
  | { readonly type: 'keys' }
  | { readonly type: 'unattended'; readonly text: string }
  | { readonly type: 'closing'; readonly text: string }
