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
import type {
  AnyDefinition,
  KeyedDefinition,
  ProxyDefinition,
  RegionDefinition,
} from './region-definition.ts'
import { problemWithEntityType } from './entity-type-key.ts'
import { isObject, isRecord } from '../foundation/is-object.ts'

/** The functions of `ClusterSharding` that take a definition. */
export type StartFunction = 'init' | 'start' | 'startProxy'

/** Of every kind of entity in shards. */
export const notYetInSharding: NotYet = {
  rememberEntities: 'An entity starts with its first message after a move.',
  lease: 'The fence of the journal keeps a second writer out without it.',
  dataCenter: 'Run one cluster per data center.',
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

/** The checks of what each function of `ClusterSharding` takes. */
function checksOf(problemsWithSettings: (chosen: unknown) => string[]) {
  const inAll = {
    extractor: mustHave(['entityId', 'shardId', 'unwrapMessage']),
    role: problemsWithText,
    coordinatorRole: problemsWithText,
    settings: (_: string, given: unknown) => problemsWithSettings(given),
  }
  const allocationStrategy = mustHave(['allocateShard', 'rebalance'])
  const inHosts = { behavior: behaviorCheck, stopMessage: anything, allocationStrategy, ...inAll }
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
  const { coordinatorRole } = given
  const entityType = isObject(given['key']) ? given['key']['name'] : given['entityType']
  const problems = problemsWithOptions(given, checksOf(problemsWithSettings)[by])
  if (problems.length > 0)
    throw new InvalidSettings(`The entity type ${show(entityType)}`, problems)
  return {
    ...{ entityType, behavior, stopMessage, allocationStrategy, extractor, role, settings },
    coordinatorRole,
  } as AnyDefinition
}
