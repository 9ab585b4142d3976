/** The look at what somebody says about a kind of entity, before anything of it starts. */
import { refuseNotYet } from '../foundation/not-there-yet.ts'
import type { AnyDefinition } from './entity-definition.ts'

/** The three kinds of definitions have these parts in common. */
export type DefinitionParts = Pick<AnyDefinition, 'typeName'> & {
  readonly [Part in keyof AnyDefinition]?: unknown
}

/** What people will look for, and what to do until it is there. */
const notYet: Readonly<Record<string, string>> = {
  rememberEntities: 'An entity starts with its first message after a move.',
  lease: 'The fence of the journal keeps a second writer out without it.',
  dataCenter: 'Run one cluster per data center.',
  stateStoreMode: 'Coordinators keep what they decide in the journal.',
}

/** Throws `NotThereYet`. */
export function checkedDefinition(given: DefinitionParts): AnyDefinition {
  const { typeName, behavior, stopMessage, strategy, extractor, role, settings } = given
  refuseNotYet(given, notYet)
  refuseNotYet(settings ?? {}, notYet, 'settings.')
  return {
    ...{ typeName, behavior, stopMessage, strategy, extractor, role, settings },
  } as AnyDefinition
}
