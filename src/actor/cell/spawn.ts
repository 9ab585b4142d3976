/** Brings a child into being under a cell. */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import type { SpawnOptions } from '../context/actor-context.ts'
import { DuplicateActorName } from '../actor-errors.ts'
import { encodeActorName } from '../ref/actor-path.ts'
import type { ActorRef } from '../ref/actor-ref.ts'
import type { Behavior, MessageHandler } from '../behavior/behavior.ts'
import { Cell } from './cell.ts'
import { asBehavior } from '../behavior/interpret.ts'
import { LocalRef } from '../ref/local-ref.ts'
import { problemsWithMailbox } from './mailbox.ts'

export function spawnChild<U>(
  parent: Cell,
  behavior: Behavior<U> | MessageHandler<U>,
  options?: string | SpawnOptions,
): ActorRef<U> {
  const initial = asBehavior(behavior, 'spawn')
  const state = parent.state()
  const name = typeof options === 'string' ? options : options?.name
  const mailbox = typeof options === 'string' ? undefined : options?.mailbox
  const encoded =
    name === undefined ? `$${(++state.namelessCount).toString(36)}` : encodeActorName(name)
  const children = (state.children ??= new Map())
  if (children.has(encoded)) throw new DuplicateActorName(encoded, parent.toString())
  const problems = mailbox === undefined ? [] : problemsWithMailbox(mailbox)
  if (problems.length > 0)
    throw new InvalidSettings(`The mailbox of ${name ?? 'a child'}`, problems)
  const { runtime } = parent
  const ref = new LocalRef(encoded, parent.ref, runtime.nextUid())
  const cell = new Cell(ref, runtime, initial, parent.isInternal)
  if (mailbox !== undefined) cell.boundMailbox(mailbox)
  children.set(encoded, ref)
  return ref
}

/** The living child of that name. */
export function childNamed(parent: Cell, name: string): ActorRef<never> | undefined {
  const children = parent.stateIfAny?.children
  return children?.get(name.startsWith('$') ? name : encodeActorName(name))
}
