/** The look at what somebody says about a kind of entity, before anything of it starts. Without types, it may be anything. */
import { problemsWithPort } from '../foundation/environment.ts'
import {
  InvalidSettings,
  problemsWithObject,
  problemsWithText,
  unknownSettings,
} from '../foundation/invalid-settings.ts'
import { refuseNotYet } from '../foundation/not-there-yet.ts'
import { show } from '../foundation/show.ts'
import type {
  AnyDefinition,
  KeyedDefinition,
  ProxyDefinition,
  RegionDefinition,
} from './region-definition.ts'
import { problemWithEntityType } from './entity-type-key.ts'

/** The functions of `ClusterSharding` that take a definition. */
export type StartFunction = 'init' | 'start' | 'startProxy'

const knownInAll = { extractor: true, role: true, settings: true } as const
const knownInHosts = { behavior: true, stopMessage: true, strategy: true, ...knownInAll } as const

const knownInProxy = {
  entityType: true,
  ...knownInAll,
} satisfies Record<keyof ProxyDefinition<never, never>, true>

const knownInRegion = {
  entityType: true,
  ...knownInHosts,
} satisfies Record<keyof RegionDefinition<never, never>, true>

const knownInEntity = {
  key: true,
  ...knownInHosts,
} satisfies Record<keyof KeyedDefinition<never>, true>

const known = { init: knownInEntity, start: knownInRegion, startProxy: knownInProxy }

/** What people will look for, and what to do until it is there. */
const notYet: Readonly<Record<string, string>> = {
  rememberEntities: 'An entity starts with its first message after a move.',
  lease: 'The fence of the journal keeps a second writer out without it.',
  dataCenter: 'Run one cluster per data center.',
  stateStoreMode: 'Coordinators keep what they decide in the journal.',
}

type Given = { readonly [Part in keyof AnyDefinition | 'key']?: unknown }

/** Throws `NotThereYet`, or `InvalidSettings` with every problem. */
export function checkedDefinition(
  given: unknown,
  by: StartFunction,
  problemsWithSettings: (chosen: object) => string[],
): AnyDefinition {
  if (!isObject(given)) {
    throw new InvalidSettings('The definition of an entity type', [
      `it must be an object, not ${show(given)}`,
    ])
  }
  const { key, behavior, stopMessage, strategy, extractor, role, settings } = given
  refuseNotYet(given, notYet)
  if (isObject(settings)) refuseNotYet(settings, notYet, 'settings.')
  const problems = [
    ...problemsWithName(given, by),
    ...problemsWithBehavior(behavior, by),
    ...problemsWithPort('strategy', strategy, ['allocateShard', 'rebalance']),
    ...problemsWithPort('extractor', extractor, ['entityId', 'shardId', 'unwrapMessage']),
    ...problemsWithText('role', role),
    ...problemsWithObject('settings', settings),
    ...problemsWithSettings(isObject(settings) ? settings : {}),
    ...unknownSettings(given, known[by], 'an option'),
  ]
  const entityType = isObject(key) ? key['name'] : given.entityType
  if (problems.length > 0)
    throw new InvalidSettings(`The entity type ${show(entityType)}`, problems)
  return {
    ...{ entityType, behavior, stopMessage, strategy, extractor, role, settings },
  } as AnyDefinition
}

function problemsWithName({ key, entityType }: Given, by: StartFunction): string[] {
  if (by === 'init') {
    const isKey = isObject(key) && problemWithEntityType(key['name']) === undefined
    return isKey ? [] : [`key must be an EntityTypeKey, not ${show(key)}`]
  }
  const problem = problemWithEntityType(entityType)
  return problem === undefined ? [] : [`entityType cannot be used: ${problem}`]
}

function problemsWithBehavior(behavior: unknown, by: StartFunction): string[] {
  if (by === 'startProxy' || typeof behavior === 'function') return []
  return [
    `behavior must be a function that makes the behavior of one entity, such as ({ entityId }) => …, not ${show(behavior)}; where none shall live, use startProxy`,
  ]
}

function isObject(given: unknown): given is Given & Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null
}
