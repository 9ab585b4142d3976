/**
 * Runs one coordinator: claims its stream, replays it, and then steps its machine. A coordinator that cannot store stops;
 * the next one starts from what is stored. While the node is frozen it hears no region and lets no timer act. Nothing is
 * decided here.
 */
import {
  type ActorContext,
  type Behavior,
  Behaviors,
  type Receive,
  withoutDeadLetterLog,
} from '../../actor/index.ts'
import type { ClusterMembership } from '../../cluster/index.ts'
import { unreachable } from '../../foundation/assert.ts'
import type { Journal } from '../../persistence/index.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { LeastShardAllocationStrategy } from '../allocation/least-shard-allocation-strategy.ts'
import type {
  ClusterView,
  ShardAllocationStrategy,
} from '../allocation/shard-allocation-strategy.ts'
import {
  askStrategy,
  type StrategyAnswer,
  type StrategyQuestion,
} from '../allocation/strategy-questions.ts'
import { CoordinatorStarted, CoordinatorStopped } from '../sharding-events.ts'
import type { ToCoordinator, ToRegion } from '../sharding-messages.ts'
import type { ShardingProtocol } from '../sharding-wire.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import {
  CoordinatorFenced,
  CoordinatorJournal,
  CoordinatorStoreFailed,
} from './coordinator-journal.ts'
import { CoordinatorMachine } from './coordinator-machine.ts'
import type { CoordinatorEffect, CoordinatorInput, CoordinatorTimer } from './coordinator-inputs.ts'
import type { CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'

export type CoordinatorMessage =
  | { readonly type: 'FromRegion'; readonly message: ToCoordinator }
  | { readonly type: 'ClusterChanged' }
  | { readonly type: 'Claimed'; readonly term: number; readonly state: CoordinatorState }
  | { readonly type: 'Stored' }
  | { readonly type: 'StoreFailed'; readonly error: unknown }
  | { readonly type: 'StoreTimedOut' }
  | { readonly type: 'TimerFired'; readonly timer: CoordinatorTimer }
  | { readonly type: 'StrategyAnswered'; readonly ask: number; readonly answer: StrategyAnswer }
  | { readonly type: 'StrategyTimedOut'; readonly ask: number; readonly question: StrategyQuestion }

export interface CoordinatorActorOptions {
  readonly typeName: string
  readonly node: NodeId
  readonly cluster: ClusterMembership
  readonly journal: Journal
  readonly protocol: ShardingProtocol
  readonly settings: ShardingSettings
  readonly strategy: ShardAllocationStrategy | undefined
  readonly send: (to: NodeId, message: ToRegion) => void
  /** From now on region messages of this node and others go to `tell`; undefined: there is no coordinator here. */
  readonly listen: (tell: ((message: ToCoordinator) => void) | undefined) => void
  /** What there is to say of another writer that has taken its stream, in whole sentences. */
  readonly adviceOnWriter: ((writer: string) => string | undefined) | undefined
  /** A writer outside of the cluster has taken the stream, and this is to be said of it; undefined: it can store again. */
  readonly troubled: (words: string | undefined) => void
}

export function coordinatorActor(options: CoordinatorActorOptions): Behavior<CoordinatorMessage> {
  return Behaviors.setup<CoordinatorMessage>((context) => new Coordinator(options, context).begin())
}

class Coordinator {
  readonly #options: CoordinatorActorOptions
  readonly #context: ActorContext<CoordinatorMessage>
  readonly #journal: CoordinatorJournal
  readonly #fallback: ShardAllocationStrategy
  readonly #unsubscribe: () => void
  #machine: CoordinatorMachine | undefined
  #term = 0
  /** Answers of a strategy that answers at once, to be taken when all effects of the step are performed. */
  readonly #inputs: CoordinatorInput[] = []
  /** Timers that fired while the node was frozen. */
  readonly #held = new Set<CoordinatorTimer>()
  /** Questions that a strategy has not answered. */
  readonly #open = new Set<number>()
  /** Settles when the store has answered the claim, or the last append, whatever it says. */
  #lastStored: Promise<void> | undefined

  constructor(options: CoordinatorActorOptions, context: ActorContext<CoordinatorMessage>) {
    const { journal, typeName, protocol, node, settings, cluster, adviceOnWriter } = options
    this.#options = options
    this.#context = context
    const stream = { typeName, protocol, writer: node, adviceOnWriter }
    this.#journal = new CoordinatorJournal({ journal, ...stream })
    this.#fallback = new LeastShardAllocationStrategy({
      shardsMax: settings.rebalanceShardsMax,
      shareMax: settings.rebalanceShareMax,
    })
    const { self } = context
    // What is lost with a coordinator is looked up anew by the next.
    const changed = withoutDeadLetterLog({ type: 'ClusterChanged' } as const)
    this.#unsubscribe = cluster.follow(() => self.tell(changed))
  }

  begin(): Receive<CoordinatorMessage> {
    this.#awaitStore()
    const claimed = this.#journal.claim().then(withoutDeadLetterLog)
    this.#lastStored = settled(claimed)
    this.#context.pipeToSelf(
      claimed,
      ({ term, state }) => ({ type: 'Claimed', term, state }),
      (error) => ({ type: 'StoreFailed', error }),
    )
    return Behaviors.receiveMessage<CoordinatorMessage>((message) =>
      this.#receive(message),
    ).receiveSignal({ PostStop: () => this.#stopped() })
  }

  #receive(message: CoordinatorMessage): Behavior<CoordinatorMessage> | void {
    const isFrozen = this.#options.cluster.isFrozen
    switch (message.type) {
      case 'Claimed':
        this.#context.timers.cancel('store')
        return this.#start(message.term, message.state)
      case 'StoreFailed':
        return this.#giveUp(message.error)
      case 'FromRegion':
        // It will be said again.
        return isFrozen ? undefined : this.#step(message.message)
      case 'ClusterChanged':
        return isFrozen ? undefined : this.#clusterChanged()
      case 'StoreTimedOut':
        return this.#giveUp(this.#storeIsSilent())
      case 'TimerFired':
        if (isFrozen) this.#held.add(message.timer)
        else this.#step(message)
        return
      case 'Stored':
        this.#context.timers.cancel('store')
        this.#options.troubled(undefined)
        return this.#step(message)
      case 'StrategyAnswered':
        if (!this.#open.delete(message.ask)) return
        this.#context.timers.cancel(`strategy/${message.ask}`)
        return this.#step(message)
      case 'StrategyTimedOut':
        return this.#decideInstead(message.ask, message.question)
      default:
        return unreachable(message)
    }
  }

  #start(term: number, state: CoordinatorState): Behavior<CoordinatorMessage> | void {
    const { settings, typeName, listen } = this.#options
    const problem = this.#problemWith(state)
    if (problem !== undefined) return this.#giveUp(new CoordinatorStoreFailed(problem))
    this.#term = term
    this.#machine = new CoordinatorMachine({ term, state, settings })
    const { self, system, log } = this.#context
    // Regions repeat what was not answered, so nobody need read of it.
    listen((message) => self.tell(withoutDeadLetterLog({ type: 'FromRegion', message })))
    log.info({ entityType: typeName, term }, `The coordinator of ${typeName} runs here.`)
    system.eventStream.publish(new CoordinatorStarted(typeName, term))
    this.#step({ type: 'Started', cluster: this.#view() })
  }

  /** Nodes that live by another number of shards: whatever was decided here would make their entities live twice. */
  #problemWith(state: CoordinatorState): string | undefined {
    const { typeName, settings, node } = this.#options
    const { members } = this.#view()
    for (const region of state.regions) {
      const number = state.numberOfShardsOf(region)
      if (number === undefined || number === settings.numberOfShards) continue
      if (!members.has(region)) continue
      return `The coordinator of ${typeName} cannot run on ${node}, whose numberOfShards is ${settings.numberOfShards}: ${region} is in use with ${number}. Give all nodes the same number, and restart the one that differs.`
    }
    return undefined
  }

  /** A store that never answers must not keep a coordinator that never decides. It is asked one thing at a time. */
  #awaitStore(): void {
    const { storeTimeoutMs } = this.#options.settings
    this.#context.timers.startSingle('store', storeTimeoutMs, { type: 'StoreTimedOut' })
  }

  #storeIsSilent(): CoordinatorStoreFailed {
    const { typeName, settings } = this.#options
    return new CoordinatorStoreFailed(
      `The store has not answered the coordinator of ${typeName} for storeTimeoutMs, ${settings.storeTimeoutMs} ms.`,
    )
  }

  /** The next coordinator finds out what was stored. */
  #giveUp(error: unknown): Behavior<CoordinatorMessage> {
    const { typeName, troubled } = this.#options
    const isFenced = error instanceof CoordinatorFenced
    if (isFenced) troubled(error.advice)
    this.#context.log.warn(
      { err: error, entityType: typeName },
      isFenced
        ? error.message
        : `The coordinator of ${typeName} stops: it could not read or store.`,
    )
    // A store that has failed, or says nothing, is not waited for.
    this.#lastStored = undefined
    return Behaviors.stopped()
  }

  /** The next coordinator begins when the store has answered, so that what was decided here is not refused there. */
  #stopped(): Promise<void> | undefined {
    const { typeName, listen } = this.#options
    this.#unsubscribe()
    if (this.#machine === undefined) return this.#lastStored
    listen(undefined)
    this.#context.system.eventStream.publish(new CoordinatorStopped(typeName, this.#term))
    return this.#lastStored
  }

  #store(events: readonly CoordinatorEvent[]): void {
    this.#awaitStore()
    // The next coordinator reads what was stored: news that comes after the end of this one are none.
    const stored = this.#journal.append(events).then(() => withoutDeadLetterLog({}))
    this.#lastStored = settled(stored)
    this.#context.pipeToSelf(
      stored,
      () => ({ type: 'Stored' }),
      (error) => ({ type: 'StoreFailed', error }),
    )
  }

  #clusterChanged(): void {
    this.#step({ type: 'MembersChanged', cluster: this.#view() })
    const timers = [...this.#held]
    this.#held.clear()
    for (const timer of timers) this.#step({ type: 'TimerFired', timer })
  }

  #view(): ClusterView {
    const { members, unreachable: lost } = this.#options.cluster.state
    return {
      members: new Map(members.map(({ node, status }) => [node, status])),
      unreachable: lost,
    }
  }

  // ---- the machine

  #step(input: CoordinatorInput): void {
    const machine = this.#machine
    if (machine === undefined) return
    this.#inputs.push(input)
    for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
      for (const effect of machine.step(next)) this.#perform(effect)
    }
  }

  #perform(effect: CoordinatorEffect): void {
    const { timers } = this.#context
    switch (effect.type) {
      case 'Send':
        return this.#options.send(effect.to, effect.message)
      case 'Store':
        return this.#store(effect.events)
      case 'StartTimer': {
        const { timer, delayMs } = effect
        return timers.startSingle(timer, delayMs, { type: 'TimerFired', timer })
      }
      case 'CancelTimer':
        this.#held.delete(effect.timer)
        return timers.cancel(effect.timer)
      case 'AskStrategy':
        return this.#ask(effect.ask, effect.question)
      default:
        return unreachable(effect)
    }
  }

  #ask(ask: number, question: StrategyQuestion): void {
    const strategy = this.#options.strategy ?? this.#fallback
    const answer = askStrategy(strategy, question, (error) => this.#strategyFailed(error))
    if (!(answer instanceof Promise)) {
      this.#inputs.push({ type: 'StrategyAnswered', ask, answer })
      return
    }
    this.#open.add(ask)
    const { strategyTimeoutMs } = this.#options.settings
    const late = { type: 'StrategyTimedOut', ask, question } as const
    this.#context.timers.startSingle(`strategy/${ask}`, strategyTimeoutMs, late)
    this.#context.pipeToSelf(answer, (given) => ({ type: 'StrategyAnswered', ask, answer: given }))
  }

  /** Nobody waits for ever for a home because a strategy does. */
  #decideInstead(ask: number, question: StrategyQuestion): void {
    if (!this.#open.delete(ask)) return
    const { typeName, settings } = this.#options
    this.#context.log.warn(
      { entityType: typeName, timeoutMs: settings.strategyTimeoutMs },
      `The allocation strategy of ${typeName} did not answer in time; the default one decides in its place.`,
    )
    const answer = askStrategy(this.#fallback, question, (error) => this.#strategyFailed(error))
    if (!(answer instanceof Promise)) this.#step({ type: 'StrategyAnswered', ask, answer })
  }

  #strategyFailed(error: unknown): void {
    const { typeName } = this.#options
    const fields = { err: error, entityType: typeName }
    this.#context.log.error(fields, `The allocation strategy of ${typeName} failed.`)
  }
}

function settled(answer: Promise<unknown>): Promise<void> {
  return answer.then(
    () => undefined,
    () => undefined,
  )
}
