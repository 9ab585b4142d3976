/** Loggers that say the same fields on every line, such as the node and the actor that speak. */
import type { LogFields, Logger } from './logger.ts'

/** `logger` with `fields` on every line. A field of the line itself wins over one of the same name here. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  if (logger.child !== undefined) return logger.child(fields)
  return {
    trace: (lineFields, message) => logger.trace({ ...fields, ...lineFields }, message),
    debug: (lineFields, message) => logger.debug({ ...fields, ...lineFields }, message),
    info: (lineFields, message) => logger.info({ ...fields, ...lineFields }, message),
    warn: (lineFields, message) => logger.warn({ ...fields, ...lineFields }, message),
    error: (lineFields, message) => logger.error({ ...fields, ...lineFields }, message),
    child: (childFields) => withFields(logger, { ...fields, ...childFields }),
  }
}
