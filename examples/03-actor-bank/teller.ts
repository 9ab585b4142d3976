/**
 * A teller moves money from one account to another, one customer after the other: takes it, then brings it. An answer
 * that does not come may mean that the booking was done or not, so the teller asks again, with the same order number,
 * until it knows.
 */
import { type ActorRef, AskTimeout, type Behavior, Behaviors } from '../../src/index.ts'
import type { Receipt, ToAccount, ToBookkeeper, ToTeller } from './messages.ts'

export interface TellerOptions {
  readonly name: string
  readonly accounts: readonly ActorRef<ToAccount>[]
  readonly bookkeeper: ActorRef<ToBookkeeper>
  /** Rest between two customers. */
  readonly pauseMs: number
}

export function teller(options: TellerOptions): Behavior<ToTeller> {
  const { name, accounts, bookkeeper, pauseMs } = options
  return Behaviors.setup<ToTeller>((context) => {
    let order = 0

    const book = async (account: number, amount: number): Promise<boolean> => {
      order++
      for (;;) {
        try {
          const receipt = await accounts[account]!.ask<Receipt>(
            (replyTo) => ({ type: 'Book', teller: name, order, amount, replyTo }),
            { timeout: '50ms', signal: context.signal },
          )
          return receipt.isBooked
        } catch (error) {
          if (!(error instanceof AskTimeout)) throw error
          bookkeeper.tell({ type: 'AskedAgain' })
        }
      }
    }

    const serve = async (): Promise<void> => {
      const from = someAccount(accounts.length)
      const to = someAccount(accounts.length)
      const amount = 1 + Math.floor(Math.random() * 100)
      if (await book(from, -amount)) {
        await book(to, amount)
        bookkeeper.tell({ type: 'Transferred', from, to, amount })
      } else {
        bookkeeper.tell({ type: 'Refused' })
      }
      callNext()
    }

    const callNext = (): void => {
      if (pauseMs === 0) context.self.tell({ type: 'NextCustomer' })
      else context.timers.startSingle('next', pauseMs, { type: 'NextCustomer' })
    }

    callNext()
    return (message) => (message.type === 'NextCustomer' ? serve() : goingHome)
  })
}

/** Whoever stands at the counter when it closes is the next one, and is sent away. */
const goingHome = Behaviors.receiveMessage<ToTeller>(() => Behaviors.stopped())

/** Some accounts are busier than others: every fifth customer wants one of the first ten. */
function someAccount(accounts: number): number {
  const busy = Math.random() < 0.2 ? Math.min(10, accounts) : accounts
  return Math.floor(Math.random() * busy)
}
