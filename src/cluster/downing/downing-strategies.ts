/** The strategies that can be chosen, by their names in the settings. */
import type { DowningSettings } from './downing-settings.ts'
import type { DowningStrategy } from './downing-strategy.ts'
import { keepMajority } from './keep-majority.ts'

const strategies = {
  'keep-majority': keepMajority,
} satisfies Record<string, (settings: DowningSettings) => DowningStrategy>

export type DowningStrategyName = keyof typeof strategies

export const downingStrategyNames: readonly string[] = Object.keys(strategies)

export function strategyOf(settings: DowningSettings): DowningStrategy {
  return strategies[settings.strategy](settings)
}
