/**
 * What somebody on this node wants to know from the coordinator: which regions host. Asked again until the answer comes or
 * the time of the question is up, since nobody may be the coordinator just now.
 */
import type { AskOptions } from '../../actor/index.ts'
import { ask, type Question, type Runtime } from '../../actor/internals.ts'
import type { Timer } from '../../foundation/timers.ts'
import type { CurrentRegions, HostingRegion } from '../sharding-messages.ts'

export interface RegionQuestionsOptions {
  readonly entityType: string
  readonly runtime: Runtime
  readonly retryIntervalMs: number
  /** Puts the question of that number to whoever may be the coordinator. */
  readonly send: (ask: number) => void
}

export class RegionQuestions {
  readonly #options: RegionQuestionsOptions
  readonly #open = new Map<number, Question>()
  #lastAsk = 0
  #timer: Timer | undefined

  constructor(options: RegionQuestionsOptions) {
    this.#options = options
  }

  /** Rejects with `AskTimeout` and `AskAborted`. */
  ask(options: AskOptions | undefined): Promise<readonly HostingRegion[]> {
    const { entityType, runtime } = this.#options
    const coordinator = {
      tell: () => undefined,
      toString: () => `the coordinator of ${entityType}`,
    }
    return ask(
      coordinator,
      () => ({ type: 'GetCurrentRegions' }),
      options,
      runtime,
      (_message, question) => this.#put(question),
    )
  }

  answered({ ask: number, regions }: CurrentRegions): void {
    const question = this.#open.get(number)
    this.#open.delete(number)
    if (question?.isOver === false) question.tell(regions)
  }

  cancelTimer(): void {
    this.#timer?.cancel()
  }

  #put(question: Question): void {
    const number = ++this.#lastAsk
    this.#open.set(number, question)
    this.#options.send(number)
    if (this.#open.size === 1) this.#repeatLater()
  }

  #repeatLater(): void {
    const { runtime, retryIntervalMs } = this.#options
    this.#timer?.cancel()
    this.#timer = runtime.environment.timers.after(retryIntervalMs, () => this.#repeat())
  }

  #repeat(): void {
    for (const [number, { isOver }] of this.#open) {
      if (isOver) this.#open.delete(number)
      else this.#options.send(number)
    }
    if (this.#open.size > 0) this.#repeatLater()
  }
}
