/** How what a type says must go together with its settings, and these with those of its node. Found before anything starts. */
import type { ActorSystem } from '../actor/index.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import { show } from '../foundation/show.ts'
import { defaultLeaseSettings } from '../lease/index.ts'
import { ExternalShardAllocationStrategy } from './allocation/external-shard-allocation-strategy.ts'
import { formerNames } from './former-names.ts'
import type { AnyDefinition } from './region-definition.ts'
import {
  shardingSettings,
  type ShardingSettings,
  shardingSettingsTable,
} from './sharding-settings.ts'

type OfNode = Partial<ShardingSettings> | undefined

/** Of the settings that a type has chosen, together with those of its node. */
export function problemsWithChosen(chosen: unknown, ofNode: OfNode, system: ActorSystem): string[] {
  const isFormless = chosen !== undefined && !isRecord(chosen)
  const whole = isFormless ? chosen : shardingSettings({ ...ofNode, ...chosen })
  const figures = {
    'actor.handlerStopTimeoutMs': system.settings.handlerStopTimeoutMs,
    'the time of the phase cluster-sharding-shutdown-region': system.shutdown.timeoutOf(
      'cluster-sharding-shutdown-region',
    ),
  }
  return shardingSettingsTable.problemsWith(whole, figures, '', formerNames)
}

/** Of a definition in which all is well for itself. Throws `InvalidSettings`. */
export function checkTogether(definition: AnyDefinition, ofNode: OfNode): void {
  const settings = shardingSettings({ ...ofNode, ...definition.settings })
  const problems = problemsTogether(definition, settings)
  if (problems.length > 0)
    throw new InvalidSettings(`The entity type ${show(definition.entityType)}`, problems)
}

/** Every problem; empty when all is well. */
export function problemsTogether(definition: AnyDefinition, settings: ShardingSettings): string[] {
  return [
    ...problemsOfExtractor(definition, settings),
    ...problemsOfStrategy(definition, settings),
    ...problemsOfLease(definition, settings),
  ]
}

/** Those of ours know for how many shards they are. */
function problemsOfExtractor({ extractor }: AnyDefinition, settings: ShardingSettings): string[] {
  const { numberOfShards } = settings
  const { numberOfShards: own } = (extractor ?? {}) as { readonly numberOfShards?: unknown }
  if (typeof own !== 'number' || own <= numberOfShards) return []
  return [
    `extractor is for ${own} shards, which must be at most numberOfShards (${numberOfShards}), or no message reaches the shards above that`,
  ]
}

function problemsOfStrategy(
  { allocationStrategy: strategy }: AnyDefinition,
  settings: ShardingSettings,
): string[] {
  const { strategyTimeoutMs, loadReportIntervalMs, rebalanceIntervalMs } = settings
  const problems: string[] = []
  if (
    strategy instanceof ExternalShardAllocationStrategy &&
    strategy.timeoutMs >= strategyTimeoutMs
  ) {
    problems.push(
      `timeoutMs of the allocation strategy (${strategy.timeoutMs}) must be less than strategyTimeoutMs (${strategyTimeoutMs}), or the default strategy decides before the store has answered`,
    )
  }
  if (strategy?.usesLoads === true && loadReportIntervalMs > rebalanceIntervalMs) {
    problems.push(
      `loadReportIntervalMs (${loadReportIntervalMs}) must be at most rebalanceIntervalMs (${rebalanceIntervalMs}), or shards are moved twice by the same figures`,
    )
  }
  return problems
}

/** A lease is given back before the shard can move. */
function problemsOfLease({ lease }: AnyDefinition, { handOffTimeoutMs }: ShardingSettings) {
  if (lease === undefined) return []
  const { operationTimeoutMs } = { ...defaultLeaseSettings, ...lease.settings }
  if (operationTimeoutMs < handOffTimeoutMs) return []
  return [
    `lease.settings.operationTimeoutMs (${operationTimeoutMs}) must be less than handOffTimeoutMs (${handOffTimeoutMs}), or a store that is slow fails a hand-off`,
  ]
}
