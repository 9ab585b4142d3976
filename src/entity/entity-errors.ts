/**
 * How a call fails, in words for whoever called. `mayHaveHappened` says whether the command may have taken effect: when
 * it is false, the call can be made again as it stands; when it is true, ask the entity first.
 */
import { CodedError } from '../foundation/coded-error.ts'
import { formatMs } from '../foundation/duration.ts'
import { show } from '../foundation/show.ts'

/** Which call it was. */
export interface CallSite {
  readonly entityType: string
  readonly id: string
  readonly command: string
}

export abstract class CallError extends CodedError {
  readonly entityType: string
  readonly id: string
  readonly command: string
  readonly mayHaveHappened: boolean

  constructor(site: CallSite, mayHaveHappened: boolean, text: string, cause?: unknown) {
    super(`${nameOf(site)} ${text}`, cause === undefined ? undefined : { cause })
    this.entityType = site.entityType
    this.id = site.id
    this.command = site.command
    this.mayHaveHappened = mayHaveHappened
  }
}

/**
 * The command threw. `cause` is what it threw, with its name, message, code and cause; with its stack when the entity is on
 * this node, and with the name of the node it is on otherwise. It may have happened when the entity has no events, or when
 * a call that the command made may have: then the cause is that call's error, by its name and code.
 */
export class CommandFailed extends CallError {
  readonly code = 'COMMAND_FAILED'
  readonly errorName: string
  /** The `code` of what was thrown, if it had one; a number as a text. */
  readonly errorCode: string | undefined

  constructor(site: CallSite, error: Error, mayHaveHappened: boolean) {
    super(site, mayHaveHappened, `failed: ${error.message}`, error)
    this.errorName = error.name
    const code = 'code' in error ? error.code : undefined
    this.errorCode = typeof code === 'string' || typeof code === 'number' ? `${code}` : undefined
  }
}

/** The entity had to stop before its async command had settled: its shard moves, its node stops, or it was idle for too long. */
export class CommandCutOff extends CallError {
  readonly code = 'COMMAND_CUT_OFF'

  constructor(site: CallSite) {
    super(
      site,
      true,
      'was cut off: its entity had to stop, and the command had not settled long after its signal had fired. What it did may have happened, and what it waits for may still go on: ask the entity before the call is made again. Pass self.signal to whatever the command awaits.',
    )
  }
}

export class UnknownCommand extends CallError {
  readonly code = 'UNKNOWN_COMMAND'
  readonly known: readonly string[]

  constructor(site: CallSite, known: readonly string[]) {
    const commands = known.length === 0 ? 'It has none' : `Its commands are ${known.join(', ')}`
    super(
      site,
      false,
      `is not a command of ${site.entityType}. ${commands}; does every node run the same version?`,
    )
    this.known = known
  }
}

/** No answer came in time. `waitedFor` says what is known about why, as things stand when it is given up. */
export class CallTimeout extends CallError {
  readonly code = 'CALL_TIMEOUT'
  readonly timeoutMs: number
  readonly waitedFor: string

  constructor(site: CallSite, timeoutMs: number, waitedFor: string) {
    super(
      site,
      true,
      `got no answer in ${formatMs(timeoutMs)}. As seen from this node: ${waitedFor} Nobody can tell whether it was handled, or will be: ask the entity before the call is made again.`,
    )
    this.timeoutMs = timeoutMs
    this.waitedFor = waitedFor
  }
}

/** The caller's signal has fired. */
export class CallAborted extends CallError {
  readonly code = 'CALL_ABORTED'

  /** `mayHaveHappened` is false when the signal had fired before the call was made. */
  constructor(site: CallSite, reason: unknown, mayHaveHappened: boolean) {
    super(
      site,
      mayHaveHappened,
      mayHaveHappened
        ? 'was given up by its caller; it may be handled nevertheless.'
        : 'was not called: its signal had fired before. Nothing of it has happened.',
      reason,
    )
  }
}

/** The journal did not take the events, or another instance has the stream. */
export class NotStored extends CallError {
  readonly code = 'NOT_STORED'
  /** Why: `EVENTS_NOT_STORED`, `EVENTS_REJECTED`, `EVENTS_OUTCOME_UNKNOWN`, `WRITER_FENCED` or `INSTANCE_ENDED`. */
  readonly reason: string

  constructor(site: CallSite, reason: string, problem: string, mayHaveHappened: boolean) {
    super(
      site,
      mayHaveHappened,
      `${mayHaveHappened ? 'may not have been' : 'was not'} done: ${problem}`,
    )
    this.reason = reason
  }
}

/**
 * The entity cannot be brought back to its state: an event of it cannot be read, is not known to this version, or its
 * handler throws. So it is for every command, also one that only reads, until somebody has mended that: to call again is of
 * no use. Its events are as they were. A store that cannot be read just now is an `EntityUnavailable`.
 */
export class EntityNotRecovered extends CallError {
  readonly code = 'ENTITY_NOT_RECOVERED'

  constructor(site: CallSite, problem: string) {
    super(
      site,
      false,
      `was not handled, and no other call to this entity will be: ${problem} Nothing of it has happened, and its events are as they were. Mend that, deploy it, and call again.`,
    )
  }
}

/** The command gave, or wanted to persist, something that cannot travel. `path` says what and where. */
export class ValueCannotTravel extends CallError {
  readonly code = 'VALUE_CANNOT_TRAVEL'
  readonly path: string

  constructor(site: CallSite, path: string, problem: string, mayHaveHappened: boolean) {
    super(site, mayHaveHappened, `failed: ${path} ${problem}`)
    this.path = path
  }
}

/** The call did not get as far as the entity: it was lost on its way, or while it waited for its turn. */
export class EntityUnavailable extends CallError {
  readonly code = 'ENTITY_UNAVAILABLE'
  /**
   * For programs: `shard-buffer-full`, `terminated-while-queued` and the like, as dead letters have it; `store-unavailable`
   * when its events could not be read.
   */
  readonly reason: string
  /** With `mailbox-full`: how many messages waited for the entity, where that is known. */
  readonly waiting: number | undefined

  constructor(
    site: CallSite,
    reason: string,
    { cause, waiting, problem }: UnavailableDetails = {},
  ) {
    const known = Number.isSafeInteger(waiting) ? waiting : undefined
    const why =
      problem ?? (reason === 'mailbox-full' ? mailboxFull(known) : whyNotHandled(reason, cause))
    super(site, false, `was not handled: ${why} ${whatNow(reason)}`, cause)
    this.reason = reason
    this.waiting = known
  }
}

interface UnavailableDetails {
  readonly cause?: unknown
  readonly waiting?: number | undefined
  /** Why, in a whole sentence. */
  readonly problem?: string
}

/** Something that no call should come to. `cause` is what happened. */
export class CallBroken extends CallError {
  readonly code = 'CALL_BROKEN'

  constructor(site: CallSite, cause: unknown) {
    const what = cause instanceof Error ? cause.message : show(cause)
    super(site, true, `broke off: ${what}`, cause)
  }
}

/** This node stops, or has stopped: nothing more can be called through it. */
export class NodeStopping extends CallError {
  readonly code = 'NODE_STOPPING'

  /** `cause` is what ended a call that was under way. */
  constructor(site: CallSite, mayHaveHappened: boolean, cause?: unknown) {
    super(
      site,
      mayHaveHappened,
      mayHaveHappened
        ? 'was cut off: this node has stopped; it may have happened. Ask the entity through another node before the call is made again.'
        : 'cannot be called: this node is stopping. Call it through another node.',
      cause,
    )
  }
}

/** Something answered that is no entity: the nodes do not run versions that go together. */
export class UnreadableAnswer extends CallError {
  readonly code = 'UNREADABLE_ANSWER'

  constructor(site: CallSite, answer: unknown) {
    super(
      site,
      true,
      `was answered with ${show(answer)}, which this version of Sherd does not understand. Run the same version on every node.`,
    )
  }
}

/** A command asked `self.entity` for the entity that it is a command of. */
export class CallToItself extends CodedError {
  readonly code = 'CALL_TO_ITSELF'
  readonly entityType: string
  readonly id: string

  constructor(entityType: string, id: string) {
    super(
      `A command of ${entityType} ${show(id)} wants to call its own entity. The call would wait until the command has ended, and the command for the call. Use self.state here, and put what several commands do into a function that they share.`,
    )
    this.entityType = entityType
    this.id = id
  }
}

/** `self` was used after its command had settled. */
export class CommandOver extends CodedError {
  readonly code = 'COMMAND_OVER'

  constructor(
    entityType: string,
    command: string,
    called: 'persist' | 'delete' | 'passivate' | 'state',
  ) {
    const what = called === 'state' ? 'self.state was set' : `self.${called} was called`
    super(
      `${what} after ${entityType}.${command} had settled. Await everything the command depends on before it returns.`,
    )
  }
}

/** The definition has no such event: thrown where it is persisted. */
export class UnknownEvent extends CodedError {
  readonly code = 'UNKNOWN_EVENT'

  constructor(entityType: string, name: unknown, known: readonly string[], keepsState = false) {
    const stored = keepsState ? 'stored itself, by self.state = …' : 'in memory only'
    super(
      known.length === 0
        ? `${show(name)} is not an event of ${entityType}, which has none: its state is ${stored}. Give its definition \`events\` to store what happens to it.`
        : `${show(name)} is not an event of ${entityType}. Its events are ${known.join(', ')}. Events that were ever stored must stay in the definition.`,
    )
  }
}

/** Thrown by `self.delete()`. Nothing of the command has happened. */
export class StoreCannotDelete extends CodedError {
  readonly code = 'STORE_CANNOT_DELETE'

  constructor(entityType: string, command: string) {
    super(
      `${entityType}.${command} wants to delete its entity, and the journal of this node cannot delete events. Give the journal \`deleteEvents\` (the port EventDeletion of sherd/persistence), or use the store of Sherd.`,
    )
  }
}

export class TooManyEvents extends CodedError {
  readonly code = 'TOO_MANY_EVENTS'

  constructor(entityType: string, command: string, limit: number) {
    super(
      `${entityType}.${command} persists more than ${limit} events, which cannot be stored together. Persist less at once, or one event that says more.`,
    )
  }
}

/** Nothing of the command has happened. */
export class CommandChangedState extends CodedError {
  readonly code = 'COMMAND_CHANGED_STATE'

  constructor(entityType: string, command: string, cause: unknown, keepsState = false) {
    const advice = keepsState
      ? 'A durable state is replaced, as in self.state = { ...self.state, count: 1 }.'
      : 'The state of an entity with events changes only by self.persist and event handlers.'
    super(
      `${cause instanceof Error ? cause.message : String(cause)}. If that was the state: the command ${command} of ${entityType} cannot change it. ${advice}`,
      { cause },
    )
  }
}

/** `self.state` was set to nothing, or to a promise. Nothing of the command has happened. */
export class StateNotSet extends CodedError {
  readonly code = 'STATE_NOT_SET'

  constructor(entityType: string, command: string, given: unknown) {
    super(
      `${entityType}.${command} set self.state to ${given === undefined ? 'undefined' : 'a promise'}. Set it to the next state, such as { ...self.state, count: 1 }; to end what is stored, call self.delete().`,
    )
  }
}

/** What was persisted is not stored; the state is as it was. */
export class EventHandlerChangedState extends CodedError {
  readonly code = 'EVENT_HANDLER_CHANGED_STATE'

  constructor(entityType: string, event: string, cause: unknown) {
    super(
      `The handler of the event ${event} of ${entityType} changed the state it was given (${cause instanceof Error ? cause.message : String(cause)}). Make a new one, such as { ...state, items: [...state.items, item] }: what is changed in place would be seen even when the command fails and nothing is stored.`,
      { cause },
    )
  }
}

/** What was persisted is not stored; the state is as it was. */
export class EventHandlerGaveNoState extends CodedError {
  readonly code = 'EVENT_HANDLER_GAVE_NO_STATE'

  constructor(entityType: string, event: string, given: unknown) {
    super(
      `The handler of the event ${event} of ${entityType} gave ${given === undefined ? 'nothing' : 'a promise'}. It must return the next state, such as { ...state, count: state.count + 1 }, and cannot be async.`,
    )
  }
}

const entityStopped =
  'the entity has stopped before its turn came; if it failed, the log of its node says why.'
const peerLost = 'the node it lives on cannot be reached.'
const tooMuchWaits = 'too many calls wait for it already.'

const inWords: Readonly<Record<string, string>> = {
  terminated: entityStopped,
  'terminated-while-queued': entityStopped,
  'terminated-while-stashed': entityStopped,
  'region-stopped': 'the node it came to is stopping.',
  unreachable: peerLost,
  quarantined: peerLost,
  'former-incarnation': peerLost,
  'connection-rejected': peerLost,
  'too-many-peers':
    'this node or the one it lives on has to do with more others than it may (setting remote.peersMax); the log says which.',
  'remoting-stopped': 'this node is stopping.',
  'unknown-version':
    'the node it lives on runs a version of Sherd that does not understand this call.',
  'stash-full': tooMuchWaits,
  'entity-buffer-full': tooMuchWaits,
  'shard-buffer-full':
    'too many calls wait on this node for entities whose home was not known (setting sharding.bufferedMessagesMax).',
  'outbound-queue-full':
    'too much waits for the node it lives on (settings remote.queueMessagesMax and remote.queueBytesMax).',
}

function mailboxFull(waiting: number | undefined): string {
  const count =
    waiting === undefined ? 'the largest number of messages allowed' : `${waiting} messages`
  return `its mailbox is full: ${count} wait for their turn (setting sharding.mailboxMessagesMax). It gets more than it can handle: look at how long its commands take, call it less often, or spread the work over more entities.`
}

function whyNotHandled(reason: string, cause: unknown): string {
  if (Object.hasOwn(inWords, reason)) return inWords[reason]!
  return cause instanceof Error ? cause.message : `it was lost on its way (${reason}).`
}

/** To call again makes no sense before somebody has done what was said. */
function whatNow(reason: string): string {
  if (reason === 'region-refused') return 'Nothing of it has happened.'
  return reason === 'unknown-version'
    ? 'Nothing of it has happened. Run versions that go together on all nodes.'
    : 'Nothing of it has happened; it can be called again.'
}

function nameOf({ entityType, id, command }: CallSite): string {
  return `${entityType} ${show(id)}: ${command}`
}
