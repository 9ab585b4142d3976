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
  return {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => safeLogger(withFields(logger, fields)),
  }
}
