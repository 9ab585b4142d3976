/** Options that people give to `defineEntity` and that belong elsewhere: so it can say where. */
import { actorSettingsTable } from '../actor/internals.ts'
import { placesOfSettings } from '../foundation/unknown-names.ts'
import { eventSourcedSettingsTable } from '../persistence/internals.ts'
import { formerNames, shardingSettingsTable } from '../sharding/internals.ts'

/** Those of `startNode`, but for the name, which an entity has as well. */
export const optionsOfNodes = Object.freeze([
  ...([
    'entities',
    'proxies',
    'projections',
    'host',
    'port',
    'advertised',
    'seeds',
    'discovery',
    'secret',
    'tls',
    'insecure',
  ] as const),
  ...(['roles', 'appVersion', 'store', 'logger', 'callTimeout', 'keepCallerContext'] as const),
  ...(['settings', 'environment', 'transport', 'beforeJoin'] as const),
] as const)

/** What is called so in sharding elsewhere, and is something else for an entity than for an actor with an id. */
const otherwiseInEntities: readonly (readonly [name: string, words: string])[] = [
  ...['passivateIdleEntityAfter', 'passivate-idle-entity-after'].map(
    (name) => [name, "is called `passivateAfter` here, as in passivateAfter: '2m'"] as const,
  ),
  ...['stopMessage', 'handOffStopMessage'].map(
    (name) => [name, 'is not needed: `self.signal` tells a command that it has to end'] as const,
  ),
  ...['extractor', 'messageExtractor', 'extractEntityId'].map(
    (name) =>
      [name, 'is not needed: a call names its entity, as in node.entity(Cart, id)'] as const,
  ),
  ...['typeName', 'typeKey', 'key'].map(
    (name) => [name, 'is the first argument of defineEntity'] as const,
  ),
  ...['behavior', 'createBehavior', 'entityProps', 'props'].map(
    (name) => [name, 'is `state` and `commands` here'] as const,
  ),
]

/** What to say of each, after its name. */
export const placesOfOthers: ReadonlyMap<string, string> = new Map([
  ...formerNames,
  ...placesOfSettings(actorSettingsTable, 'settings.actor of startNode'),
  ...placesOfSettings(shardingSettingsTable, 'settings.sharding of startNode'),
  ...placesOfSettings(eventSourcedSettingsTable, 'settings.entity of startNode'),
  ...optionsOfNodes.map((name) => [name, 'belongs to startNode, not to defineEntity'] as const),
  ...['retention', 'snapshotEvery', 'snapshotWhen'].map(
    (name) => [name, 'is `snapshots: { every: 100, keep: 2 }` here'] as const,
  ),
  ...otherwiseInEntities,
  ['durableState', 'is `durable: true` here'],
  ['name', 'is the first argument of defineEntity'],
  ['timeout', "belongs to a call, as in node.entity(Counter, id, { timeout: '5s' })"],
])
