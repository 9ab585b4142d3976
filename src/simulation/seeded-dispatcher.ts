/**
 * Whose turn it is, by seed. Every ready task of every node waits here; each turn goes to a drawn node, there to a drawn
 * task (internal ones first, as in the real dispatcher), for a drawn number of units. So any order that some machine
 * could produce is met under some seed.
 */
import { assert } from '../foundation/assert.ts'
import type { Dispatcher, Task } from '../foundation/dispatcher.ts'
import { stableHash } from '../foundation/stable-hash.ts'
import type { SeededRandom } from './seeded-random.ts'

/** The most a task may do in one drawn turn. */
const QUOTA_MAX = 8

/** A task as the dispatcher knows it. Its name is asked for once. */
export interface KnownTask {
  readonly task: Task
  readonly name: string
  readonly nameHash: number
  isReady: boolean
}

/** Draws among the nodes that have ready tasks. */
export class SeededTurns<Place> {
  readonly #random: SeededRandom
  readonly #waiting: SeededDispatcher<Place>[] = []

  constructor(random: SeededRandom) {
    this.#random = random
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** The dispatcher that gives the next turn. There must be one. */
  draw(): SeededDispatcher<Place> {
    const { length } = this.#waiting
    return this.#waiting[length === 1 ? 0 : this.#random.below(length)] as SeededDispatcher<Place>
  }

  add(dispatcher: SeededDispatcher<Place>): void {
    this.#waiting.push(dispatcher)
  }

  remove(dispatcher: SeededDispatcher<Place>): void {
    take(this.#waiting, this.#waiting.indexOf(dispatcher))
  }
}

/** The dispatcher of one incarnation of a node. */
export class SeededDispatcher<Place> implements Dispatcher {
  readonly place: Place
  readonly #turns: SeededTurns<Place>
  readonly #random: SeededRandom
  readonly #mayAct: () => boolean
  readonly #known = new WeakMap<Task, KnownTask>()
  readonly #looks = new Set<() => void>()
  #internal: KnownTask[] = []
  #ordinary: KnownTask[] = []
  #isHeld = false

  /** `mayAct` is asked at every call: false once the incarnation has crashed. */
  constructor(
    place: Place,
    turns: SeededTurns<Place>,
    options: { readonly random: SeededRandom; readonly mayAct: () => boolean },
  ) {
    this.place = place
    this.#turns = turns
    this.#random = options.random
    this.#mayAct = options.mayAct
  }

  execute(task: Task): void {
    if (this.#mayAct()) this.#makeReady(this.#know(task))
  }

  beforeTurns(look: () => void): () => void {
    const entry = (): void => look()
    this.#looks.add(entry)
    return () => void this.#looks.delete(entry)
  }

  /** Takes a drawn task out of the ready ones. There must be one. */
  draw(): KnownTask {
    const ready = this.#internal.length > 0 ? this.#internal : this.#ordinary
    const drawn = take(ready, ready.length === 1 ? 0 : this.#random.below(ready.length))
    drawn.isReady = false
    if (!this.#hasReady) this.#turns.remove(this)
    return drawn
  }

  /** Gives the task its turn and answers how many units it did. */
  run(known: KnownTask): number {
    for (const look of this.#looks) look()
    const quota = 1 + this.#random.below(QUOTA_MAX)
    const units = known.task.run(quota)
    assert(units <= quota, `${known.name} does no more than its quota`)
    if (units === quota && this.#mayAct()) this.#makeReady(known)
    return units
  }

  /** Forgets every ready task: the incarnation has crashed. */
  clear(): void {
    if (this.#hasReady && !this.#isHeld) this.#turns.remove(this)
    this.#internal = []
    this.#ordinary = []
  }

  /** Gives no turn until `release`. */
  hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    if (this.#hasReady) this.#turns.remove(this)
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    if (this.#hasReady) this.#turns.add(this)
  }

  get #hasReady(): boolean {
    return this.#internal.length + this.#ordinary.length > 0
  }

  #makeReady(known: KnownTask): void {
    assert(!known.isReady, `${known.name} asks for one turn at a time`)
    known.isReady = true
    if (!this.#hasReady && !this.#isHeld) this.#turns.add(this)
    if (known.task.isInternal) this.#internal.push(known)
    else this.#ordinary.push(known)
  }

  #know(task: Task): KnownTask {
    const found = this.#known.get(task)
    if (found !== undefined) return found
    const name = task.toString()
    const known = { task, name, nameHash: stableHash(name), isReady: false }
    this.#known.set(task, known)
    return known
  }
}

/** Takes the value at `index`, letting the last one fill its place. */
function take<T>(values: T[], index: number): T {
  const taken = values[index] as T
  const last = values.pop() as T
  if (index < values.length) values[index] = last
  return taken
}
