/** The settings of a whole node in one table: those of every part below it, and how they must go together. */
import type { ChosenClusterSettings, ClusterSettings } from '../cluster/index.ts'
import { clusterShutdownPhases, clusterSettingsTable } from '../cluster/internals.ts'
import { minutes, seconds } from '../foundation/duration.ts'
import type { EventSourcedSettings, LmdbSettings } from '../persistence/index.ts'
import { eventSourcedSettingsTable, lmdbSettingsTable } from '../persistence/internals.ts'
import type { ShardingSettings } from '../sharding/index.ts'
import {
  coordinatorAppendEventsMax,
  formerNames,
  shardingShutdownPhases,
  shardingSettingsTable,
} from '../sharding/internals.ts'
import type { NodeOptions, NodeSettings } from './node-options.ts'
import { type ActorSettings, defaultShutdownPhases } from '../actor/index.ts'
import { actorSettingsTable } from '../actor/internals.ts'
import { isRecord } from '../foundation/is-object.ts'
import { count, section } from '../foundation/setting-kinds.ts'
import { type Figures, SettingsTable } from '../foundation/settings-table.ts'
import { placesOfSettings } from '../foundation/unknown-names.ts'
import type { RemoteSettings } from '../remote/index.ts'
import { remoteSettingsTable } from '../remote/internals.ts'
import type { SingletonSettings } from '../singleton/index.ts'
import { singletonSettingsTable } from '../singleton/internals.ts'

/** `NodeSettings` with nothing left open. */
interface AllSettings extends Record<keyof NodeSettings, unknown> {
  readonly actor: ActorSettings
  readonly remote: RemoteSettings
  readonly cluster: ClusterSettings
  readonly singleton: SingletonSettings
  readonly sharding: ShardingSettings
  readonly entity: EventSourcedSettings
  readonly journal: LmdbSettings
  readonly concurrentRecoveriesMax: number
}

/** A person waits for the node: after this it says why it could not join. */
const joinDeadlineMs = seconds(30)
/** Those who have to find each other may have to be given a machine first. */
const discoveryDeadlineMs = minutes(3)

const nodeSettingsTable = new SettingsTable<AllSettings>(
  {
    actor: section(actorSettingsTable),
    remote: section(remoteSettingsTable),
    cluster: section(clusterSettingsTable.withDefaults({ joinDeadlineMs })),
    singleton: section(singletonSettingsTable),
    sharding: section(shardingSettingsTable),
    entity: section(eventSourcedSettingsTable),
    journal: section(lmdbSettingsTable),
    concurrentRecoveriesMax: count(50, 'entities'),
  },
  [
    '{entity.appendEventsMax} must be at most {journal.appendEventsMax}, or such an append is refused',
    '{journal.appendEventsMax} must be at least {what a coordinator appends at once}, or coordinators cannot store what they decide',
  ],
)

/** Where each setting belongs, by its name: people look for them in other places, and under other names. */
export const settingPlaces: ReadonlyMap<string, string> = new Map([
  ...formerNames,
  ...placesOfSettings(nodeSettingsTable, 'settings'),
])

/** What the cluster gets: a newcomer that finds nobody gives up after a while, with reasons. */
export function clusterSettingsOf({ settings, discovery }: NodeOptions): ChosenClusterSettings {
  const deadlineMs = discovery === undefined ? joinDeadlineMs : discoveryDeadlineMs
  return { joinDeadlineMs: deadlineMs, ...settings?.cluster }
}

/** Every problem of all settings, in words for the person who set them; empty when all is well. */
export function problemsWithSettings(name: string, given: unknown): string[] {
  // What is undefined is as if it were not given.
  const chosen = isRecord(given)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    : given
  const settings = nodeSettingsTable.complete(chosen)
  return nodeSettingsTable.problemsWith(
    settings,
    limitsOf(nodeSettingsTable.sound(settings)),
    `${name}.`,
    settingPlaces,
  )
}

/** What the parts of a node must be done within when it shuts down, and what they want of each other. */
function limitsOf(settings: AllSettings): Figures {
  const phases = Object.entries({
    ...defaultShutdownPhases,
    ...clusterShutdownPhases,
    ...shardingShutdownPhases,
  })
  return {
    'actor.handlerStopTimeoutMs': settings.actor.handlerStopTimeoutMs,
    'what a coordinator appends at once': coordinatorAppendEventsMax,
    ...Object.fromEntries(
      phases.map(([name, { timeoutMs }]) => [`the time of the phase ${name}`, timeoutMs]),
    ),
  }
}
