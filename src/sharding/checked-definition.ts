/** The look at what somebody says about a kind of entity, before anything of it starts. Without types, it may be anything. */
import {
  anything,
  type Check,
  InvalidSettings,
  mustBe,
  mustHave,
  problemsWithOptions,
  problemsWithText,
} from '../foundation/invalid-settings.ts'
import { isObject, isRecord } from '../foundation/is-object.ts'
import { type NotYet, refuseNotYet, within } from '../foundation/not-there-yet.ts'
import { show } from '../foundation/show.ts'
import type {
  AnyDefinition,
  EntityDefinition,
  ProxyDefinition,
  RegionDefinition,
} from './entity-definition.ts'
import { problemWithTypeName } from './entity-type-key.ts'

/** The functions of `ClusterSharding` that take a definition. */
export type DefinitionTaker = 'init' | 'start' | 'startProxy'

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
  (given) => isObject(given) && problemWithTypeName(given['name']) === undefined,
)

const typeNameCheck: Check = (name, given) => {
  const problem = problemWithTypeName(given)
  return problem === undefined ? [] : [`${name} cannot be used: ${problem}`]
}

const behaviorCheck: Check = (name, given) =>
  typeof given === 'function'
    ? []
    : [
        `${name} must be a function that makes the behavior of one entity, such as ({ entityId }) => …, not ${show(given)}; where none shall live, use startProxy`,
      ]

/** The checks of what each function of `ClusterSharding` takes. */
function checksOf(problemsWithSettings: (chosen: unknown) => string[]) {
  const inAll = {
    extractor: mustHave(['entityId', 'shardId', 'unwrapMessage']),
    role: problemsWithText,
    settings: (_: string, given: unknown) => problemsWithSettings(given),
  }
  const strategy = mustHave(['allocateShard', 'rebalance'])
  const inHosts = { behavior: behaviorCheck, stopMessage: anything, strategy, ...inAll }
  return {
    init: { key: keyCheck, ...inHosts } satisfies Record<keyof EntityDefinition<never>, Check>,
    start: { typeName: typeNameCheck, ...inHosts } satisfies Record<
      keyof RegionDefinition<never, never>,
      Check
    >,
    startProxy: { typeName: typeNameCheck, ...inAll } satisfies Record<
      keyof ProxyDefinition<never, never>,
      Check
    >,
  }
}

/** Throws `NotThereYet`, or `InvalidSettings` with every problem. */
export function checkedDefinition(
  given: unknown,
  taker: DefinitionTaker,
  problemsWithSettings: (chosen: unknown) => string[],
): AnyDefinition {
  if (!isRecord(given)) {
    throw new InvalidSettings('The definition of an entity type', [
      `it must be an object, not ${show(given)}`,
    ])
  }
  refuseNotYet(given, notYet)
  const { behavior, stopMessage, strategy, extractor, role, settings } = given
  const typeName = isObject(given['key']) ? given['key']['name'] : given['typeName']
  const problems = problemsWithOptions(given, checksOf(problemsWithSettings)[taker])
  if (problems.length > 0) throw new InvalidSettings(`The entity type ${show(typeName)}`, problems)
  return {
    ...{ typeName, behavior, stopMessage, strategy, extractor, role, settings },
  } as AnyDefinition
}
