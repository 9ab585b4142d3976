/**
 * An actor system for measuring: real in everything but the log, which would only tell of systems
 * that end after their round, and the signals, so that Ctrl-C ends a benchmark.
 */
import { ActorSystem } from '../src/actor/index.ts'

const say = (): void => {}
export const logger = {
  trace: say,
  debug: say,
  info: say,
  warn: console.warn,
  error: console.error,
}

export function quietSystem(): ActorSystem {
  return new ActorSystem('bench', { environment: { logger }, settings: { hookSignals: false } })
}
