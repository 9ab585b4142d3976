/** One question of a test to its probe: how long it waits, where it was asked, and how its failure reads. */
import { type Duration, formatMs, toMs } from '../foundation/duration.ts'
import { clip, escapeControls } from '../foundation/text.ts'
import type { Bell } from './bell.ts'
import { shownValue } from './listed.ts'
import type { ManualTime } from './manual-time.ts'
import { defaultPatienceMs, realMs } from './patience.ts'
import { type TestLine, pointAt, ProbeFailure } from './probe-failure.ts'
import { type WaitEnd, waitUntil } from './wait-until.ts'

/** How long to wait, and what to say when it was in vain. */
export interface ExpectOptions {
  /**
   * How long it may take, in real time. When not given it is 3 s, and on manual time less: as soon as nothing moves any
   * more, waiting is over.
   */
  readonly within?: Duration
  /** What to look at when it does not come; the failure message ends with it. */
  readonly hint?: string
}

export class Expectation {
  readonly #withinMs: number
  /** Set when waiting may end as soon as nothing moves. */
  readonly #time: ManualTime | undefined
  readonly #what: string
  readonly #hint: string | undefined
  readonly #site: TestLine
  #endMs: number | undefined

  constructor(
    what: string,
    options: ExpectOptions,
    { site, time }: { readonly site: TestLine; readonly time: ManualTime | undefined },
  ) {
    this.#what = what
    this.#hint = options.hint
    this.#site = site
    this.#time = options.within === undefined ? time : undefined
    this.#withinMs = toMs(options.within ?? defaultPatienceMs, 'within')
  }

  /** Waits for what is left of its time, which begins with the first wait. */
  wait(isDone: () => boolean, bell: Bell): Promise<WaitEnd> {
    this.#endMs ??= realMs() + this.#withinMs
    return waitUntil(isDone, { bell, endMs: this.#endMs, time: this.#time })
  }

  /** Waits until everybody has come to rest. */
  async rest(time: ManualTime): Promise<void> {
    try {
      await time.settle()
    } catch (error) {
      if (error instanceof Error) pointAt(error, this.#site)
      throw error
    }
  }

  /** It did not come: `Expected … within 3 s, but …`. */
  lost(outcome: WaitEnd, but: string, details: readonly string[]): ProbeFailure {
    const limit = outcome === 'time-is-up' ? ` within ${formatMs(this.#withinMs)}` : ''
    const still = outcome === 'nothing-moves' ? ', and nothing moves any more' : ''
    return this.failure(`Expected ${this.#what}${limit}, but ${but}${still}.`, details)
  }

  /** Something else came: `Expected …, but …`. */
  refuted(but: string, detail = ''): ProbeFailure {
    return this.failure(`Expected ${this.#what}, but ${but}.`, [detail])
  }

  failure(text: string, details: readonly string[]): ProbeFailure {
    const hint = this.#hint === undefined ? '' : `Hint: ${this.#hint}`
    const sentences = [text, ...details, hint].filter((sentence) => sentence !== '')
    return new ProbeFailure(sentences.join(' '), this.#site)
  }
}

/** A value as it is, a predicate by its source. */
export function shownExpected(expected: unknown): string {
  if (typeof expected !== 'function') return shownValue(expected)
  const source = Function.prototype.toString.call(expected).replaceAll(/\s+/g, ' ')
  return `a message that satisfies ${escapeControls(clip(source, 120))}`
}

/** Why time may be the reason: a sentence, empty when it is not manual. */
export function describeTime(time: ManualTime | undefined): string {
  if (time === undefined) return ''
  const next = time.nextDeadline
  const nextTimer =
    next === undefined ? 'no timer waits' : `the next timer is due in ${formatMs(next - time.now)}`
  return `Manual time stands at ${formatMs(time.now)}; ${nextTimer}.`
}
