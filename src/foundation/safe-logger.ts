/** A logger whose failures stay its own: a full disk must not stop an actor. */
import { problemsWithLogger } from './environment.ts'
import { prefixed, withFields } from './with-fields.ts'
import type { LogFields, Logger, LogLevel } from './logger.ts'

export function safeLogger(logger: Logger): Logger {
  const at =
    (level: LogLevel) =>
    (fields: LogFields, message: string): void => {
      try {
        const outcome: unknown = logger[level](fields, message)
        if (outcome instanceof Promise) outcome.catch(() => undefined)
      } catch {
        // There is nobody left to tell.
      }
    }
  return {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => safeLogger(childOf(logger, fields)),
  }
}

/** A `child` that throws or answers no logger costs nothing but itself: the fields are then added by us. */
function childOf(logger: Logger, fields: LogFields): Logger {
  try {
    const child = withFields(logger, fields)
    if (problemsWithLogger(child).length === 0) return child
  } catch {
    // There is nobody to tell.
  }
  return prefixed(logger, fields)
}
