/**
 * The desk takes orders and has each of them made by one of the benches, which stand on the other node: it asks with a
 * timeout, tries a second time, and gives up. It watches the benches, and stops asking those that are gone.
 */
import {
  type ActorContext,
  type ActorRef,
  type Behavior,
  Behaviors,
} from '../../src/actor/index.ts'
import type { Ledger } from './ledger.ts'
import type { Answer, Job, Order, ToBench, ToDesk } from './workshop-messages.ts'

const ATTEMPTS_MAX = 2

export function desk(ledger: Ledger, record: (text: string) => void): Behavior<ToDesk> {
  return Behaviors.setup<ToDesk>((context) => {
    let benches: ActorRef<ToBench>[] = []
    context.timers.startFixedRate('tick', '250ms', { type: 'Tick' })

    const tryOrder = (order: Order, attempt: number): void => {
      const chosen = benches[Math.floor(Math.random() * benches.length)]
      if (chosen !== undefined && attempt <= ATTEMPTS_MAX) {
        askBench(context, { chosen, order, attempt, ledger })
      } else {
        order.replyTo.tell({ type: 'Refused', letter: order.letter })
      }
    }

    return Behaviors.receiveMessage<ToDesk>((message) => {
      switch (message.type) {
        case 'Order':
          ledger.taken(message.letter)
          tryOrder(message, 1)
          break
        case 'Answered':
          message.order.replyTo.tell({ ...message.answer, letter: message.order.letter })
          break
        case 'Unanswered':
          tryOrder(message.order, message.attempt + 1)
          break
        case 'BenchesOpened':
          // Whatever was sent to earlier benches has no witness: their node has crashed.
          ledger.lostInCrash((letter) => letter.includes('/'))
          benches = [...message.benches]
          for (const each of benches) context.watch(each)
          break
        case 'Tick':
          record(`tick at ${new Date().toISOString()}`)
      }
    }).receiveSignal({
      Terminated: (_context, { ref }) => {
        benches = benches.filter((each) => each !== ref)
        record(`${ref.toString()} is gone`)
      },
    })
  })
}

interface Attempt {
  readonly chosen: ActorRef<ToBench>
  readonly order: Order
  readonly attempt: number
  readonly ledger: Ledger
}

function askBench(
  context: ActorContext<ToDesk>,
  { chosen, order, attempt, ledger }: Attempt,
): void {
  const letter = `${order.letter}/${attempt}`
  ledger.sent(letter)
  context.ask<ToBench, Answer>(chosen, (replyTo): Job => ({ type: 'Job', letter, replyTo }), {
    timeout: '100ms',
    done: (answer) => {
      ledger.answered(letter)
      return { type: 'Answered', order, answer }
    },
    failed: () => ({ type: 'Unanswered', order, attempt }),
  })
}
