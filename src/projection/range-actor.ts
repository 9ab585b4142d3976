/**
 * Runs the worker of one range: a step is a message, so that nothing is done while the node is frozen, and the range can be
 * told to leave between any two of them. Nothing is decided here.
 */
import { type ActorRef, type Behavior, Behaviors, type Result } from '../actor/index.ts'
import { withoutDeadLetterLog } from '../actor/internals.ts'
import { NotAMessage } from '../serialization/internals.ts'
import { wordsOf } from './projection-errors.ts'
import type { RangeReset } from './projection-messages.ts'
import { projectionProtocol } from './projection-wire.ts'
import type { RangeWorker } from './range-worker.ts'

/**
 * To itself: take the next step. An object that no other node has, as the next one. The last of them is lost when the range
 * is told to leave, and that is no news.
 */
const work = Object.freeze(withoutDeadLetterLog({ step: 'next' }))

/** From its node: store how far you came, and end. */
export const leaveRange = Object.freeze(withoutDeadLetterLog({ step: 'last' }))

export interface RangeActorOptions {
  readonly makeWorker: () => RangeWorker
  /** Told when the worker begins, and when it has ended. */
  readonly began: (worker: RangeWorker) => void
  readonly ended: (worker: RangeWorker) => void
}

/** `leaveRange` stops it. Other messages are those of `projectionProtocol`, packed. */
export function rangeActor({ makeWorker, began, ended }: RangeActorOptions): Behavior<unknown> {
  return Behaviors.setup<unknown>((context) => {
    const worker = makeWorker()
    began(worker)
    /** Whether a step waits in the mailbox: there is never more than one. */
    let isDue = true
    context.self.tell(work)

    const goOn = (): void => {
      context.timers.cancel('work')
      if (!isDue) context.self.tell(work)
      isDue = true
    }

    const takeStep = async (): Promise<Behavior<unknown> | void> => {
      const after = await worker.step(context.signal)
      isDue = false
      if (after === 'over') return Behaviors.stopped()
      if (after === 0) goOn()
      else if (after !== 'stopped') context.timers.startSingle('work', after, work)
    }

    const reset = async (replyTo: ActorRef<unknown>): Promise<void> => {
      let answer: RangeReset = { type: 'RangeReset' }
      try {
        await worker.reset()
        goOn()
      } catch (error) {
        answer = { type: 'RangeReset', problem: wordsOf(error) }
      }
      replyTo.tell(projectionProtocol.pack(answer))
    }

    const receive = (message: unknown): Result<unknown> => {
      if (message === work) return takeStep()
      if (message === leaveRange) return worker.leave().then(() => Behaviors.stopped())
      const said = projectionProtocol.unpack(message)
      if (said instanceof NotAMessage) return Behaviors.unhandled
      // Every message keeps it alive; there is nothing else to do for that one.
      if (said.type === 'KeepRange') return undefined
      return said.type === 'ResetRange' ? reset(said.replyTo) : Behaviors.unhandled
    }

    return Behaviors.receiveMessage<unknown>(receive).receiveSignal({
      PostStop: () => ended(worker),
    })
  })
}
