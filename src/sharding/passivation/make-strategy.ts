/** From what was said about a limit to the strategy of one shard. What was said has been checked. */
import { unreachable } from '../../foundation/assert.ts'
import { AdmittingStrategy, type WindowOptions } from './admitting-strategy.ts'
import { ByRecency } from './by-recency.ts'
import type { SketchOptions } from './frequency-sketch.ts'
import { LeastFrequentlyUsed } from './least-frequently-used.ts'
import {
  adaptive,
  type EntityAdmission,
  type AdmissionWindow,
  defaultFilter,
  defaultOptimizer,
  defaultWindow,
  type LimitedPassivation,
  type ReplacementOptions,
  type ReplacementPolicyName,
} from './passivation-options.ts'
import type { PassivationStrategy } from './passivation-strategy.ts'
import { RecencyLists } from './recency-lists.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import { ReplacingStrategy } from './replacing-strategy.ts'
import { SegmentedRecency } from './segmented-recency.ts'
import type { HillClimbing } from './window-optimizer.ts'

export function makeStrategy(
  given: Omit<LimitedPassivation, 'activeEntityLimit'>,
): PassivationStrategy {
  const { replacement = 'adaptive', admission } = given
  if (replacement === 'adaptive') return makeStrategy(adaptive)
  const lists = new RecencyLists()
  const main = makePolicy(replacement, lists)
  if (admission === undefined) return new ReplacingStrategy(main)
  const { window, filter } = admission
  return new AdmittingStrategy({
    main,
    window: window === undefined ? undefined : windowOf(window, lists),
    filter: filterOf(filter),
  })
}

function makePolicy(
  given: ReplacementPolicyName | ReplacementOptions,
  lists: RecencyLists,
): ReplacementPolicy {
  const options: ReplacementOptions = typeof given === 'string' ? { policy: given } : given
  switch (options.policy) {
    case 'least-recently-used': {
      const proportions = proportionsOf(options)
      return proportions.length < 2
        ? new ByRecency(lists, 'oldest')
        : new SegmentedRecency(lists, proportions)
    }
    case 'most-recently-used':
      return new ByRecency(lists, 'newest')
    case 'least-frequently-used':
      return new LeastFrequentlyUsed(lists, { dynamicAging: options.dynamicAging ?? false })
    default:
      return unreachable(options)
  }
}

function proportionsOf({
  segments = 1,
  proportions,
}: Extract<ReplacementOptions, { policy: 'least-recently-used' }>): readonly number[] {
  return proportions ?? Array.from({ length: segments }, () => 1 / segments)
}

function windowOf(given: AdmissionWindow, lists: RecencyLists): WindowOptions {
  const { proportion = defaultWindow.proportion, optimizer } = given
  const { minProportion = defaultWindow.minProportion } = given
  const { maxProportion = defaultWindow.maxProportion } = given
  const policy = makePolicy(given.policy, lists)
  return { policy, proportion, minProportion, maxProportion, optimizer: optimizerOf(optimizer) }
}

function optimizerOf(given: AdmissionWindow['optimizer']): HillClimbing | undefined {
  if (given === undefined) return undefined
  return given === 'hill-climbing' ? defaultOptimizer : completed(defaultOptimizer, given)
}

function filterOf(given: EntityAdmission['filter']): SketchOptions | undefined {
  if (given === undefined) return undefined
  return given === 'frequency-sketch' ? defaultFilter : completed(defaultFilter, given)
}

/** What is undefined is as if it were not given. */
function completed<Whole extends object>(defaults: Whole, given: Partial<Whole>): Whole {
  const chosen = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(chosen) }
}
