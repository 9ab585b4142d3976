/** What must be undone however this process ends, short of kill -9: at its exit, or when a signal ends it. */

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Calls `cleanUpNow` when the process ends; it cannot wait for anything. Answers how to take that back. */
export function atTheEnd(cleanUpNow: () => void): () => void {
  const signalled = (signal: NodeJS.Signals): void => {
    cleanUpNow()
    takeBack()
    // Whoever is the last to take back leaves the signal to the system, which ends the process as it would have.
    process.kill(process.pid, signal)
  }
  const takeBack = (): void => {
    process.off('exit', cleanUpNow)
    for (const signal of signals) process.off(signal, signalled)
  }
  process.on('exit', cleanUpNow)
  for (const signal of signals) process.on(signal, signalled)
  return takeBack
}
