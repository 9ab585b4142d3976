/** Where a command runs: whom it talks to, what time it is, and when it shall stop. The port of this room to the process. */
import type { Clock } from '../foundation/clock.ts'
import type { HostProcess } from '../foundation/host-process.ts'
import type { Timers } from '../foundation/timers.ts'

export interface Terminal {
  /** A line of what was asked for. Resolves when there is room for the next one. */
  print(line: string): Promise<void>
  /** A line for the person who waits. */
  note(line: string): void
  /** How far it has come: in the place of the last one on a screen, a line of its own in a log. Empty: nothing more. */
  progress(line: string): void
  /** How often `progress` is worth a call. */
  readonly progressEveryMs: number
  readonly clock: Clock
  readonly timers: Timers
  readonly process: Pick<HostProcess, 'isGone'>
  /** Aborts on Ctrl-C, and when nobody reads any more. */
  readonly signal: AbortSignal
}

/** Tells of progress, and no more often than the terminal wants. */
export function progressOn(terminal: Terminal): (line: () => string) => void {
  const { clock, progressEveryMs } = terminal
  let toldAt = clock.monotonicMs()
  return (line) => {
    const now = clock.monotonicMs()
    if (now - toldAt < progressEveryMs) return
    toldAt = now
    terminal.progress(line())
  }
}
