/** A host process that nobody asks to end, that does not end, and that knows of no other. */
import type { HostProcess } from '../foundation/host-process.ts'

export const silentProcess: HostProcess = {
  onTerminationSignal: () => ({ remove: () => undefined }),
  onEscapedError: () => ({ remove: () => undefined }),
  exit: () => undefined,
  identity: undefined,
  isGone: () => false,
  isRunning: () => false,
}
