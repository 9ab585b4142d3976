/** For the rooms above: what stands behind the public face of actors. The package does not export it. */
export { actorSettingsTable } from './actor-settings.ts'
export { Replayed } from './behavior/inward.ts'
export { wrapperInForce } from './cell/before-mail.ts'
export type { ChildActors } from './cell/cell-state.ts'
export type { Cell } from './cell/cell.ts'
export { Gate } from './cell/gate.ts'
export { spawnGated } from './cell/spawn.ts'
export type { NameOfActor } from './events/dead-letter-log.ts'
export { isEnvelope } from './cell/envelope.ts'
export { abortHandlers, loseMail } from './cell/stopping.ts'
export { isMailWithheld, letMailIn, withholdMail, type WithheldMail } from './cell/withheld-mail.ts'
export { withoutDeadLetterLog } from './events/lost-messages.ts'
export { ActorPath, encodeActorName } from './ref/actor-path.ts'
export { internal, type InternalRef, isRef, type Watcher } from './ref/actor-ref.ts'
export {
  ask,
  type Asker,
  askFor,
  type AskTarget,
  askWithStatus,
  failAsker,
  Question,
} from './ref/ask.ts'
export { LocalRef } from './ref/local-ref.ts'
export type { Runtime } from './runtime.ts'
export { phase } from './shutdown/shutdown-phases.ts'
