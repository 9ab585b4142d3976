/** The port for words to the operator: the part of pino's shape that we call. Any pino logger fits as it is. */
export interface Logger {
  trace(fields: LogFields, message: string): void
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** A logger that adds these fields to every line. Without it the fields are added by us. */
  child?(fields: LogFields): Logger
}

/** Data of a log line. An error goes under `err`, as pino has it. */
export type LogFields = Readonly<Record<string, unknown>>

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'
