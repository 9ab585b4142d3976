/**
 * Where every letter went, and what every actor does at this moment. A letter is handled once, or an interceptor kept it,
 * or it is lost with a reason; an actor does one thing at a time.
 */
import { type LostMessage, defaultActorSettings } from '../../../src/actor/index.ts'
import type { Simulation } from '../../../src/simulation/index.ts'
import type { Letter, Task } from './nesting-plan.ts'

/** A PreRestart, and a handler of an actor that stops, is given up after so long. */
const GIVEN_UP_MS = defaultActorSettings.handlerStopTimeoutMs

/** Where many seeds together must have been. */
export const nestingPlaces: readonly string[] = [
  'a restart without an end of PreRestart',
  'a stop without an end of a handler',
  'an interceptor that comes too late',
  'a letter that an interceptor kept',
  'a letter that nobody handles',
  'lost: mailbox-full',
  'lost: restart-stash-full',
  'lost: stash-discarded-by-restart',
  'lost: terminated',
  'lost: terminated-while-queued',
  'lost: terminated-while-stashed',
]

export type WorkKind = 'Letter' | 'PreRestart' | 'PostStop' | 'Terminated'

interface Work {
  readonly kind: WorkKind
  readonly what: string
  readonly sinceMs: number
}

interface Fate {
  readonly to: string
  readonly task: Task
  handled: number
  /** Why an interceptor did not hand it on. */
  kept: string | undefined
  isUnhandled: boolean
  readonly losses: string[]
}

export class NestingLedger {
  readonly #simulation: Simulation
  readonly #isOrdered: boolean
  readonly #fates: Fate[] = []
  readonly #works = new Map<string, Set<Work>>()
  readonly #latest = new Map<string, number>()

  constructor(simulation: Simulation, isOrdered: boolean) {
    this.#simulation = simulation
    this.#isOrdered = isOrdered
  }

  /** A new letter, to be sent now. */
  letter(to: string, task: Task): Letter {
    this.#fates.push({ ...newFate(), to, task })
    const number = this.#fates.length
    this.#simulation.record(`${to} is sent ${number}: ${task}`)
    return { type: 'Letter', number, task }
  }

  handled(actor: string, { number }: Letter): void {
    const fate = this.#fates[number - 1]
    if (fate === undefined) return
    fate.handled++
    if (!this.#isOrdered) return
    const latest = this.#latest.get(actor) ?? 0
    const detail = `${actor} handles ${number} after ${latest}`
    this.#simulation.check('letters are handled in order', number > latest, detail)
    this.#latest.set(actor, number)
  }

  /** An interceptor did not hand it on, or was not let. */
  kept({ number }: Letter, why: string): void {
    const fate = this.#fates[number - 1]
    if (fate === undefined) return
    fate.kept = why
    this.#simulation.reached(
      why === 'refused'
        ? 'an interceptor that comes too late'
        : 'a letter that an interceptor kept',
    )
  }

  lost(event: LostMessage): void {
    const fate = this.#fates[numberOf(event.message) - 1]
    if (fate === undefined) return
    if (event.type === 'UnhandledMessage') {
      fate.isUnhandled = true
      this.#simulation.reached('a letter that nobody handles')
    } else {
      fate.losses.push(event.reason)
      this.#simulation.reached(`lost: ${event.reason}`)
    }
  }

  /** The actor begins with a letter; answers what to call when it is done. */
  beginLetter(actor: string, { number, task }: Letter): () => void {
    return this.begin(actor, 'Letter', `${number}: ${task}`)
  }

  /** The actor begins to do something; answers what to call when it is done. */
  begin(actor: string, kind: WorkKind, what: string): () => void {
    const works = this.#worksOf(actor)
    for (const other of works) {
      this.#checkGivenUp(actor, other, { kind, what })
      works.delete(other)
    }
    this.#simulation.record(`${actor} begins ${kind} (${what})`)
    const work = { kind, what, sinceMs: this.#simulation.now }
    works.add(work)
    return () => {
      works.delete(work)
      this.#simulation.record(`${actor} is done with ${kind} (${what})`)
    }
  }

  #checkGivenUp(actor: string, other: Work, { kind, what }: Omit<Work, 'sinceMs'>): void {
    const isRestart = other.kind === 'PreRestart'
    const isLongAgo = this.#simulation.now - other.sinceMs >= GIVEN_UP_MS
    const detail = `${actor} begins ${kind} (${what}) in the middle of ${other.kind} (${other.what})`
    const isGivenUp = isLongAgo && (isRestart || kind === 'PostStop')
    this.#simulation.check('an actor does one thing at a time', isGivenUp, detail)
    this.#simulation.reached(
      isRestart ? 'a restart without an end of PreRestart' : 'a stop without an end of a handler',
    )
  }

  /** Letters of which nothing has been heard. */
  waiting(): string[] {
    return this.#described(({ handled, losses, kept }) =>
      handled === 0 && losses.length === 0 && kept === undefined ? 'waits' : undefined,
    )
  }

  /** What is wrong with the books once all actors have ended; empty when they balance. */
  problems(): string[] {
    return this.#described(({ task, handled, kept, isUnhandled, losses }) => {
      if (isUnhandled && !task.includes('unhandled')) return 'was called unhandled'
      const ways = [
        ...losses,
        ...Array.from({ length: handled }, () => 'handled'),
        kept ?? [],
      ].flat()
      if (ways.length === 0) return 'has vanished'
      return ways.length > 1 ? `was ${ways.join(' and ')}` : undefined
    })
  }

  #described(problemWith: (fate: Fate) => string | undefined): string[] {
    return this.#fates.flatMap((fate, index) => {
      const problem = problemWith(fate)
      return problem === undefined ? [] : [`${index + 1} to ${fate.to} (${fate.task}) ${problem}`]
    })
  }

  #worksOf(actor: string): Set<Work> {
    const works = this.#works.get(actor) ?? new Set()
    this.#works.set(actor, works)
    return works
  }
}

function newFate(): Omit<Fate, 'to' | 'task'> {
  return { handled: 0, kept: undefined, isUnhandled: false, losses: [] }
}

function numberOf(message: unknown): number {
  if (typeof message !== 'object' || message === null || !('number' in message)) return 0
  return Number(message.number)
}
