/**
 * Baseline `bare` of `tell`: actors without any feature. A tell looks its actor up by id, puts the
 * message into a ring and the actor into the run queue; a microtask starts the drain; an actor
 * handles a bounded batch per turn, and after a bounded number of messages the loop yields to I/O.
 * No supervision, no context, no stopping, no errors.
 */
import { BareRing } from './ring-buffer.ts'

const messagesPerTurn = 64
const messagesPerDrain = 4096

interface BareActor<T> {
  readonly handle: (message: T) => void
  readonly mailbox: BareRing<T>
  isQueued: boolean
}

export class RingLoop<T> {
  readonly actors = new Map<string, BareActor<T>>()
  readonly runQueue = new BareRing<BareActor<T>>(1024)
  isAwake = false

  spawn(id: string, handle: (message: T) => void): void {
    this.actors.set(id, { handle, mailbox: new BareRing<T>(16), isQueued: false })
  }

  tell(id: string, message: T): void {
    const actor = this.actors.get(id)
    if (actor === undefined) return
    actor.mailbox.push(message)
    if (actor.isQueued) return
    actor.isQueued = true
    this.runQueue.push(actor)
    if (this.isAwake) return
    this.isAwake = true
    queueMicrotask(this.drain)
  }

  readonly drain = (): void => {
    const { runQueue } = this
    let budget = messagesPerDrain
    while (runQueue.size > 0) {
      if (budget <= 0) {
        setImmediate(this.drain)
        return
      }
      budget -= this.runTurn(runQueue.shift())
    }
    this.isAwake = false
  }

  /** One batch of one actor; answers how many messages that were. */
  runTurn(actor: BareActor<T>): number {
    const { mailbox } = actor
    const count = Math.min(mailbox.size, messagesPerTurn)
    for (let done = 0; done < count; done++) actor.handle(mailbox.shift())
    if (mailbox.size > 0) this.runQueue.push(actor)
    else actor.isQueued = false
    return count
  }
}
