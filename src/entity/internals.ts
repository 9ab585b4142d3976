/** For the node, and for those who test entities: how entities run, and how calls reach them. The package does not export it. */
export type { CommandWitness, WitnessedCommand } from './command-witness.ts'
export {
  type AnyEntity,
  isDefinition,
  notYetInEntities,
  optionsOfEntities,
} from './define-entity.ts'
export { entityBehavior } from './entity-behavior.ts'
export { type CallTarget, EntityCalls } from './entity-calls.ts'
export type { EntityCall, EntityReply } from './entity-messages.ts'
export { EntityWorld } from './entity-world.ts'
export { answerLostCalls } from './lost-calls.ts'
export type { optionsOfNodes } from './misplaced-options.ts'
export { eventsOf } from './stored-events.ts'
