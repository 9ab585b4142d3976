/**
 * A bank of actors. A thousand accounts are actors, and so are the tellers who move money between them by asking. A
 * saboteur makes accounts fail in the middle of their work; supervision brings them back. In the end every coin must be
 * where the books say it is. Read on with bank.ts, account.ts and teller.ts.
 *
 * In a program of your own, write 'sherd' where it says '../../src/index.ts' here.
 */
import { ActorSystem, consoleLogger } from '../../src/index.ts'
import { type BankPlan, bank, problemsWith } from './bank.ts'
import type { Statement } from './messages.ts'
import { type DemoOptions, parseOptions, usage } from './options.ts'
import { rehearseAll } from './rehearsal.ts'
import { inWords, lostInWords, reporter } from './reporter.ts'

const plan: BankPlan = {
  accounts: 1_000,
  coins: 1_000,
  tellers: 64,
  pauseMs: 0,
  sabotageEveryMs: 5,
}

async function main({ seconds, seeds }: DemoOptions): Promise<number> {
  // Each failure is logged as a warning, and there are hundreds: only errors are shown.
  const logger = consoleLogger({ level: 'error' })
  const system = new ActorSystem('demo', { environment: { logger } })
  const opened = system.spawn(bank(plan), 'bank')
  system.spawn(reporter(opened), 'reporter')
  console.log(
    `The bank is open: ${inWords(plan.accounts)} accounts with ${inWords(plan.coins)} coins each, ` +
      `${plan.tellers} tellers, and a saboteur who makes accounts fail.`,
  )

  let statement: Statement | undefined
  // Closing is part of the shutdown, so that Ctrl-C closes the bank as the end of the day does.
  system.shutdown.addTask('service-requests-done', 'close the bank', async () => {
    statement = await opened.ask<Statement>((replyTo) => ({ type: 'Close', replyTo }))
  })
  const evening = setTimeout(() => void system.terminate(), seconds * 1_000)
  await system.whenTerminated
  clearTimeout(evening)

  const isBalanced = sayHowItWent(statement, system)
  if (system.shutdown.reason?.type === 'signal' || seeds === 0) return isBalanced ? 0 : 1
  console.log()
  const isRepeatable = await rehearseAll(seeds)
  console.log()
  console.log(
    isBalanced && isRepeatable
      ? 'All is well: no coin was lost, and every simulated run could be repeated.'
      : 'Something is wrong, see above.',
  )
  return isBalanced && isRepeatable ? 0 : 1
}

/** Answers whether the books balance. */
function sayHowItWent(statement: Statement | undefined, system: ActorSystem): boolean {
  if (statement === undefined) {
    console.log('The bank did not close in time, so its books could not be checked.')
    return false
  }
  const { transferred, refused, askedAgain, failures } = statement.totals
  console.log(
    `The bank is closed. ${inWords(transferred + refused)} transfers were begun: ` +
      `${inWords(transferred)} were done and ${inWords(refused)} refused for lack of money.`,
  )
  console.log(
    `Accounts failed ${inWords(failures)} times and came back; ` +
      `tellers had to ask again ${inWords(askedAgain)} times.`,
  )
  console.log(`Messages lost on the way: ${lostInWords(system.lostMessageCounts)}.`)
  const problems = problemsWith(statement, plan)
  for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`)
  const coins = inWords(plan.accounts * plan.coins)
  console.log(
    problems.length === 0
      ? `The books balance: ${coins} coins before, ${coins} after, each account as its transfers say.`
      : `The books do not balance: ${inWords(problems.length)} problems.`,
  )
  return problems.length === 0
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options === undefined) console.log(usage)
  else process.exitCode = await main(options)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
