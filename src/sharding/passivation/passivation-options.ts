/** What a type of entities can say about who rests, and when: its next message brings an entity back. */

/**
 * `'off'`: entities rest only when they ask for it. Otherwise after an idle time, or so that no more than so many are active on
 * a node, or both. When nothing is said, the setting `passivateIdleAfterMs` holds.
 */
export type Passivation = 'off' | IdlePassivation | LimitedPassivation

export interface IdlePassivation {
  /** Idle time after which an entity rests, found late by up to half of it; the setting `passivateIdleAfterMs` when not given. */
  readonly idleAfterMs?: number | undefined
  readonly activeEntityLimit?: undefined
}

export interface LimitedPassivation {
  /**
   * Entities of this type that may be active on one node. Its shards have equal parts of it, in whole entities and at least one
   * each; so a shard with many busy entities may be short of places while another has some left. More than that can be active
   * for as long as entities take to stop.
   */
  readonly activeEntityLimit: number
  /**
   * Who rests when there is no room for a new one; `'adaptive'` when not given, which suits most traffic. Or:
   * `'least-recently-used'`, for traffic where what was used lately is used again soon; the same in `segments`, when many are
   * used only once; `'most-recently-used'`, for loops over more than there is room for; `'least-frequently-used'`, for a few
   * that are popular for ever, or with `dynamicAging` for a while.
   */
  readonly replacement?: Replacement | undefined
  /** A place has to be earned; everybody gets one when not given. Part of `'adaptive'` already. */
  readonly admission?: EntityAdmission | undefined
  /** Idle time after which an entity rests even though there is room. When not given, only room counts. */
  readonly idleAfterMs?: number | undefined
}

/** `'adaptive'` is a segmented main area behind a window that finds its size, with a frequency sketch between: W-TinyLFU. */
export type Replacement = 'adaptive' | ReplacementPolicyName | ReplacementOptions

export type ReplacementPolicyName = ReplacementOptions['policy']

export type ReplacementOptions =
  | {
      readonly policy: 'least-recently-used'
      /** Lists one above the other: each use lifts an entity by one, and who rests is of the lowest. 1 when not given. */
      readonly segments?: number | undefined
      /** The share of each segment, the lowest first; equal when not given. `[0.2, 0.8]` keeps most for those used again. */
      readonly proportions?: readonly number[] | undefined
    }
  | { readonly policy: 'most-recently-used' }
  | {
      readonly policy: 'least-frequently-used'
      /** What was popular once is outlived. Off when not given. */
      readonly dynamicAging?: boolean | undefined
    }

export interface EntityAdmission {
  /** Where newcomers stay first; when not given, they ask for a place at once. */
  readonly window?: AdmissionWindow | undefined
  /** Who leaves the window gets a place only if it was used more often than who would go for it. Always when not given. */
  readonly filter?: 'frequency-sketch' | Partial<FrequencySketchFilter> | undefined
}

export interface AdmissionWindow {
  readonly policy: ReplacementPolicyName | ReplacementOptions
  /** Its share of all places; 0.01 when not given. A larger one suits bursts. */
  readonly proportion?: number | undefined
  /** Bounds for an optimizer; 0.01 and 1 when not given. */
  readonly minProportion?: number | undefined
  readonly maxProportion?: number | undefined
  /** Finds the share by the hit rate. None when not given. */
  readonly optimizer?: 'hill-climbing' | Partial<HillClimbingOptimizer> | undefined
}

export interface FrequencySketchFilter {
  /** Rows, 1 to 4; 4 when not given. More make the estimate better, and cost memory and time. */
  readonly depth: number
  /** Bits of one counter: 2, 4, 8, 16 or 32; 4 when not given, which count to 15. */
  readonly counterBits: number
  /** Counters of a row per entity that may be active; 4 when not given. Rounded up to a power of two. */
  readonly widthMultiplier: number
  /** Counts are halved after so many uses per entity that may be active; 10 when not given. */
  readonly resetMultiplier: number
}

export interface HillClimbingOptimizer {
  /** Uses from one step to the next, per entity that may be active; 10 when not given. */
  readonly adjustMultiplier: number
  /** The first step, as a share of all places; 0.0625 when not given. */
  readonly initialStep: number
  /** A change of the hit rate from which on steps are as large as the first again; 0.05 when not given. */
  readonly restartThreshold: number
  /** By how much a step is smaller than the one before, while little changes; 0.98 when not given. */
  readonly stepDecay: number
}

export const defaultFilter: FrequencySketchFilter = {
  depth: 4,
  counterBits: 4,
  widthMultiplier: 4,
  resetMultiplier: 10,
}

export const defaultOptimizer: HillClimbingOptimizer = {
  adjustMultiplier: 10,
  initialStep: 0.0625,
  restartThreshold: 0.05,
  stepDecay: 0.98,
}

export const defaultWindow = { proportion: 0.01, minProportion: 0.01, maxProportion: 1 } as const

/** What `'adaptive'` is. */
export const adaptive = {
  replacement: { policy: 'least-recently-used', proportions: [0.2, 0.8] },
  admission: {
    window: { policy: 'least-recently-used', optimizer: 'hill-climbing' },
    filter: 'frequency-sketch',
  },
} as const satisfies Omit<LimitedPassivation, 'activeEntityLimit'>
