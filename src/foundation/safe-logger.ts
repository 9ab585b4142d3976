/** A logger whose failures stay its own: a full disk must not stop an actor. */
import { withFields } from './prefixed-logger.ts'
import type { LogFields, Logger, LogLevel } from './logger.ts'

export function safeLogger(logger: Logger): Logger {
  const at =
    (level: LogLevel) =>
    (fields: LogFields, message: string): void => {
      try {
        logger[level](fields, message)
      } catch {
        // There is nobody left to tell.
      }
    }
  const levels: Logger = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  }
  const child = (fields: LogFields): Logger => {
    try {
      return safeLogger(withFields(logger, fields))
    } catch {
      // It can still say the fields line by line.
      return safeLogger(withFields(levels, fields))
    }
  }
  return { ...levels, child }
}
