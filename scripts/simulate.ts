/** Runs a scenario under many seeds: `npm run simulate -- --help`. */
import { seedMutant } from './simulate/mutant.ts'

const words = process.argv.slice(2)
const mutant = words[words.indexOf('--mutant') + 1]
if (words.includes('--mutant') && mutant !== undefined) seedMutant(mutant)

// Only now: what it imports may have been edited.
const { runCommand } = await import('./simulate/command.ts')

process.exitCode = await runCommand(words, {
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  // Progress is for people: a file or a pipe gets the result only.
  ...(process.stderr.isTTY && {
    progress: (line) => void process.stderr.write(`\r\u001b[K${line}`),
  }),
  now: () => performance.now(),
})
