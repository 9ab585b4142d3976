/** A host process that nobody asks to end, and that does not end. */
import type { HostProcess } from '../foundation/host-process.ts'

export const silentProcess: HostProcess = {
  onTerminationSignal: () => ({ remove: () => undefined }),
  onEscapedError: () => ({ remove: () => undefined }),
  exit: () => undefined,
}
