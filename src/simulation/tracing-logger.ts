/** A logger whose lines become events of the trace. Errors keep name and message; their stacks differ between machines. */
import type { LogFields, Logger, LogLevel } from '../foundation/logger.ts'
import { show } from '../foundation/show.ts'

export type LogSink = (level: LogLevel, line: string) => void

export function tracingLogger(sink: LogSink, context: LogFields = {}): Logger {
  const write =
    (level: LogLevel) =>
    (fields: LogFields, message: string): void => {
      sink(level, `${message}${describe({ ...context, ...fields })}`)
    }
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => tracingLogger(sink, { ...context, ...fields }),
  }
}

function describe(fields: LogFields): string {
  return Object.entries(fields)
    .map(
      ([key, value]) =>
        ` ${key}=${value instanceof Error ? `${value.name}: ${value.message}` : show(value)}`,
    )
    .join('')
}
