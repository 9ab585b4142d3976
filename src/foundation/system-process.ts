/** The Node.js process we run in. */
import type { HostProcess } from './host-process.ts'

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
      // Many systems in one process are no leak. Node warns as it adds one too many, and 0 is no limit.
      const count = process.listenerCount(signal) + 1
      const max = process.getMaxListeners()
      if (max > 0 && count > max) process.setMaxListeners(count)
      process.on(signal, onSignal)
    }
    return { remove }
  },

  exit(code) {
    process.exit(code)
  },
}
