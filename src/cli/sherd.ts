#!/usr/bin/env node
/**
 * The command line: `sherd copy`, `sherd look` and `sherd schema`, for the person who looks after a store. This file is the
 * program; it gives the process to the rest of the room.
 *
 * Reading order: `command-line.ts`, `command.ts`, then a file for each command. What they do with a store is in
 * `persistence/transfer`; whether nodes use it, `running-nodes.ts` finds out.
 */
import { runCommandLine } from './command-line.ts'
import { ProcessTerminal } from './process-terminal.ts'

const terminal = new ProcessTerminal()
process.exitCode = terminal.exitCodeFor(await runCommandLine(process.argv.slice(2), terminal))
