/** A logger for the stores that a command opens: what matters goes to the person who waits, the rest nowhere. */
import type { LogFields, Logger } from '../foundation/logger.ts'
import type { Terminal } from './terminal.ts'

export function noteLogger({ note }: Pick<Terminal, 'note'>): Logger {
  const quiet = (): void => undefined
  const loud = (_: LogFields, message: string): void => note(message)
  return { trace: quiet, debug: quiet, info: quiet, warn: loud, error: loud }
}
