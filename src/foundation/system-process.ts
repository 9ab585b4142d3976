/** The Node.js process we run in. */
import type { HostProcess } from './host-process.ts'
import { identityOf, isGone, isRunning } from './process-identity.ts'
import { systemProcessTable } from './system-process-table.ts'

/** A terminal and a process manager may both pass on one Ctrl-C: what comes this soon is not a second one. */
const echoMs = 500

export const systemProcess: HostProcess = {
  onTerminationSignal(listener) {
    const remove = (): void => {
      process.off('SIGTERM', onSignal)
      process.off('SIGINT', onSignal)
    }
    let firstMs = Infinity
    const onSignal = (signal: NodeJS.Signals): void => {
      if (firstMs === Infinity) {
        firstMs = performance.now()
        return listener(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM')
      }
      if (performance.now() - firstMs < echoMs) return
      // With nobody listening the signal does what it does without us, even if the listener hangs.
      remove()
      process.kill(process.pid, signal)
    }
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      allowListenerOf(signal)
      process.on(signal, onSignal)
    }
    return { remove }
  },

  onEscapedError(listener) {
    // Rejections come here too, unless somebody else listens to those.
    const onError = (error: unknown): void => listener(error)
    allowListenerOf('uncaughtException')
    process.on('uncaughtException', onError)
    return { remove: () => void process.off('uncaughtException', onError) }
  },

  exit(code) {
    process.exit(code)
  },

  get identity() {
    return identityOf(systemProcessTable())
  },

  isGone(identity) {
    return isGone(systemProcessTable(), identity)
  },

  isRunning(identity) {
    return isRunning(systemProcessTable(), identity)
  },
}

/** Many systems in one process are no leak. Node warns as it adds one too many, and 0 is no limit. */
function allowListenerOf(event: string): void {
  const count = process.listenerCount(event) + 1
  const max = process.getMaxListeners()
  if (max > 0 && count > max) process.setMaxListeners(count)
}
