/** The settings of all rooms below a node: what each gets, and what is wrong with it. */
import { defaultActorSettings, problemsWithActorSettings } from '../actor/index.ts'
import {
  type ChosenClusterSettings,
  clusterSettings,
  clusterShutdownPhases,
  problemsWithClusterSettings,
} from '../cluster/index.ts'
import { seconds } from '../foundation/duration.ts'
import { show } from '../foundation/show.ts'
import {
  defaultEventSourcedSettings,
  defaultLmdbSettings,
  problemsWithEventSourced,
  problemsWithLmdbSettings,
} from '../persistence/index.ts'
import { problemsWithRemoteSettings, remoteSettings } from '../remote/index.ts'
import {
  coordinatorAppendEventsMax,
  problemsWithShardingSettings,
  shardingSettings,
  shardingShutdownPhases,
} from '../sharding/index.ts'
import { defaultSingletonSettings, problemsWithSingletonSettings } from '../singleton/index.ts'
import type { NodeOptions, NodeSettings } from './node-options.ts'

/** A person waits for the node: after this it says why it could not join. */
const joinDeadlineMs = seconds(30)

/** What the cluster gets: a newcomer that finds nobody gives up after a while, with reasons. */
export function clusterSettingsOf({ settings }: NodeOptions): ChosenClusterSettings {
  return { joinDeadlineMs, ...settings?.cluster }
}

type Section = Exclude<keyof NodeSettings, 'concurrentRecoveriesMax'>

const { timeoutMs: exitingPhaseMs } = clusterShutdownPhases['cluster-exiting']
const { timeoutMs: regionPhaseMs } = shardingShutdownPhases['cluster-sharding-shutdown-region']

const checks: Readonly<Record<Section, (settings: NodeSettings) => string[]>> = {
  actor: ({ actor }) => problemsWithActorSettings({ ...defaultActorSettings, ...actor }),
  remote: ({ remote }) => problemsWithRemoteSettings(remoteSettings(remote)),
  cluster: (settings) =>
    problemsWithClusterSettings(clusterSettings(clusterSettingsOf({ settings }))),
  singleton: (settings) =>
    problemsWithSingletonSettings(
      { ...defaultSingletonSettings, ...settings.singleton },
      { phaseMs: exitingPhaseMs, handlerStopTimeoutMs: handlerStopTimeoutOf(settings) },
    ),
  sharding: (settings) =>
    problemsWithShardingSettings(shardingSettings(settings.sharding), {
      phaseMs: regionPhaseMs,
      handlerStopTimeoutMs: handlerStopTimeoutOf(settings),
    }),
  entity: ({ entity }) => problemsWithEventSourced({ ...defaultEventSourcedSettings, ...entity }),
  journal: ({ journal }) => problemsWithLmdbSettings({ ...defaultLmdbSettings, ...journal }),
}

function handlerStopTimeoutOf({ actor }: NodeSettings): number {
  return actor?.handlerStopTimeoutMs ?? defaultActorSettings.handlerStopTimeoutMs
}

/** Sections within sections: given in part, completed by their room. */
const nested: readonly (readonly [section: Section, name: string])[] = [
  ['cluster', 'downing'],
  ['cluster', 'minMembersByRole'],
  ['remote', 'serialization'],
]

/** Every problem of every room, in words for the person who set it; empty when all is well. */
export function problemsWithRooms({ settings = {} }: NodeOptions): string[] {
  if (!isSection(settings)) return [`settings must be an object, not ${show(settings)}`]
  const sections = Object.keys(checks) as Section[]
  return [
    ...unknownSections(settings, sections),
    ...sections.flatMap((section) => problemsWithSection(settings, section)),
    ...problemsBetween(settings),
  ]
}

function unknownSections(settings: NodeSettings, sections: readonly string[]): string[] {
  const known = [...sections, 'concurrentRecoveriesMax']
  return Object.keys(settings)
    .filter((name) => !known.includes(name))
    .map((name) => `settings.${name} is not a setting; known are ${known.join(', ')}`)
}

function problemsWithSection(settings: NodeSettings, section: Section): string[] {
  const name = `settings.${section}`
  const given: unknown = settings[section] ?? {}
  if (!isSection(given)) return [`${name} must be an object, not ${show(given)}`]
  const formless = nested.filter(
    ([of, inner]) => of === section && given[inner] !== undefined && !isSection(given[inner]),
  )
  if (formless.length > 0) return formless.map(([, inner]) => `${name}.${inner} must be an object`)
  return checks[section](settings).map((problem) => `${name}.${problem}`)
}

function problemsBetween({ entity, journal, concurrentRecoveriesMax = 1 }: NodeSettings): string[] {
  const problems: string[] = []
  const ofEntity = entity?.appendEventsMax ?? defaultEventSourcedSettings.appendEventsMax
  const ofJournal = journal?.appendEventsMax ?? defaultLmdbSettings.appendEventsMax
  if (ofEntity > ofJournal) {
    problems.push(
      `settings.entity.appendEventsMax (${ofEntity}) must be at most settings.journal.appendEventsMax (${ofJournal}), or such an append is refused`,
    )
  }
  if (ofJournal < coordinatorAppendEventsMax) {
    problems.push(
      `settings.journal.appendEventsMax (${ofJournal}) must be at least ${coordinatorAppendEventsMax}, or coordinators cannot store what they decide`,
    )
  }
  if (!Number.isSafeInteger(concurrentRecoveriesMax) || concurrentRecoveriesMax < 1) {
    problems.push(
      `settings.concurrentRecoveriesMax must be a whole number of at least 1, not ${show(concurrentRecoveriesMax)}`,
    )
  }
  return problems
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
