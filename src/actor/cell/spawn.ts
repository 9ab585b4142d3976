/** Brings a child into being under a cell. */
import { assert } from '../../foundation/assert.ts'
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import type { SpawnOptions } from '../context/actor-context.ts'
import { DuplicateActorName } from '../actor-errors.ts'
import { encodeActorName } from '../ref/actor-path.ts'
import type { ActorRef } from '../ref/actor-ref.ts'
import type { AnyBehavior, Behavior, MessageHandler } from '../behavior/behavior.ts'
import { Cell } from './cell.ts'
import { stopping, terminated } from './cell-flags.ts'
import { asBehavior } from '../behavior/interpret.ts'
import type { Gate } from './gate.ts'
import { LocalRef } from '../ref/local-ref.ts'
import { problemsWithMailbox } from './mailbox.ts'

const noOptions: Readonly<SpawnOptions> = {}

export function spawnChild<U>(
  parent: Cell,
  behavior: Behavior<U> | MessageHandler<U>,
  options?: string | SpawnOptions,
): ActorRef<U> {
  const initial = asBehavior(behavior, 'spawn')
  const state = parent.state()
  const given = typeof options === 'object' && options !== null ? options : undefined
  const { mailbox, gate } = given ?? noOptions
  // What is no object is taken for a name, and refused as one when it is none.
  const name = given === undefined ? (options as string | undefined) : given.name
  const encoded =
    name === undefined ? `$${(++state.namelessCount).toString(36)}` : encodeActorName(name)
  const children = (state.children ??= new Map<string, LocalRef>())
  if (children.has(encoded)) throw new DuplicateActorName(encoded, parent.toString())
  const problems = mailbox === undefined ? [] : problemsWithMailbox(mailbox)
  if (problems.length > 0)
    throw new InvalidSettings(`The mailbox of ${name ?? 'a child'}`, problems)
  const { runtime } = parent
  const ref = new LocalRef(encoded, parent.ref, runtime.nextUid())
  const cell = new Cell(ref, runtime, initial, parent.isInternal)
  if (mailbox !== undefined) cell.boundMailbox(mailbox)
  // What an actor has others do stands still with it.
  cell.gate = gate ?? parent.gate
  children.set(encoded, ref)
  return ref
}

/**
 * For rooms of the runtime: a user's actor under an actor of the runtime, from outside its turn. `name` stands in the path
 * as it is, and no living child has it. Answers undefined when the parent stops or has stopped.
 */
export function spawnGated(
  parent: LocalRef,
  behavior: Behavior<never> | MessageHandler<never>,
  name: string,
  gate: Gate,
): Cell | undefined {
  const parentCell = parent.cell
  if (parentCell === undefined || (parentCell.flags & (stopping | terminated)) !== 0) {
    return undefined
  }
  const { runtime } = parentCell
  const children = (parentCell.state().children ??= new Map<string, LocalRef>())
  const ref = new LocalRef(name, parent, runtime.nextUid())
  // What is no behavior fails the actor when it starts, in its own turn.
  const cell = new Cell(ref, runtime, behavior as AnyBehavior, false)
  cell.gate = gate
  const { size } = children
  children.set(name, ref)
  assert(children.size > size, 'a name lives once')
  return cell
}

/** The living child of that name. */
export function childNamed(parent: Cell, name: string): ActorRef<never> | undefined {
  const children = parent.stateIfAny?.children
  return children?.get(name.startsWith('$') ? name : encodeActorName(name))
}
