/** What an event-sourced actor has only while something is under way; of a million that rest, nearly all have none of it. */
import { ActorTurn, type Scope } from './actor-turn.ts'
import type { CommandStash, CommandStashes } from './command-stash.ts'
import { EventsRejected, PersistenceFailure } from './event-sourced-errors.ts'
import type { FamilyContext } from './event-sourced-options.ts'
import type { Recovery } from './recovery.ts'
import type { SnapshotKeeper } from './snapshot-keeper.ts'
import type { Mutable, WritePipeline } from './write-pipeline.ts'

export type LifePhase = 'recovering' | 'running' | 'stopping' | 'ended'

/** What is known when it is made. */
export interface WorkAround<Command> {
  readonly phase: LifePhase
  readonly stashes: CommandStashes<Command> | undefined
  readonly scope: Scope
}

export interface Work<Command, Event, State> {
  phase: LifePhase
  readonly view: Mutable<FamilyContext<Command>>
  readonly turn: ActorTurn<Command>
  stash: CommandStash<Command> | undefined
  recovery: Recovery<unknown> | undefined
  writes: WritePipeline<Command, Event, State> | undefined
  snapshots: SnapshotKeeper | undefined
  /** Events that the journal refuses: nothing is handled any more. */
  rejection: EventsRejected | undefined
  /** Of whoever builds it anew after a failure; without one it has its own. */
  readonly stashes: CommandStashes<Command> | undefined
  /** The level of wrapping at which its behavior was made; undefined where nothing is around it. */
  readonly scope: Scope
  /** Among those that rested last, which keep this. */
  isKept: boolean
  /** It has failed, and another instance will follow. */
  isBuiltAnew: boolean
  /** `snapshotWhen` has said so, of an event of the command that is handled. */
  isSnapshotWanted: boolean
  /** A command has ended the stream here, stored or not yet: what becomes of snapshots of states before it is no news. */
  endedAt: number
}

export function newWork<Command, Event, State>(
  view: Mutable<FamilyContext<Command>>,
  { phase, stashes, scope }: WorkAround<Command>,
  isSupervised: boolean,
): Work<Command, Event, State> {
  // No supervision of the user's may answer it: it might resume, and the state is ahead of what is stored.
  const isForGood = (error: unknown): boolean =>
    !isSupervised && error instanceof PersistenceFailure && !(error instanceof EventsRejected)
  const turn = new ActorTurn<Command>({ context: view.actor, scope, isForGood })
  // Field by field: entities of all kinds then have work of one shape.
  return {
    phase,
    view,
    turn,
    stash: undefined,
    recovery: undefined,
    writes: undefined,
    snapshots: undefined,
    rejection: undefined,
    stashes,
    scope,
    isKept: false,
    isBuiltAnew: false,
    isSnapshotWanted: false,
    endedAt: 0,
  }
}

export function isIdle<Command, Event, State>({
  phase,
  writes,
  stash,
  turn,
  snapshots,
}: Work<Command, Event, State>): boolean {
  if (snapshots?.isIdle === false) return false
  const isWriting = writes !== undefined && !(writes.isOpen && writes.isIdle)
  const isStashing = stash !== undefined && !stash.isEmpty
  return phase === 'running' && !isWriting && !isStashing && turn.isIdle
}
