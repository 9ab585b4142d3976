/** From words to a command, and from its end to an exit code. What goes wrong is said in words; a stack is for our mistakes. */
import { CodedError } from '../foundation/coded-error.ts'
import { show } from '../foundation/show.ts'
import { escapeControls } from '../foundation/text.ts'
import { unknownSettings } from '../foundation/unknown-names.ts'
import { UsageError } from './cli-errors.ts'
import type { Command, ExitCode } from './command.ts'
import { copyCommand } from './copy-command.ts'
import { lookCommand } from './look-command.ts'
import { parseOptions } from './options.ts'
import { removeShardingDataCommand } from './remove-sharding-data-command.ts'
import { schemaCommand } from './schema-command.ts'
import type { Terminal } from './terminal.ts'

const commands: readonly Command[] = [
  copyCommand,
  lookCommand,
  schemaCommand,
  removeShardingDataCommand,
]

const longest = Math.max(...commands.map(({ name }) => name.length))

const help = `sherd COMMAND [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(longest + 2)}${summary}`).join('\n')}

\`sherd COMMAND --help\` tells more of each.`

const helpWords: readonly string[] = ['help', '--help', '-h']

export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const [first = 'help', ...rest] = words
  const isHelp = helpWords.includes(first)
  const name = isHelp ? rest[0] : first
  const command = commands.find((each) => each.name === name)
  try {
    if (isHelp && name === undefined) return await printed(help, terminal)
    if (command === undefined) throw new UsageError(unknownCommand(name ?? ''))
    if (isHelp) return await printed(command.help, terminal)
    const options = parseOptions(rest, command.options, `sherd ${command.name}`)
    if (options.has('help')) return await printed(command.help, terminal)
    return await command.run(options, terminal)
  } catch (error) {
    return endedBy(error, command, terminal)
  }
}

async function printed(text: string, terminal: Terminal): Promise<ExitCode> {
  await terminal.print(text)
  return 0
}

function unknownCommand(name: string): string {
  const known = Object.fromEntries(commands.map((each) => [each.name, true]))
  return unknownSettings({ [name]: true }, known, 'a command of sherd').join()
}

function endedBy(error: unknown, command: Command | undefined, terminal: Terminal): ExitCode {
  if (terminal.signal.aborted && error === terminal.signal.reason) {
    terminal.note(`sherd: ${wordsOf(error)}`)
    return 130
  }
  if (error instanceof UsageError) {
    const name = command === undefined ? 'sherd' : `sherd ${command.name}`
    terminal.note(`${name}: ${escapeControls(error.message)}\nTry: ${name} --help`)
    return 2
  }
  terminal.note(`sherd: ${wordsOf(error)}`)
  return 1
}

function wordsOf(error: unknown): string {
  if (error instanceof CodedError) return `${escapeControls(error.message)} [${error.code}]`
  return error instanceof Error ? (error.stack ?? error.message) : show(error)
}
