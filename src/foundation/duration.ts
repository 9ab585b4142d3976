/**
 * Lengths of time as people write them: `'10s'`, `'1.5m'`, or a plain number of milliseconds. Rooms calculate in
 * milliseconds only; `toMs` is called once, where a user's value enters.
 */
import { CodedError } from './coded-error.ts'
import { show } from './show.ts'

/** A number is milliseconds; a string carries its unit. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** A length of time that is not one. The text names the setting and shows what would be right. */
export class InvalidDuration extends CodedError {
  readonly code = 'INVALID_DURATION'
  readonly value: unknown

  constructor(value: unknown, what: string) {
    super(
      `${what} is not a length of time: ${show(value, 60)}; ` +
        `write milliseconds or a number with a unit (ms, s, m, h, d), such as 250, '10s' or '1.5m'`,
    )
    this.value = value
  }
}

const pattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Milliseconds of a duration; `what` is the name by which the user knows the value. */
export function toMs(duration: Duration, what = 'duration'): number {
  const ms = typeof duration === 'number' ? duration : parse(duration)
  if (!(ms >= 0 && ms < Infinity)) throw new InvalidDuration(duration, what)
  // Minus zero becomes zero.
  return ms + 0
}

export function seconds(count: number): number {
  return count * 1_000
}

export function minutes(count: number): number {
  return count * 60_000
}

/** A length of time for people, in at most two units: `250 ms`, `1.5 s`, `1 m 30 s`, `2 d 4 h`. */
export function formatMs(ms: number): string {
  if (!Number.isFinite(ms)) return `${ms} ms`
  if (ms < 0) return `-${formatMs(-ms)}`
  // Each unit rounds before it is chosen, so that 59,999 ms is `1 m` and never `60 s`.
  const wholeMs = Math.round(ms * 100) / 100
  if (wholeMs < 1_000) return `${wholeMs} ms`
  const inSeconds = Math.round(ms / 10) / 100
  if (inSeconds < 60) return `${inSeconds} s`
  const wholeSeconds = Math.round(ms / 1_000)
  if (wholeSeconds < 3_600) return inTwoUnits(wholeSeconds, 60, 'm', 's')
  const wholeMinutes = Math.round(ms / 60_000)
  if (wholeMinutes < 1_440) return inTwoUnits(wholeMinutes, 60, 'h', 'm')
  return inTwoUnits(Math.round(ms / 3_600_000), 24, 'd', 'h')
}

function parse(text: unknown): number {
  const match = typeof text === 'string' ? pattern.exec(text) : null
  if (match === null) return NaN
  const [, digits, unit = ''] = match
  const factor = secondsPerUnit[unit]
  // The decimal point is moved in the text: 1.005 * 1000 would be 1004.9999999999999.
  return factor === undefined ? Number(digits) : Number(`${digits}e3`) * factor
}

function inTwoUnits(count: number, perLarge: number, large: string, small: string): string {
  const rest = count % perLarge
  const whole = `${Math.floor(count / perLarge)} ${large}`
  return rest === 0 ? whole : `${whole} ${rest} ${small}`
}
