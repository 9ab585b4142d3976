/** Loggers that say the same fields on every line, such as the node and the actor that speak. */
import type { LogFields, Logger } from './logger.ts'

/** `logger` with `fields` on every line. A field of the line itself wins over one of the same name here. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  return logger.child === undefined ? prefixed(logger, fields) : logger.child(fields)
}

/** The same without asking the logger for it. */
export function prefixed(logger: Logger, fields: LogFields): Logger {
  return {
    trace: (lineFields, message) => logger.trace({ ...fields, ...lineFields }, message),
    debug: (lineFields, message) => logger.debug({ ...fields, ...lineFields }, message),
    info: (lineFields, message) => logger.info({ ...fields, ...lineFields }, message),
    warn: (lineFields, message) => logger.warn({ ...fields, ...lineFields }, message),
    error: (lineFields, message) => logger.error({ ...fields, ...lineFields }, message),
    child: (childFields) => prefixed(logger, { ...fields, ...childFields }),
  }
}
