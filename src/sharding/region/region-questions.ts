/**
 * What somebody on this node wants of the coordinator: to know which regions host, what became of a shard, or that shards stop.
 * Asked again until the answer comes or the time of the question is up, since nobody may be the coordinator just now.
 */
import type { AskOptions } from '../../actor/index.ts'
import { ask, type Question, type Runtime } from '../../actor/internals.ts'
import type { Timer } from '../../foundation/timers.ts'
import type { ShardId } from '../shard-id.ts'
import type { HostingRegion } from '../inspection/reports.ts'
import type { ShardStop } from '../shard-stop.ts'
import type { ShardHistory } from '../sharding-messages.ts'
import type { CoordinatorAnswer, CoordinatorQuestion } from './region-inputs.ts'

/** Shards in one question: there is an answer in words for each, and all of them have to fit into one message. */
const stopsPerQuestionMax = 5_000

export interface RegionQuestionsOptions {
  readonly entityType: string
  readonly runtime: Runtime
  readonly retryIntervalMs: number
  /** Puts the question to whoever may be the coordinator. */
  readonly send: (question: CoordinatorQuestion) => void
}

/** Without its number. */
type Asked =
  | { readonly type: 'GetCurrentRegions' }
  | { readonly type: 'GetShardHistory'; readonly shard: ShardId }
  | { readonly type: 'StopShards'; readonly shards: readonly ShardId[] }

export class RegionQuestions {
  readonly #options: RegionQuestionsOptions
  readonly #open = new Map<number, { readonly question: Question; readonly asked: Asked }>()
  #lastAsk = 0
  #timer: Timer | undefined

  constructor(options: RegionQuestionsOptions) {
    this.#options = options
  }

  /** Rejects with `AskTimeout` and `AskAborted`. */
  async regions(options: AskOptions | undefined): Promise<readonly HostingRegion[]> {
    const answer = await this.#ask({ type: 'GetCurrentRegions' }, options)
    return answer.type === 'CurrentRegions' ? answer.regions : []
  }

  /** As `regions`; undefined when something else was answered. */
  async historyOf(shard: ShardId, options: AskOptions): Promise<ShardHistory | undefined> {
    const answer = await this.#ask({ type: 'GetShardHistory', shard }, options)
    return answer.type === 'ShardHistory' ? answer : undefined
  }

  /** As `regions`. */
  async stopShards(
    shards: readonly ShardId[],
    options: AskOptions | undefined,
  ): Promise<readonly ShardStop[]> {
    const parts: Promise<CoordinatorAnswer>[] = []
    for (let first = 0; first < shards.length; first += stopsPerQuestionMax) {
      const part = shards.slice(first, first + stopsPerQuestionMax)
      parts.push(this.#ask({ type: 'StopShards', shards: part }, options))
    }
    const answers = await Promise.all(parts)
    return answers.flatMap((answer) => (answer.type === 'ShardsStopped' ? answer.stops : []))
  }

  #ask(asked: Asked, options: AskOptions | undefined): Promise<CoordinatorAnswer> {
    const { entityType, runtime } = this.#options
    const coordinator = {
      tell: () => undefined,
      toString: () => `the coordinator of ${entityType}`,
    }
    return ask(
      coordinator,
      () => asked,
      options,
      runtime,
      (_message, question) => this.#put(question, asked),
    )
  }

  answered(answer: CoordinatorAnswer): void {
    const open = this.#open.get(answer.ask)
    this.#open.delete(answer.ask)
    if (open?.question.isOver === false) open.question.tell(answer)
  }

  cancelTimer(): void {
    this.#timer?.cancel()
  }

  #put(question: Question, asked: Asked): void {
    const number = ++this.#lastAsk
    this.#open.set(number, { question, asked })
    this.#options.send({ ...asked, ask: number })
    if (this.#open.size === 1) this.#repeatLater()
  }

  #repeatLater(): void {
    const { runtime, retryIntervalMs } = this.#options
    this.#timer?.cancel()
    this.#timer = runtime.environment.timers.after(retryIntervalMs, () => this.#repeat())
  }

  #repeat(): void {
    for (const [number, { question, asked }] of this.#open) {
      if (question.isOver) this.#open.delete(number)
      else this.#options.send({ ...asked, ask: number })
    }
    if (this.#open.size > 0) this.#repeatLater()
  }
}
