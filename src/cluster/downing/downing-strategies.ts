/** The strategies that can be chosen, by their names in the settings. */
import type { DowningSettings } from './downing-settings.ts'
import type { DowningStrategy } from './downing-strategy.ts'
import { keepMajority } from './keep-majority.ts'

export type DowningStrategyName = 'keep-majority'

const strategies: Readonly<
  Record<DowningStrategyName, (settings: DowningSettings) => DowningStrategy>
> = {
  'keep-majority': keepMajority,
}

export const downingStrategyNames = Object.keys(strategies) as DowningStrategyName[]

export function strategyOf(settings: DowningSettings): DowningStrategy {
  return strategies[settings.strategy](settings)
}
