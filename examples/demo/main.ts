/**
 * `npm start`: a bank on three processes and one store, with keys to kill them. Accounts are entities that live once in
 * the cluster; tellers on every node move money between them. In the end every coin must be where it belongs.
 *
 * Read first account.ts, the whole of what one writes; then node-process.ts and teller.ts, how it is run and called. The
 * rest is the show: demo.ts the operator, scene.ts what is known, render.ts how it looks.
 *
 * In a program of your own, write 'sherd' where it says '../../src/index.ts' here.
 */
import { runBank } from './day.ts'
import { parseOptions, usage } from './options.ts'

try {
  const options = parseOptions(process.argv.slice(2))
  if (options === undefined) console.log(usage)
  else process.exitCode = await runBank(options)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
