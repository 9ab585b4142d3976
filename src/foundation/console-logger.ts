/** The logger that a system has when it is given none: lines for people on a terminal, JSON lines everywhere else. */
import type { Clock } from './clock.ts'
import { jsonLine, type LogLine, mergeFields, readableLine } from './log-line.ts'
import type { LogFields, Logger, LogLevel } from './logger.ts'
import { systemClock } from './system-clock.ts'

export interface ConsoleLoggerOptions {
  /** Lines below this level are not written. `info` when left out. */
  readonly level?: LogLevel
  /** Receives each line, without the line break at its end. Standard error when left out. */
  readonly write?: (line: string) => void
  /** True for JSON, false for people. When left out: JSON unless the lines go to a terminal. */
  readonly json?: boolean
  readonly clock?: Clock
}

export function consoleLogger(options: ConsoleLoggerOptions = {}): Logger {
  const isTerminal = options.write === undefined && process.stderr.isTTY
  const hasColour = isTerminal && process.stderr.hasColors()
  const isJson = options.json ?? !isTerminal
  return new ConsoleLogger(
    {},
    {
      clock: options.clock ?? systemClock,
      lowestRank: ranks[options.level ?? 'info'],
      format: isJson ? jsonLine : (line) => readableLine(line, timeOfDay(line.wallMs), hasColour),
      write: options.write ?? ((line) => process.stderr.write(`${line}\n`)),
    },
  )
}

const ranks: Readonly<Record<LogLevel, number>> = { trace: 0, debug: 1, info: 2, warn: 3, error: 4 }

interface Output {
  readonly clock: Clock
  readonly lowestRank: number
  readonly format: (line: LogLine) => string
  readonly write: (line: string) => void
}

class ConsoleLogger implements Logger {
  readonly #fields: LogFields
  readonly #output: Output

  constructor(fields: LogFields, output: Output) {
    this.#fields = fields
    this.#output = output
  }

  trace(fields: LogFields, message: string): void {
    this.#log('trace', fields, message)
  }

  debug(fields: LogFields, message: string): void {
    this.#log('debug', fields, message)
  }

  info(fields: LogFields, message: string): void {
    this.#log('info', fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#log('warn', fields, message)
  }

  error(fields: LogFields, message: string): void {
    this.#log('error', fields, message)
  }

  child(fields: LogFields): Logger {
    return new ConsoleLogger(mergeFields(this.#fields, fields), this.#output)
  }

  #log(level: LogLevel, fields: LogFields, message: string): void {
    const { clock, format, lowestRank, write } = this.#output
    if (ranks[level] < lowestRank) return
    const allFields = mergeFields(this.#fields, fields)
    write(format({ level, wallMs: clock.wallMs(), message, fields: allFields }))
  }
}

/** `12:03:04.567` in the time zone of the host. */
function timeOfDay(wallMs: number): string {
  const time = new Date(wallMs)
  const two = (value: number): string => String(value).padStart(2, '0')
  const ms = String(time.getMilliseconds()).padStart(3, '0')
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${ms}`
}
