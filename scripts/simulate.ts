/** Runs a scenario under many seeds: `npm run simulate -- --help`. */
import { mutantIn, seedMutant } from './simulate/mutant.ts'

const words = process.argv.slice(2)
const mutant = mutantIn(words)
const problem = mutant === undefined ? undefined : seedMutant(mutant)
if (problem !== undefined) {
  process.stderr.write(`${problem}\nTry: npm run simulate -- --help\n`)
  process.exit(1)
}

// Only now: what it imports may have been edited.
const { runCommand } = await import('./simulate/command.ts')

process.exitCode = await runCommand(words, {
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  ...(process.stderr.isTTY
    ? { progress: (line: string) => void process.stderr.write(`\r\u001b[K${line}`) }
    : {
        // A log gets a line now and then, so that a long run can be told from one that hangs.
        progress: (line: string) => void (line !== '' && process.stderr.write(`${line}\n`)),
        progressEveryMs: 10_000,
      }),
  now: () => performance.now(),
})
