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
  EntityDefinition,
  ProxyDefinition,
  RegionDefinition,
} from './entity-definition.ts'
import { problemWithTypeName } from './entity-type-key.ts'

/** The functions of `ClusterSharding` that take a definition. */
export type DefinitionDoor = 'init' | 'start' | 'startProxy'

const knownInAll = { extractor: true, role: true, settings: true } as const
const knownInHosts = { behavior: true, stopMessage: true, strategy: true, ...knownInAll } as const

const knownInProxy = {
  typeName: true,
  ...knownInAll,
} satisfies Record<keyof ProxyDefinition<never, never>, true>

const knownInRegion = {
  typeName: true,
  ...knownInHosts,
} satisfies Record<keyof RegionDefinition<never, never>, true>

const knownInEntity = {
  key: true,
  ...knownInHosts,
} satisfies Record<keyof EntityDefinition<never>, true>

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
  door: DefinitionDoor,
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
    ...problemsWithName(given, door),
    ...problemsWithBehavior(behavior, door),
    ...problemsWithPort('strategy', strategy, ['allocateShard', 'rebalance']),
    ...problemsWithPort('extractor', extractor, ['entityId', 'shardId', 'unwrapMessage']),
    ...problemsWithText('role', role),
    ...problemsWithObject('settings', settings),
    ...problemsWithSettings(isObject(settings) ? settings : {}),
    ...unknownSettings(given, known[door], 'an option'),
  ]
  const typeName = isObject(key) ? key['name'] : given.typeName
  if (problems.length > 0) throw new InvalidSettings(`The entity type ${show(typeName)}`, problems)
  return {
    ...{ typeName, behavior, stopMessage, strategy, extractor, role, settings },
  } as AnyDefinition
}

function problemsWithName({ key, typeName }: Given, door: DefinitionDoor): string[] {
  if (door === 'init') {
    const isKey = isObject(key) && problemWithTypeName(key['name']) === undefined
    return isKey ? [] : [`key must be an EntityTypeKey, not ${show(key)}`]
  }
  const problem = problemWithTypeName(typeName)
  return problem === undefined ? [] : [`typeName cannot be used: ${problem}`]
}

function problemsWithBehavior(behavior: unknown, door: DefinitionDoor): string[] {
  if (door === 'startProxy' || typeof behavior === 'function') return []
  return [
    `behavior must be a function that makes the behavior of one entity, such as ({ entityId }) => …, not ${show(behavior)}; where none shall live, use startProxy`,
  ]
}

function isObject(given: unknown): given is Given & Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null
}
