/**
 * What entities of this node are doing that makes their callers wait, for the words of a timeout: kept only while it lasts.
 * What takes no time is not noted, so an ordinary command costs nothing. And why the last ones could not start, for callers
 * whose call was still under way to them.
 */
import type { PersistenceFailure } from '../persistence/index.ts'
import type { EntityCall } from './entity-messages.ts'

/** Failures that are kept: a call comes to its end within moments of the failure that it died of. */
const failuresMax = 1_000

export class EntityWork {
  readonly #types = new Map<string, WorkOfType>()

  of(entityType: string): WorkOfType {
    let work = this.#types.get(entityType)
    if (work === undefined) this.#types.set(entityType, (work = new WorkOfType()))
    return work
  }
}

export class WorkOfType {
  readonly #recovering = new Set<string>()
  /** The call of each entity whose async command has not settled. */
  readonly #calls = new Map<string, EntityCall>()
  readonly #failures = new Map<string, PersistenceFailure>()

  /** Nobody waits any more for what its last life left behind. */
  lifeBegins(id: string): void {
    if (this.#failures.size > 0) this.#failures.delete(id)
    if (this.#calls.size > 0) this.#calls.delete(id)
  }

  recoveryBegins(id: string): void {
    this.lifeBegins(id)
    this.#recovering.add(id)
  }

  recoveryFailed(id: string, error: PersistenceFailure): void {
    const [oldest] = this.#failures.size < failuresMax ? [] : this.#failures.keys()
    if (oldest !== undefined) this.#failures.delete(oldest)
    this.#failures.set(id, error)
  }

  /** Why it could not start, when that is the last thing it did. */
  failureOf(id: string): PersistenceFailure | undefined {
    return this.#failures.get(id)
  }

  recoveryEnds(id: string): void {
    this.#recovering.delete(id)
  }

  /** One at a time, so there is never a second. */
  commandBegins(id: string, call: EntityCall): void {
    this.#calls.set(id, call)
  }

  /** Its entity has stopped: the call of a command that had not settled by then. Nobody will answer it any more. */
  takeUnsettled(id: string): EntityCall | undefined {
    if (this.#calls.size === 0) return undefined
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    return call
  }

  /** It may settle long after its entity had to stop without it, and be none of the present one's. */
  commandEnds(id: string, call: EntityCall): void {
    if (this.#calls.get(id) === call) this.#calls.delete(id)
  }

  /** A whole sentence; undefined when nothing is known. */
  inWords(id: string): string | undefined {
    if (this.#recovering.has(id)) {
      return 'It is being recovered: the store has not given all its events yet. If that is often so, look at the store and at how many events it has.'
    }
    const call = this.#calls.get(id)
    if (call === undefined) return undefined
    return `Its command ${call.command} has not ended, and the next call waits for that: look at what the command awaits, or allow more time.`
  }
}
