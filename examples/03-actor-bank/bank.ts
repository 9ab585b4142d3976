/**
 * The bank: starts everybody, and closes in order. Tellers go home first, each after the transfer at hand; then the money
 * in the accounts is counted.
 */
import { type ActorRef, type Behavior, Behaviors } from '../../src/index.ts'
import { account } from './account.ts'
import { bookkeeper } from './bookkeeper.ts'
import type { Statement, ToAccount, ToBank, ToBookkeeper, Totals } from './messages.ts'
import { saboteur } from './saboteur.ts'
import { teller } from './teller.ts'
import { Vault } from './vault.ts'

export interface BankPlan {
  readonly accounts: number
  /** In each account at the beginning. */
  readonly coins: number
  readonly tellers: number
  readonly pauseMs: number
  readonly sabotageEveryMs: number
}

export function bank(plan: BankPlan): Behavior<ToBank> {
  return Behaviors.setup<ToBank>((context) => {
    const vault = new Vault(plan.accounts, plan.coins)
    const books = context.spawn(bookkeeper(plan.accounts), 'bookkeeper')
    const accounts = Array.from({ length: plan.accounts }, (_, id) =>
      context.spawn(account(id, vault, books), {
        name: `account-${id}`,
        mailbox: { messagesMax: 100 },
      }),
    )
    const tellers = Array.from({ length: plan.tellers }, (_, id) => {
      const name = `teller-${id}`
      const { pauseMs } = plan
      const ref = context.spawn(teller({ name, accounts, bookkeeper: books, pauseMs }), name)
      context.watchWith(ref, { type: 'TellerGone' })
      return ref
    })
    const enemy = context.spawn(saboteur(accounts, plan.sabotageEveryMs), 'saboteur')

    const open = Behaviors.receiveMessage<ToBank>((message) => {
      if (message.type === 'GetTotals') return books.tell(message)
      if (message.type !== 'Close') return Behaviors.unhandled
      context.stop(enemy)
      for (const each of tellers) each.tell({ type: 'CloseCounter' })
      return closing(message.replyTo, tellers.length)
    })

    const closing = (replyTo: ActorRef<Statement>, tellersLeft: number): Behavior<ToBank> =>
      Behaviors.receiveMessage<ToBank>(async (message) => {
        if (message.type === 'GetTotals') return books.tell(message)
        if (message.type !== 'TellerGone') return Behaviors.unhandled
        if (tellersLeft > 1) return closing(replyTo, tellersLeft - 1)
        return replyTo.tell(await statement(accounts, books))
      })

    return open
  })
}

async function statement(
  accounts: readonly ActorRef<ToAccount>[],
  books: ActorRef<ToBookkeeper>,
): Promise<Statement> {
  const balances = await Promise.all(
    accounts.map((each) => each.ask<number>((replyTo) => ({ type: 'GetBalance', replyTo }))),
  )
  const totals = await books.ask<Totals>((replyTo) => ({ type: 'GetTotals', replyTo }))
  return { balances, totals }
}

/** What is wrong with the statement of a bank that was opened by this plan; empty when the books balance. */
export function problemsWith({ balances, totals }: Statement, plan: BankPlan): string[] {
  const problems: string[] = []
  const sum = balances.reduce((total, balance) => total + balance, 0)
  const expected = plan.accounts * plan.coins
  if (sum !== expected) problems.push(`there should be ${expected} coins, and there are ${sum}`)
  balances.forEach((balance, id) => {
    const booked = plan.coins + totals.changes[id]!
    if (balance !== booked) problems.push(`account ${id} has ${balance}, its books say ${booked}`)
    if (balance < 0) problems.push(`account ${id} is overdrawn: ${balance}`)
  })
  return problems
}
