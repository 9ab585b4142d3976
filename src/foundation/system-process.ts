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
      process.on(signal, onSignal)
      // Many systems in one process are no leak.
      const count = process.listenerCount(signal)
      if (count > process.getMaxListeners()) process.setMaxListeners(count)
    }
    return { remove }
  },

  exit(code) {
    process.exit(code)
  },
}
