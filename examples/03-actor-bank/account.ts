/**
 * An account: one number that only one thing at a time may touch. It fails when the saboteur wants it to, at the worst
 * moments, and comes back after a pause with what it had stored. Bookings are remembered per teller, so that a teller who
 * got no answer can simply ask again.
 */
import { type ActorRef, type Behavior, Behaviors, SupervisorStrategy } from '../../src/index.ts'
import type { Book, Sabotage, ToAccount, ToBookkeeper } from './messages.ts'
import type { Vault } from './vault.ts'

class PowerCut extends Error {}

const comeBack = SupervisorStrategy.restartWithBackoff({
  min: '20ms',
  max: '1s',
  // So many messages wait for an account that is away; then senders have to ask again.
  stashedMessagesMax: 8,
})

export function account(
  id: number,
  vault: Vault,
  bookkeeper: ActorRef<ToBookkeeper>,
): Behavior<ToAccount> {
  const serving = Behaviors.setup<ToAccount>(() => {
    const page = vault.page(id)
    let sabotage: Sabotage['moment'] | undefined

    const book = async ({ teller, order, amount, replyTo }: Book): Promise<void> => {
      let receipt = page.lastReceipts.get(teller)
      if (receipt?.order !== order) {
        if (sabotage === 'before') throw new PowerCut('before the booking was stored')
        receipt = { type: 'Receipt', order, isBooked: page.balance + amount >= 0 }
        await page.store(receipt.isBooked ? amount : 0, teller, receipt)
        if (sabotage === 'after') throw new PowerCut('after the booking was stored')
      }
      replyTo.tell(receipt)
    }

    return Behaviors.receiveMessage<ToAccount>((message) => {
      switch (message.type) {
        case 'Book':
          return book(message)
        case 'GetBalance':
          return message.replyTo.tell(page.balance)
        case 'Sabotage':
          sabotage = message.moment
      }
    }).receiveSignal({ PreRestart: () => bookkeeper.tell({ type: 'AccountFailed' }) })
  })
  return Behaviors.supervise(serving).onFailure(PowerCut, comeBack)
}
