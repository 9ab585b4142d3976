/** A terminal for tests: keeps what was said. */
import { systemEnvironment } from '../../src/foundation/system-environment.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

export interface SilentTerminal extends Terminal {
  readonly printed: string[]
  readonly noted: string[]
}

export function silentTerminal(parts: Partial<Terminal> = {}): SilentTerminal {
  const { clock, timers, process } = systemEnvironment()
  const printed: string[] = []
  const noted: string[] = []
  return {
    print: async (line) => void printed.push(...line.split('\n')),
    note: (line) => void noted.push(line),
    progress: () => undefined,
    progressEveryMs: 0,
    ...{ clock, timers, process },
    signal: new AbortController().signal,
    ...parts,
    printed,
    noted,
  }
}
