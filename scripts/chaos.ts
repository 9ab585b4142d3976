/** Runs chaos scenarios on real processes: `npm run chaos -- --help`. */
import { runChaos } from './chaos/command.ts'

process.exitCode = await runChaos(process.argv.slice(2), {
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  now: () => performance.now(),
})
