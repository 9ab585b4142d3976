/** A logger that keeps what it is told instead of printing it, for tests to look at and to wait for. */
import { type Duration, formatMs, toMs } from '../foundation/duration.ts'
import type { LogFields, Logger, LogLevel } from '../foundation/logger.ts'
import { show } from '../foundation/show.ts'
import { Bell } from './bell.ts'
import { listed } from './listed.ts'
import { defaultPatienceMs, realMs } from './patience.ts'
import { ProbeFailure, callSite } from './probe-failure.ts'
import { waitUntil } from './wait-until.ts'

/** The oldest lines go when there are more. */
const linesMax = 10_000

/** One line as it was logged. */
export interface CapturedLine {
  readonly level: LogLevel
  readonly message: string
  /** Those of the line and of the logger that was given to whoever spoke. */
  readonly fields: LogFields
}

/** Which level, and how long to wait. */
export interface LogExpectOptions {
  /** Any level when not given. */
  readonly level?: LogLevel
  /** How long the line may take to come, in real time; 3 s when not given. */
  readonly within?: Duration
}

/** A logger that keeps its lines, to look at and to wait for. */
export class CapturedLogs implements Logger {
  readonly #lines: CapturedLine[] = []
  readonly #bell = new Bell()

  /** Everything logged so far, oldest first. */
  get lines(): readonly CapturedLine[] {
    return [...this.#lines]
  }

  /** The lines whose message, or whose error's message, contains the text or matches the pattern. */
  matching(pattern: string | RegExp, level?: LogLevel): readonly CapturedLine[] {
    return this.#lines.filter((line) => isMatch(line, pattern, level))
  }

  /** Resolves with the first such line, logged before or yet to come. */
  async expect(pattern: string | RegExp, options: LogExpectOptions = {}): Promise<CapturedLine> {
    const site = callSite(this.expect)
    const { level } = options
    const withinMs = toMs(options.within ?? defaultPatienceMs, 'within')
    const find = (): CapturedLine | undefined =>
      this.#lines.find((line) => isMatch(line, pattern, level))
    const isThere = (): boolean => find() !== undefined
    const endMs = realMs() + withinMs
    await waitUntil(isThere, { bell: this.#bell, endMs, time: undefined })
    const line = find()
    if (line !== undefined) return line
    const expected = `a log line ${level === undefined ? '' : `at level ${level} `}with ${shown(pattern)}`
    const came =
      this.#lines.length === 0 ? 'none came' : `these came: ${listed(this.#lines.map(showLine))}`
    throw new ProbeFailure(`Expected ${expected} within ${formatMs(withinMs)}, but ${came}.`, site)
  }

  /** Forgets all lines. */
  clear(): void {
    this.#lines.length = 0
  }

  trace(fields: LogFields, message: string): void {
    this.#keep('trace', fields, message)
  }

  debug(fields: LogFields, message: string): void {
    this.#keep('debug', fields, message)
  }

  info(fields: LogFields, message: string): void {
    this.#keep('info', fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#keep('warn', fields, message)
  }

  error(fields: LogFields, message: string): void {
    this.#keep('error', fields, message)
  }

  child(fields: LogFields): Logger {
    return this.#withFields(fields)
  }

  #withFields(context: LogFields): Logger {
    const keep =
      (level: LogLevel) =>
      (fields: LogFields, message: string): void =>
        this.#keep(level, { ...context, ...fields }, message)
    return {
      trace: keep('trace'),
      debug: keep('debug'),
      info: keep('info'),
      warn: keep('warn'),
      error: keep('error'),
      child: (fields) => this.#withFields({ ...context, ...fields }),
    }
  }

  #keep(level: LogLevel, fields: LogFields, message: string): void {
    if (this.#lines.length >= linesMax) this.#lines.shift()
    this.#lines.push({ level, message, fields })
    this.#bell.ring()
  }
}

function isMatch(line: CapturedLine, pattern: string | RegExp, level?: LogLevel): boolean {
  if (level !== undefined && line.level !== level) return false
  const isIn = (text: string): boolean =>
    typeof pattern === 'string' ? text.includes(pattern) : text.search(pattern) >= 0
  const { err } = line.fields
  return isIn(line.message) || (err instanceof Error && isIn(err.message))
}

function shown(pattern: string | RegExp): string {
  return typeof pattern === 'string' ? show(pattern) : String(pattern)
}

function showLine({ level, message, fields }: CapturedLine): string {
  const { err } = fields
  const text = err instanceof Error ? `${message}: ${err.message}` : message
  return `${level} ${show(text)}`
}
