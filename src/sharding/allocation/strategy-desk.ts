/**
 * The strategy of one life of a coordinator, as it can be trusted: started before it is asked, stopped once, with the default
 * strategy beside it for when it does not answer. What it does wrong is said once per interval, with what to do.
 */
import type { Logger } from '../../foundation/logger.ts'
import { CountedRepeats } from '../../foundation/counted-repeats.ts'
import { minutes } from '../../foundation/duration.ts'
import { show } from '../../foundation/show.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import { LeastShardAllocationStrategy } from './least-shard-allocation-strategy.ts'
import type { ShardAllocationStrategy, StrategyContext } from './shard-allocation-strategy.ts'
import {
  askStrategy,
  type StrategyAnswer,
  type StrategyQuestion,
  whyLengthMax,
} from './strategy-questions.ts'

const complaintIntervalMs = minutes(1)
const complaintKindsMax = 8

export interface StrategyDeskOptions extends StrategyContext {
  /** undefined: the default one. */
  readonly chosen: ShardAllocationStrategy | undefined
  readonly settings: ShardingSettings
  readonly log: Logger
}

export class StrategyDesk {
  readonly #options: StrategyDeskOptions
  readonly #default: ShardAllocationStrategy
  readonly #complaints = new CountedRepeats<string>(complaintIntervalMs, complaintKindsMax)
  /** Settles when it may be asked, and never rejects; undefined when nothing has to be waited for. */
  #starting: Promise<void> | undefined
  #isStarted = false
  #isUsable = true

  constructor(options: StrategyDeskOptions) {
    this.#options = options
    const { rebalanceShardsMax, rebalanceShareMax } = options.settings
    this.#default = new LeastShardAllocationStrategy({
      shardsMax: rebalanceShardsMax,
      shareMax: rebalanceShareMax,
    })
  }

  start(): void {
    const { chosen, entityType, node, environment, journal } = this.#options
    this.#isStarted = true
    try {
      const started: unknown = chosen?.start?.({ entityType, node, environment, journal })
      if (started === undefined) return
      this.#starting = Promise.resolve(started).then(
        () => void (this.#starting = undefined),
        (error) => this.#startFailed(error),
      )
    } catch (error) {
      this.#startFailed(error)
    }
  }

  /** Nothing happens when it was not started. */
  stop(): void {
    if (!this.#isStarted) return
    this.#isStarted = false
    const { chosen } = this.#options
    const failed = (error: unknown): void =>
      this.#complain('stop', `failed to stop: ${show(error)}`, 'Nothing waits for it.')
    try {
      const stopped: unknown = chosen?.stop?.()
      Promise.resolve(stopped).catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  /** `default`: the chosen one was asked this, and its time is up. Never throws, and never rejects. */
  ask(
    strategy: 'chosen' | 'default',
    question: StrategyQuestion,
  ): StrategyAnswer | Promise<StrategyAnswer> {
    if (strategy === 'chosen') {
      if (this.#starting === undefined) return this.#askChosen(question)
      return this.#starting.then(() => this.#askChosen(question))
    }
    const isOfHomes = question.type === 'Allocate'
    this.#complain(
      `${question.type} silent`,
      `did not answer within strategyTimeoutMs, ${this.#options.settings.strategyTimeoutMs} ms; ${isOfHomes ? 'the default one decides in its place' : 'nothing moves by this'}`,
      'Let it answer from what it knows already, and look up the rest beforehand, or allow it more time.',
    )
    // As when it fails: what another moves for balance, its own allocateShard may bring back, again and again.
    if (!isOfHomes) return { type: 'Rebalance', shards: [] }
    return this.#askDefault(question, 'The strategy did not answer in time.')
  }

  #askChosen(question: StrategyQuestion): StrategyAnswer | Promise<StrategyAnswer> {
    const { chosen } = this.#options
    if (chosen === undefined) return this.#askDefault(question)
    if (!this.#isUsable) return this.#askDefault(question, 'The strategy could not be started.')
    return askStrategy(chosen, question, {
      inItsPlace: this.#default,
      onFailure: (problem, error) => {
        const kind = problem.startsWith('failed') ? 'failure' : 'nonsense'
        const cause =
          error === undefined ? '' : `: ${error instanceof Error ? error.message : show(error)}`
        const advice =
          question.type === 'Allocate'
            ? 'The default one decides in its place. Let allocateShard answer a key of request.allocations, or undefined to be asked again.'
            : 'Nothing moves by this. Let rebalance answer a list of shards out of request.allocations.'
        this.#complain(`${question.type} ${kind}`, `${problem}${cause}`, advice, error)
      },
    })
  }

  /** It is ours: it answers at once, and does not fail. */
  #askDefault(
    question: StrategyQuestion,
    because?: string,
  ): StrategyAnswer | Promise<StrategyAnswer> {
    const onFailure = (problem: string): void => this.#complain('default', problem, '')
    const answer = askStrategy(this.#default, question, { onFailure }) as StrategyAnswer
    if (because === undefined || answer.type === 'Rebalance') return answer
    const whys = new Map<number, string>()
    for (const [shard, why] of answer.whys ?? []) {
      whys.set(shard, `${because} ${why}`.slice(0, whyLengthMax))
    }
    return { ...answer, whys }
  }

  #startFailed(error: unknown): void {
    this.#starting = undefined
    this.#isUsable = false
    const cause = error instanceof Error ? error.message : show(error)
    this.#complain(
      'start',
      `could not be started: ${cause}`,
      'The default one decides until another node coordinates, or this one anew.',
      error,
    )
  }

  #complain(kind: string, problem: string, advice: string, err?: unknown): void {
    const { log, entityType, environment } = this.#options
    const now = environment.clock.monotonicMs()
    const { isFirst, due } = this.#complaints.add(kind, problem, now)
    for (const { count, sinceMs, last } of due) {
      log.warn(
        { entityType, count, sinceMs },
        `The allocation strategy of ${entityType} did so ${count} times more; the last time it ${last}.`,
      )
    }
    if (!isFirst) return
    const fields = err === undefined ? { entityType } : { entityType, err }
    log.warn(fields, `The allocation strategy of ${entityType} ${problem}. ${advice}`.trimEnd())
  }
}
