/** The messages that a system lost since somebody last looked: often the reason why a probe waits in vain. */
import {
  type ActorSystem,
  DeadLetter,
  Dropped,
  type LostMessage,
  type Subscription,
  UnhandledMessage,
} from '../actor/index.ts'
import { listed } from './listed.ts'

/** Events kept to be shown; the others are counted. */
const keptMax = 20

export class Losses {
  readonly #subscriptions: readonly Subscription[]
  #kept: LostMessage[] = []
  #count = 0

  constructor({ eventStream }: ActorSystem) {
    const keep = (event: LostMessage): void => this.#keep(event)
    this.#subscriptions = [
      eventStream.subscribe(DeadLetter, keep),
      eventStream.subscribe(Dropped, keep),
      eventStream.subscribe(UnhandledMessage, keep),
    ]
  }

  /** A sentence for a failure message; empty when nothing was lost. */
  describe(): string {
    if (this.#count === 0) return ''
    const isOne = this.#count === 1
    const areDead = this.#kept.every((event) => event.type === 'DeadLetter')
    const what = `${areDead ? 'dead letter' : 'lost message'}${isOne ? ' was' : 's were'}`
    return `${this.#count} ${what} published meanwhile: ${listed(this.#kept.map(String))}.`
  }

  /** Begins to count anew. */
  forget(): void {
    this.#kept = []
    this.#count = 0
  }

  end(): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe()
  }

  #keep(event: LostMessage): void {
    this.#count++
    if (this.#kept.length < keptMax) this.#kept.push(event)
  }
}
