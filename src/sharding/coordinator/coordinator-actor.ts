/**
 * Runs one life of a coordinator: effects become messages, timers and calls of the store and the strategy. A coordinator
 * that cannot store stops; the next one starts from what is stored. Nothing is decided here.
 */
import { type ActorContext, type Behavior, Behaviors, type Receive } from '../../actor/index.ts'
import { withoutDeadLetterLog } from '../../actor/internals.ts'
import { type ClusterMembership, dataCenterOf } from '../../cluster/internals.ts'
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { show } from '../../foundation/show.ts'
import type { Journal } from '../../persistence/index.ts'
import type {
  ClusterView,
  ShardAllocationStrategy,
} from '../allocation/shard-allocation-strategy.ts'
import { StrategyDesk } from '../allocation/strategy-desk.ts'
import { CoordinatorStarted, CoordinatorStopped } from '../sharding-events.ts'
import type { ToCoordinator, ToRegion } from '../sharding-messages.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import type { TypeIdentity } from '../type-identity.ts'
import type { GiveUpReason, LifeEffect, LifeInput } from './coordinator-inputs.ts'
import { CoordinatorLifeMachine } from './coordinator-life-machine.ts'
import type { CoordinatorEvent } from './coordinator-state.ts'
import {
  CoordinatorFenced,
  type CoordinatorStore,
  CoordinatorStoreFailed,
  type StoredDecisions,
} from './coordinator-store.ts'

/** Its own inputs, but for what it looks up itself when it hears of it. */
export type CoordinatorMessage =
  | Exclude<LifeInput, { readonly type: 'Begun' | 'FreezeChanged' | 'Loaded' | 'MembersChanged' }>
  | ({ readonly type: 'Loaded' } & StoredDecisions)
  | { readonly type: 'ClusterChanged' }

export interface CoordinatorActorOptions {
  readonly entityType: string
  readonly node: NodeId
  /** Where this node is, also when gossip does not say so yet or any more. */
  readonly dataCenter: string
  /** Of the singleton's life. */
  readonly term: number
  readonly cluster: ClusterMembership
  readonly store: CoordinatorStore
  readonly settings: ShardingSettings
  /** What regions must agree on with this node. */
  readonly identity: TypeIdentity
  readonly strategy: ShardAllocationStrategy | undefined
  /** For strategies that keep something in the store. */
  readonly journal: Journal
  readonly send: (to: NodeId, message: ToRegion) => void
  /** From now on region messages of this node and others go to `tell`; undefined: there is no coordinator here. */
  readonly listen: (tell: ((message: ToCoordinator) => void) | undefined) => void
  /** Whether the region of this node has heard that the whole cluster is about to stop. */
  readonly isPreparing: () => boolean
  /** A writer outside of the cluster has taken over, and this is to be said of it; undefined: it can store again. */
  readonly troubled: (words: string | undefined) => void
}

export function coordinatorActor(options: CoordinatorActorOptions): Behavior<CoordinatorMessage> {
  return Behaviors.setup<CoordinatorMessage>((context) => new Coordinator(options, context).begin())
}

class Coordinator {
  readonly #options: CoordinatorActorOptions
  readonly #context: ActorContext<CoordinatorMessage>
  readonly #machine: CoordinatorLifeMachine
  readonly #strategy: StrategyDesk
  readonly #unsubscribe: () => void
  /** Answers of a strategy that answers at once, to be taken when all effects of the step are performed. */
  readonly #inputs: LifeInput[] = []
  #isFrozen = false
  /** Set while regions can speak to it. */
  #term: number | undefined
  #isOver = false
  /** Settles when the store has answered what it was asked last, whatever it says. */
  #lastAnswer: Promise<void> | undefined

  constructor(options: CoordinatorActorOptions, context: ActorContext<CoordinatorMessage>) {
    const { settings, cluster, entityType, node, journal, strategy: chosen } = options
    this.#options = options
    this.#context = context
    this.#machine = new CoordinatorLifeMachine(settings, options.identity)
    const { self, log, system } = context
    const { environment } = system
    this.#strategy = new StrategyDesk({
      ...{ entityType, node, journal, environment, chosen, settings, log },
    })
    // What is lost with a coordinator is looked up anew by the next.
    const changed = withoutDeadLetterLog({ type: 'ClusterChanged' } as const)
    this.#unsubscribe = cluster.follow(() => self.tell(changed))
  }

  begin(): Receive<CoordinatorMessage> {
    this.#step({ type: 'Begun' })
    return Behaviors.receiveMessage<CoordinatorMessage>((message) =>
      this.#receive(message),
    ).receiveSignal({ PostStop: () => this.#stopped() })
  }

  #receive(message: CoordinatorMessage): Behavior<CoordinatorMessage> | undefined {
    const { isFrozen } = this.#options.cluster
    // Before anything is decided: the node may have been frozen since the last time.
    if (isFrozen !== this.#isFrozen) this.#step({ type: 'FreezeChanged', isFrozen })
    this.#isFrozen = isFrozen
    if (message.type === 'Stored') this.#options.troubled(undefined)
    this.#step(this.#inputOf(message))
    return this.#isOver ? Behaviors.stopped() : undefined
  }

  #inputOf(message: CoordinatorMessage): LifeInput {
    if (message.type === 'Loaded') {
      const isPreparing = this.#options.isPreparing()
      return { ...message, cluster: this.#view(), isPreparing }
    }
    if (message.type !== 'ClusterChanged') return message
    return { type: 'MembersChanged', cluster: this.#view() }
  }

  #view(): ClusterView {
    const { cluster, dataCenter } = this.#options
    const { members: all, unreachable: lost } = cluster.state
    // Others have coordinators of their own.
    const members = all.filter((member) => dataCenterOf(member) === dataCenter)
    return {
      members: new Map(members.map(({ node, status }) => [node, status])),
      unreachable: lost,
      appVersions: new Map(members.map(({ node, appVersion }) => [node, appVersion])),
    }
  }

  /** The next coordinator begins when the store has answered, so that what was decided here is not refused there. */
  #stopped(): Promise<void> | undefined {
    const { entityType, listen } = this.#options
    this.#unsubscribe()
    this.#strategy.stop()
    if (this.#term === undefined) return this.#lastAnswer
    listen(undefined)
    this.#context.system.eventStream.publish(new CoordinatorStopped(entityType, this.#term))
    return this.#lastAnswer
  }

  #step(input: LifeInput): void {
    this.#inputs.push(input)
    for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
      const now = this.#context.system.environment.clock.monotonicMs()
      for (const effect of this.#machine.step(next, now)) this.#perform(effect)
    }
  }

  #perform(effect: LifeEffect): void {
    const { timers } = this.#context
    switch (effect.type) {
      case 'Load':
        return this.#load()
      case 'Serve':
        return this.#serve(effect.term)
      case 'Send':
        return this.#options.send(effect.to, effect.message)
      case 'Store':
        return this.#store(effect.events)
      case 'StartTimer': {
        const { timer, delayMs } = effect
        return timers.startSingle(timer, delayMs, { type: 'TimerFired', timer })
      }
      case 'CancelTimer':
        return timers.cancel(effect.timer)
      case 'AskStrategy':
        return this.#ask(effect)
      case 'GiveUp':
        return this.#giveUp(effect.reason)
      default:
        return unreachable(effect)
    }
  }

  #load(): void {
    const { store, term } = this.#options
    const loaded = store.load(term).then(withoutDeadLetterLog)
    this.#lastAnswer = settled(loaded)
    this.#context.pipeToSelf(
      loaded,
      (stored) => ({ type: 'Loaded', ...stored }),
      (error) => ({ type: 'StoreFailed', error }),
    )
  }

  #serve(term: number): void {
    const { entityType, listen } = this.#options
    const { self, system, log } = this.#context
    this.#term = term
    this.#strategy.start()
    // Regions repeat what was not answered, so nobody need read of it.
    listen((message) => self.tell(withoutDeadLetterLog({ type: 'FromRegion', message })))
    log.info(
      { entityType, term },
      `The coordinator of ${entityType} runs here: it decides where its entities live.`,
    )
    system.eventStream.publish(new CoordinatorStarted(entityType, term))
  }

  #store(events: readonly CoordinatorEvent[]): void {
    // The next coordinator reads what was stored: news that comes after the end of this one are none.
    const stored = this.#options.store.store(events).then(() => withoutDeadLetterLog({}))
    this.#lastAnswer = settled(stored)
    this.#context.pipeToSelf(
      stored,
      () => ({ type: 'Stored' }),
      (error) => ({ type: 'StoreFailed', error }),
    )
  }

  #ask({ strategy, ask, question }: Extract<LifeEffect, { type: 'AskStrategy' }>): void {
    const answer = this.#strategy.ask(strategy, question)
    if (!(answer instanceof Promise)) {
      this.#inputs.push({ type: 'StrategyAnswered', ask, answer })
      return
    }
    this.#context.pipeToSelf(answer, (given) => ({ type: 'StrategyAnswered', ask, answer: given }))
  }

  #giveUp(reason: GiveUpReason): void {
    const { entityType, troubled, node, send } = this.#options
    const err = this.#errorOf(reason)
    const isFenced = err instanceof CoordinatorFenced
    const cause = err instanceof Error ? err.message : show(err)
    const isOther = reason.type === 'OtherNumberOfShards'
    const words = isOther
      ? cause
      : `The coordinator of ${entityType} on ${node} could not read or store: ${cause}`
    troubled(isFenced ? err.advice : words)
    // The region of this node hears it as from a coordinator that runs: it says so to whoever starts or calls.
    if (isOther) {
      send(node, { type: 'RegisterRefused', term: reason.term, problem: this.#otherNumber(reason) })
    }
    this.#context.log.warn({ err, entityType }, isFenced ? err.message : words)
    // A store that has failed, or says nothing, is not waited for.
    this.#lastAnswer = undefined
    this.#isOver = true
  }

  #errorOf(reason: GiveUpReason): unknown {
    const { entityType, node, settings } = this.#options
    switch (reason.type) {
      case 'StoreFailed':
        return reason.error
      case 'StoreSilent':
        return new CoordinatorStoreFailed(
          `The store has not answered the coordinator of ${entityType} for storeTimeoutMs, ${settings.storeTimeoutMs} ms.`,
        )
      case 'NodeFrozen':
        return new CoordinatorStoreFailed(
          `The coordinator of ${entityType} stores nothing while its node, ${node}, is frozen.`,
        )
      case 'OtherNumberOfShards':
        return new CoordinatorStoreFailed(
          `The coordinator of ${entityType} cannot run on ${node}: ${this.#otherNumber(reason)}.`,
        )
      default:
        return unreachable(reason)
    }
  }

  #otherNumber({
    region,
    numberOfShards,
    isLeast,
  }: Extract<GiveUpReason, { type: 'OtherNumberOfShards' }>): string {
    const ours = this.#options.settings.numberOfShards
    const stored = isLeast ? `at least ${numberOfShards}` : `${numberOfShards}`
    const user = region === undefined ? 'the store of this cluster' : `${region}, as the store,`
    return `its numberOfShards is ${ours}, and ${user} has ${stored}. It cannot change as long as the store is in use: set numberOfShards to ${isLeast ? 'what it was' : stored} and start this node again, or start all nodes with a new store`
  }
}

function settled(answer: Promise<unknown>): Promise<void> {
  return answer.then(
    () => undefined,
    () => undefined,
  )
}
