/** Writes down what others report, so that in the end the accounts can be compared with what should be in them. */
import { type Behavior, Behaviors } from '../../src/index.ts'
import type { ToBookkeeper } from './messages.ts'

export function bookkeeper(accounts: number): Behavior<ToBookkeeper> {
  return Behaviors.setup<ToBookkeeper>(() => {
    const changes = new Array<number>(accounts).fill(0)
    let transferred = 0
    let refused = 0
    let askedAgain = 0
    let failures = 0
    return (message) => {
      switch (message.type) {
        case 'Transferred':
          transferred++
          changes[message.from]! -= message.amount
          changes[message.to]! += message.amount
          break
        case 'Refused':
          refused++
          break
        case 'AskedAgain':
          askedAgain++
          break
        case 'AccountFailed':
          failures++
          break
        case 'GetTotals':
          message.replyTo.tell({
            transferred,
            refused,
            askedAgain,
            failures,
            changes: [...changes],
          })
      }
    }
  })
}
