/** The look at what somebody says about a kind of entity, before anything of it starts. Without types, it may be anything. */
import {
  InvalidSettings,
  problemsWithText,
  anything,
  type Check,
  mustBe,
  mustHave,
  problemsWithOptions,
} from '../foundation/invalid-settings.ts'
import { refuseNotYet, type NotYet, within } from '../foundation/not-there-yet.ts'
import { show } from '../foundation/show.ts'
import { problemsWithLeaseChoice } from '../lease/internals.ts'
import type {
  AnyDefinition,
  KeyedDefinition,
  ProxyDefinition,
  RegionDefinition,
} from './region-definition.ts'
import { placesOfSettings } from '../foundation/unknown-names.ts'
import { formerNames } from './former-names.ts'
import { shardingSettingsTable } from './sharding-settings.ts'
import { problemsWithPassivation } from './passivation/passivation-check.ts'
import { problemWithEntityType } from './entity-type-key.ts'
import { isObject, isRecord } from '../foundation/is-object.ts'

/** The functions of `ClusterSharding` that take a definition. */
export type StartFunction = 'init' | 'start' | 'startProxy'

/** Of every kind of entity in shards. */
export const notYetInSharding: NotYet = {
  dataCenter:
    'A type lives in each data center that has hosts of it, and is called from there. Where a node is, `settings.cluster.dataCenter` of startNode says.',
  stateStoreMode: 'Coordinators keep what they decide in the journal.',
}

const notYet: NotYet = { ...notYetInSharding, ...within('settings', notYetInSharding) }

const keyCheck: Check = mustBe(
  'an EntityTypeKey',
  (given) => isObject(given) && problemWithEntityType(given['name']) === undefined,
)

const entityTypeCheck: Check = (name, given) => {
  const problem = problemWithEntityType(given)
  return problem === undefined ? [] : [`${name} cannot be used: ${problem}`]
}

const behaviorCheck: Check = (name, given) =>
  typeof given === 'function'
    ? []
    : [
        `${name} must be a function that makes the behavior of one entity, such as ({ entityId }) => …, not ${show(given)}; where none should live, use startProxy`,
      ]

const functionCheck: Check = mustBe(
  'a function',
  (given) => given === undefined || typeof given === 'function',
)
const flagCheck: Check = (name, given) =>
  given === undefined || typeof given === 'boolean'
    ? []
    : [`${name} must be true or false, not ${show(given)}`]

/** Of what shards do besides, for every way to define a type. */
export const shardDutyChecks = { rememberEntities: flagCheck, lease: problemsWithLeaseChoice }

/** What people look for here: under another name, or in another place. */
const places: ReadonlyMap<string, string> = new Map([
  ...formerNames,
  ...placesOfSettings(shardingSettingsTable, 'settings'),
])

/** The checks of what each function of `ClusterSharding` takes. */
function checksOf(problemsWithSettings: (chosen: unknown) => string[]) {
  const inAll = {
    extractor: mustHave(['entityId', 'shardId', 'unwrapMessage']),
    extractEntityId: functionCheck,
    extractShardId: functionCheck,
    extractorId: problemsWithText,
    role: problemsWithText,
    coordinatorRole: problemsWithText,
    settings: (_: string, given: unknown) => problemsWithSettings(given),
  }
  const allocationStrategy = mustHave(['allocateShard', 'rebalance'])
  const passivation = problemsWithPassivation
  const inHosts = {
    ...{ behavior: behaviorCheck, stopMessage: anything, allocationStrategy, passivation },
    ...shardDutyChecks,
    ...inAll,
  }
  return {
    init: { key: keyCheck, ...inHosts } satisfies Record<keyof KeyedDefinition<never>, Check>,
    start: { entityType: entityTypeCheck, ...inHosts } satisfies Record<
      keyof RegionDefinition<never, never>,
      Check
    >,
    startProxy: { entityType: entityTypeCheck, ...inAll } satisfies Record<
      keyof ProxyDefinition<never, never>,
      Check
    >,
  }
}

/** Throws `NotThereYet`, or `InvalidSettings` with every problem. */
export function checkedDefinition(
  given: unknown,
  by: StartFunction,
  problemsWithSettings: (chosen: unknown) => string[],
): AnyDefinition {
  if (!isRecord(given)) {
    throw new InvalidSettings('The definition of an entity type', [
      `it must be an object, not ${show(given)}`,
    ])
  }
  refuseNotYet(given, notYet)
  const { behavior, stopMessage, allocationStrategy, extractor, role, settings } = given
  const { passivation } = given
  const { coordinatorRole } = given
  const entityType = isObject(given['key']) ? given['key']['name'] : given['entityType']
  const problems = problemsWithOptions(given, checksOf(problemsWithSettings)[by], places)
  problems.push(...problemsWithExtractors(given))
  if (problems.length > 0)
    throw new InvalidSettings(`The entity type ${show(entityType)}`, problems)
  const { rememberEntities = false, lease } = given
  return {
    rememberEntities,
    lease: lease === true ? {} : lease === false ? undefined : lease,
    ...{ entityType, behavior, stopMessage, allocationStrategy, extractor, role, settings },
    functions: functionsIn(given),
    passivation,
    coordinatorRole,
  } as AnyDefinition
}

/** Of two ways to say one thing, only one can be meant. */
function problemsWithExtractors(given: Readonly<Record<string, unknown>>): string[] {
  const { extractor, extractEntityId, extractShardId, extractorId } = given
  const others = { extractEntityId, extractShardId, extractorId }
  const named = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : name))
  if (extractor !== undefined && named.length > 0) {
    return [`extractor and ${named.join(', ')} are given; give the extractor alone, or functions`]
  }
  return []
}

function functionsIn(given: Readonly<Record<string, unknown>>): AnyDefinition['functions'] {
  const { extractEntityId, extractShardId, extractorId } = given
  if (extractEntityId === undefined && extractShardId === undefined) return undefined
  return { extractEntityId, extractShardId, extractorId } as AnyDefinition['functions']
}
