/** Runs a scenario under many seeds: `npm run simulate -- --help`. */
import { runCommand } from './simulate/command.ts'

process.exitCode = await runCommand(process.argv.slice(2), {
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  // Progress is for people: a file or a pipe gets the result only.
  ...(process.stderr.isTTY && {
    progress: (line) => void process.stderr.write(`\r\u001b[K${line}`),
  }),
  now: () => performance.now(),
})
