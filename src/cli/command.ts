/** What a command is to the command line. */
import type { OptionKinds, Options } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface Command {
  readonly name: string
  /** For the list of commands: what it does, in a few words. */
  readonly summary: string
  readonly help: string
  readonly options: OptionKinds
  run(options: Options, terminal: Terminal): Promise<ExitCode>
}

/** 0: done. 1: it failed, was refused, or found differences. 2: the words made no command. 130: it was interrupted. */
export type ExitCode = 0 | 1 | 2 | 130
