/**
 * One command in a kit: what came of it, and what the test expects. `then` with an expectation compares; awaited as it is,
 * the step gives its outcome or throws what a caller would get.
 */
import { CallError, CommandFailed, type DeepReadonly, type EventOf } from '../../entity/index.ts'
import { show, showCall } from '../../foundation/show.ts'
import { describeDifference } from '../difference.ts'
import { isEqual } from '../is-equal.ts'
import { callSite, pointAt, type TestLine } from '../probe-failure.ts'
import { EntityKitFailure, EntityKitMisuse } from './entity-kit-failure.ts'
import type { RecordedCall } from './stubs.ts'

/** What came of one command. */
export interface CommandOutcome<State, Events, Answer> {
  readonly answer: Answer
  /** What it persisted, each as its name and what it says. */
  readonly events: readonly EventOf<Events>[]
  /** After it, read back from the stored events where there are any. */
  readonly state: DeepReadonly<State>
  /** The calls it made to other entities. */
  readonly calls: readonly RecordedCall[]
}

/** What a test expects of a command; what it leaves out is not looked at. */
export type ExpectedOutcome<State, Events, Answer> = Partial<CommandOutcome<State, Events, Answer>>

/** What the kit knows when a command is over. */
export interface Performed {
  /** Who did what: `Account 'alice': withdraw(3)`. */
  readonly title: string
  readonly outcome: CommandOutcome<unknown, unknown, unknown>
  /** What the command, or the call, failed with. */
  readonly error?: Error
}

// A step can be awaited, and `given … when … then` is how such tests are told: its `then` is both.
/* oxlint-disable unicorn/no-thenable */
/** One command of the entity under test, after `when`. */
export class CommandStep<State, Events, Answer> implements PromiseLike<
  CommandOutcome<State, Events, Answer>
> {
  readonly #performed: Promise<Performed>

  /** @internal */
  constructor(performed: Promise<Performed>) {
    this.#performed = performed
    // It is heard of when somebody waits for the step.
    performed.catch(() => undefined)
  }

  /** Rejects with `EntityKitFailure` when anything of this came out otherwise. */
  then(
    this: CommandStep<State, Events, Answer> & NotForAwait,
    expected: ExpectedOutcome<State, Events, Answer>,
  ): Promise<CommandOutcome<State, Events, Answer>>
  /** For `await`: what came of the command, or what a caller of it would get. */
  then<Result = CommandOutcome<State, Events, Answer>, Failed = never>(
    onFulfilled?:
      | ((outcome: CommandOutcome<State, Events, Answer>) => Result | PromiseLike<Result>)
      | null,
    onRejected?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Result | Failed>
  then(
    expected?: object | ((outcome: never) => unknown) | null,
    onRejected?: ((error: unknown) => unknown) | null,
  ): Promise<unknown> {
    if (typeof expected === 'object' && expected !== null) {
      return this.#expect(expected, callSite(this.then))
    }
    return this.#succeeded().then(expected as never, onRejected)
  }

  /**
   * Expects that the command fails, and persists nothing: with this code or name, of what it threw or of the error a caller
   * gets, or with a message that has this text or matches this pattern. Resolves with what a caller gets.
   */
  async thenFails(expected?: string | RegExp): Promise<Error> {
    const site = callSite(this.thenFails)
    const { title, outcome, error } = await this.#performedAt(site)
    const wanted = expected === undefined ? 'fail' : `fail with ${shownPattern(expected)}`
    if (error === undefined) {
      const { answer, events } = outcome
      const did = [...events.map(shownEvent), `answered ${show(answer)}`].join(', ')
      throw new EntityKitFailure(`${title} was expected to ${wanted}, and did not: ${did}.`, {
        ...{ expected: wordsOf(expected), actual: did, site },
      })
    }
    if (expected !== undefined && !isMeant(error, expected)) {
      const actual = inWords(error)
      const message = `${title} was expected to ${wanted}, and failed with ${actual}`
      throw new EntityKitFailure(message, {
        ...{ expected: wordsOf(expected), actual, cause: error, site },
      })
    }
    return error
  }

  /** What the kit itself found wrong points at the line of the test. */
  async #performedAt(site: TestLine): Promise<Performed> {
    try {
      return await this.#performed
    } catch (error) {
      if (error instanceof EntityKitFailure) pointAt(error, site)
      throw error
    }
  }

  async #succeeded(): Promise<CommandOutcome<State, Events, Answer>> {
    const { outcome, error } = await this.#performed
    if (error !== undefined) throw error
    return outcome as CommandOutcome<State, Events, Answer>
  }

  async #expect(expected: object, site: TestLine): Promise<unknown> {
    const { title, outcome, error } = await this.#performedAt(site)
    if (error !== undefined) {
      throw new EntityKitFailure(`${title} failed with ${inWords(error)}`, {
        ...{ expected, actual: error, cause: error, site },
      })
    }
    const unknown = Object.keys(expected).filter((name) => !parts.some((part) => part === name))
    if (unknown.length > 0) {
      throw new EntityKitMisuse(
        `${title}: nothing is known of ${unknown.join(', ')}. What can be expected is ${parts.join(', ')}.`,
      )
    }
    const wanted = expected as ExpectedOutcome<unknown, unknown, unknown>
    const looked = parts.filter((name) => Object.hasOwn(expected, name))
    const wrong = looked.filter((name) => !isEqual(wanted[name], outcome[name]))
    if (wrong.length === 0) return outcome
    const lines = wrong.flatMap((name) => sides(name, wanted[name], outcome[name]))
    const actual = Object.fromEntries(looked.map((name) => [name, outcome[name]]))
    const message = [`${title} did not do what was expected.`, ...lines].join('\n')
    throw new EntityKitFailure(message, { expected, actual, site })
  }
}

/* oxlint-enable unicorn/no-thenable */

/**
 * A property that no step has, and that none needs to be called: for the compiler a step is assignable to it, but is no
 * subtype of it. So `await` does not look at the signature that has it, and finds the one that is like that of a promise.
 */
interface NotForAwait {
  readonly notForAwait?: never
}

const parts = ['events', 'answer', 'state', 'calls'] as const

type Part = (typeof parts)[number]

function sides(name: Part, expected: unknown, actual: unknown): string[] {
  const shown = (value: unknown): string => shownPart(name, value)
  const difference = describeDifference(expected, actual)
  return [
    `  expected ${name}: ${shown(expected)}`,
    `  actual ${name}:   ${shown(actual)}`,
    ...(difference === '' ? [] : [`  ${difference}`]),
  ]
}

function shownPart(name: Part, value: unknown): string {
  if (!Array.isArray(value) || (name !== 'events' && name !== 'calls')) return show(value, 500)
  if (value.length === 0) return 'none'
  return value.map(name === 'events' ? shownEvent : shownCalled).join(', ')
}

/** `Withdrawn(3)` */
export function shownEvent(event: unknown): string {
  if (!Array.isArray(event) || typeof event[0] !== 'string') return show(event)
  const [name, ...args] = event as [string, ...unknown[]]
  return showCall(name, args)
}

/** `Wallet/bob.reserve(5)` */
function shownCalled(call: unknown): string {
  if (!Array.isArray(call) || call.length < 3) return show(call)
  const [type, id, command, ...args] = call as unknown as RecordedCall
  return `${type}/${id}.${showCall(command, args)}`
}

function isMeant(error: Error, expected: string | RegExp): boolean {
  const { cause } = error
  const thrown = error instanceof CommandFailed && cause instanceof Error ? cause : error
  if (typeof expected !== 'string') return thrown.message.search(expected) >= 0
  const codes = [error, thrown].flatMap((each) => [
    (each as { readonly code?: unknown }).code,
    each.name,
  ])
  return codes.includes(expected) || thrown.message.includes(expected)
}

/** What the command threw, where it was the command that failed. */
function inWords(error: Error): string {
  if (error instanceof CommandFailed && error.cause instanceof Error) {
    const { name, message } = error.cause
    const { errorCode } = error
    return `${name}${errorCode === undefined ? '' : ` ${show(errorCode)}`}: ${message}`
  }
  if (error instanceof CallError) return `${error.code}: ${error.message}`
  return `${error.name}: ${error.message}`
}

function wordsOf(expected: string | RegExp | undefined): string {
  return expected === undefined ? 'an error' : String(expected)
}

function shownPattern(expected: string | RegExp): string {
  return typeof expected === 'string' ? show(expected) : String(expected)
}
