/**
 * What options and settings are called in other implementations of cluster sharding, and were called there before: whoever brings
 * one along is told what it is here. Names that differ in their spelling only are found without this list.
 */

const called = (name: string, and = ''): string => `is called \`${name}\` here${and}`
const settings = ', among the settings of sharding'
const ofDefinition = ', in the definition of the type'

const threshold =
  'is an option of `ThresholdLeastShardAllocationStrategy`, which goes into `allocationStrategy`'
const theStore = 'is not needed: all nodes share one `store` of startNode'
const majorities = 'is not needed: what a coordinator decides is in the `store`, not in memory'
const health = 'is `sharding.isReady()` here, with the setting `readinessTimeoutMs`'
const singleton = 'is in `settings.singleton` of startNode: `restartMinMs`, `restartMaxMs`'
const recovery =
  'is the settings `entityRecoveryEntitiesMax` (Infinity: all at once) and `entityRecoveryIntervalMs` here'

/** By their names in configuration files. */
const settingNames: Readonly<Record<string, string>> = {
  'passivate-idle-entity-after': called('passivateIdleAfterMs', settings),
  'buffer-size': called('bufferedMessagesMax', ', and `entityBufferedMessagesMax` for each shard'),
  'shard-start-timeout': called('retryIntervalMs', settings),
  'coordinator-failure-backoff': singleton,
  'coordinator-singleton': singleton,
  'coordinator-singleton-role-override': called('coordinatorRole', ofDefinition),
  'rebalance-absolute-limit': called('rebalanceShardsMax', settings),
  'rebalance-relative-limit': called('rebalanceShareMax', settings),
  'rebalance-threshold': threshold,
  'max-simultaneous-rebalance': threshold,
  'least-shard-allocation-strategy':
    'is the settings `rebalanceShardsMax` and `rebalanceShareMax` here',
  'external-shard-allocation-strategy':
    'is `new ExternalShardAllocationStrategy({ timeoutMs })` here, in `allocationStrategy`',
  'waiting-for-state-timeout': called('storeTimeoutMs', ', and `rememberLoadTimeoutMs` of shards'),
  'updating-state-timeout': called('storeTimeoutMs', ', and `rememberUpdateTimeoutMs` of shards'),
  'shard-region-query-timeout': called('queryTimeoutMs', settings),
  'entity-recovery-strategy': recovery,
  'entity-recovery-constant-rate-strategy': recovery,
  'snapshot-after': called('snapshotAfterEvents', settings),
  'keep-nr-of-batches': 'is not needed: two snapshots are kept, and the events since the older',
  'journal-plugin-id': theStore,
  'snapshot-plugin-id': theStore,
  'remember-entities-store': theStore,
  'coordinator-state': majorities,
  'write-majority-plus': majorities,
  'read-majority-plus': majorities,
  'use-dispatcher': 'is not needed: there is one event loop',
  'use-lease': called('lease', ofDefinition),
  'verbose-debug-logging': 'is not needed: give the level to the `logger`',
  'fail-on-invalid-entity-state-transition': 'is not needed: that is always an error',
  healthcheck: health,
  'disabled-after': called('readinessTimeoutMs', settings),
  'min-nr-of-members': called('minMembers', settings),
  'guardian-name': 'is not needed: entities are found by type and id',
}

/** What the functions that start a type are given there. */
const definitionNames: Readonly<Record<string, string>> = {
  handOffStopMessage: called('stopMessage'),
  messageExtractor: called('extractor'),
  typeName: called('entityType', ', and in `init` it is in the `key`'),
  typeKey: called('key'),
  createBehavior: called('behavior'),
  entityProps: called('behavior', ': a function that makes it'),
  props: called('behavior', ': a function that makes it'),
  passivationStrategy: called('passivation'),
}

const camelCase = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** What to say of each after its name, as it stands in configuration files and as it would in code. */
export const formerNames: ReadonlyMap<string, string> = new Map([
  ...Object.entries(definitionNames),
  ...Object.entries(settingNames).flatMap(([name, words]): [string, string][] => [
    [name, words],
    [camelCase(name), words],
  ]),
])
