/** The address of an actor of this process. There is one per actor, so refs can be compared with `===`. */
import { assert } from '../../foundation/assert.ts'
import { InvalidMessage } from '../actor-errors.ts'
import { ActorPath, lineOf } from './actor-path.ts'
import type { ActorRef, AskOptions, InternalRef, Watcher } from './actor-ref.ts'
import { ask, askWithStatus } from './ask.ts'
import type { Cell } from '../cell/cell.ts'
import type { Runtime } from '../runtime.ts'
import type { StatusReply } from './status-reply.ts'

export class LocalRef implements InternalRef {
  /** As it stands in the path: percent-encoded. */
  readonly name: string
  readonly parent: LocalRef | undefined
  readonly uid: number
  /** Set by the cell, once. Undefined only for the root of all paths. */
  cell: Cell | undefined

  constructor(name: string, parent: LocalRef | undefined, uid: number) {
    this.name = name
    this.parent = parent
    this.uid = uid
    this.cell = undefined
  }

  get path(): ActorPath {
    let path: ActorPath | undefined
    for (const { name, uid } of lineOf<LocalRef>(this)) path = new ActorPath(name, path, uid)
    return path as ActorPath
  }

  get isTerminated(): boolean {
    return this.cell === undefined || this.cell.isTerminated
  }

  tell(message: unknown): void {
    if (message === undefined) throw new InvalidMessage(this.toString())
    this.cell?.send(message)
  }

  ask<Reply>(
    makeMessage: (replyTo: ActorRef<Reply>) => never,
    options?: AskOptions,
  ): Promise<Reply> {
    return ask(this, makeMessage, options, runtimeOf(this))
  }

  askWithStatus<Value>(
    makeMessage: (replyTo: ActorRef<StatusReply<Value>>) => never,
    options?: AskOptions,
  ): Promise<Value> {
    return askWithStatus(this, makeMessage, options, runtimeOf(this))
  }

  addWatcher(watcher: Watcher): void {
    if (this.cell === undefined || this.cell.isTerminated) {
      watcher.watchedTerminated(this, undefined)
    } else {
      const state = this.cell.state()
      state.watchers ??= new Set()
      state.watchers.add(watcher)
    }
  }

  removeWatcher(watcher: Watcher): void {
    this.cell?.stateIfAny?.watchers?.delete(watcher)
  }

  toString(): string {
    return this.path.toString()
  }

  toJSON(): string {
    return this.toString()
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `ActorRef(${this})`
  }
}

/** Not a private method: a class that has one takes a word more for each of its objects, and there may be millions of these. */
function runtimeOf({ cell }: LocalRef): Runtime {
  assert(cell !== undefined, 'nobody holds the root of all paths')
  return cell.runtime
}
