/**
 * A process that exits while a commit is under way would hang for ever with the store's write lock: at its exit Node waits
 * for the thread that commits, and that thread waits for JavaScript. All nodes of the host would stand still. So such a
 * process ends itself at once; what was acknowledged is stored, and the lock is handed on.
 */
import { writeSync } from 'node:fs'
import { inspect } from 'node:util'

const standardError = 2

/** Answers how to end the watch. */
export function guardExit(isCommitting: () => boolean): () => void {
  let fault: { readonly error: unknown } | undefined
  // Node prints the error only after the listeners of `exit`.
  const remember = (error: unknown): void => void (fault = { error })
  const endAtOnce = (): void => {
    if (!isCommitting()) return
    const words =
      'This process exits during a commit of its journal, and is killed so that no lock is left.'
    try {
      if (fault !== undefined) writeSync(standardError, `${inspect(fault.error)}\n`)
      writeSync(standardError, `${words} Await node.stop() before process.exit().\n`)
    } finally {
      process.kill(process.pid, 'SIGKILL')
    }
  }
  process.on('uncaughtExceptionMonitor', remember)
  process.on('exit', endAtOnce)
  return () => {
    process.off('uncaughtExceptionMonitor', remember)
    process.off('exit', endAtOnce)
  }
}
