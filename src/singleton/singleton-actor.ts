/**
 * One singleton on one node: runs the machine that may host it and the machine that finds it, and is the parent of the
 * instance. Effects become messages, timers and children; nothing is decided here. Whatever other nodes send to this
 * actor is for the instance, since they may hold the proxy as a ref.
 */
import {
  type ActorContext,
  type ActorRef,
  type Behavior,
  Behaviors,
  PoisonPill,
} from '../actor/index.ts'
import { type Gate, internal } from '../actor/internals.ts'
import type { Member, MembersWith } from '../cluster/index.ts'
import type { ClusterMembership } from '../cluster/internals.ts'
import { assert, unreachable } from '../foundation/assert.ts'
import type { NodeId } from '../foundation/node-id.ts'
import type { Lease } from '../lease/index.ts'
import { GuardingLease, type LeaseNews } from '../lease/internals.ts'
import type { SingletonGates } from './singleton-gates.ts'
import { SingletonMachine } from './singleton-machine.ts'
import type { SingletonMessage } from './singleton-messages.ts'
import type { ProxyEffect, ProxyInput } from './singleton-proxy-inputs.ts'
import { SingletonProxyMachine } from './singleton-proxy-machine.ts'
import type { SingletonProxy } from './singleton-proxy.ts'
import type { SingletonEffect, SingletonInput, SingletonTimer } from './singleton-inputs.ts'
import type { SingletonSettings } from './singleton-settings.ts'

/** What to run here when this node is to. */
export interface Hosting {
  readonly behavior: (life: { readonly term: number }) => Behavior<never>
  /** Undefined: the instance is stopped after the messages it has. */
  readonly stopMessage: unknown
  /** Without which no instance lives; undefined for one that needs none. */
  readonly lease: Lease | undefined
}

export interface SingletonActorOptions {
  readonly name: string
  /** Who may run it. */
  readonly hosts: MembersWith
  readonly settings: SingletonSettings
  readonly cluster: Pick<ClusterMembership, 'self' | 'isFrozen'>
  /** As they are now; this node stands there as removed once it was. */
  readonly members: () => readonly Member[]
  readonly proxy: SingletonProxy
  /** Stand before the instance while the node is frozen, or the lease is not held. */
  readonly gates: SingletonGates
  /** Whether it moves although the whole cluster is about to be stopped, and whether that is so now. */
  readonly movesToTheEnd: boolean
  readonly isPreparing: () => boolean
  readonly send: (to: NodeId, message: SingletonMessage) => void
}

type Word =
  /** From now on this node may run it. */
  | { readonly type: 'Host'; readonly hosting: Hosting }
  /** The cluster is not as it was. */
  | { readonly type: 'Look' }
  /** This node is leaving; `done` is called once nothing runs here any more. */
  | { readonly type: 'HandOver'; readonly done: () => void }
  | { readonly type: 'Heard'; readonly message: SingletonMessage }
  | { readonly type: 'TimerFired'; readonly timer: SingletonTimer | 'search' }
  | { readonly type: 'NotStarted'; readonly term: number }
  | { readonly type: 'LeaseTold'; readonly news: LeaseNews }

/** What only this process can say: nothing that comes from another node is of this class. */
export class SingletonWord {
  readonly word: Word

  constructor(word: Word) {
    this.word = word
  }
}

export function singletonActor(options: SingletonActorOptions): Behavior<unknown> {
  return Behaviors.setup<unknown>((context) => {
    const shell = new SingletonShell(options, context)
    return Behaviors.receiveMessage<unknown>((message) => shell.receive(message)).receiveSignal({
      Terminated: (_context, { ref }) => shell.terminated(ref),
      PostStop: () => shell.ended(),
    })
  })
}

class SingletonShell {
  readonly #options: SingletonActorOptions
  readonly #context: ActorContext<unknown>
  readonly #finder: SingletonProxyMachine
  #host: SingletonMachine | undefined
  #hosting: Hosting | undefined
  #instance: ActorRef<never> | undefined
  #gate: Gate | undefined
  /** Of the life that is to come, or runs. */
  #lease: GuardingLease | undefined
  #term = 0
  #target: { readonly ref: ActorRef<never>; readonly term: number } | undefined
  #isFrozen = false
  #whenHandedOver: (() => void)[] = []
  #isHandedOver = false

  constructor(options: SingletonActorOptions, context: ActorContext<unknown>) {
    const { cluster, hosts, settings } = options
    const { retryIntervalMs } = settings
    this.#options = options
    this.#context = context
    this.#finder = new SingletonProxyMachine({ self: cluster.self, hosts, retryIntervalMs })
    this.#find({ type: 'MembersChanged', members: options.members() })
  }

  receive(message: unknown): void {
    if (!(message instanceof SingletonWord)) return this.#options.proxy.tell(message)
    // Before anything is decided: the node may have been frozen since the last time.
    this.#lookAtFreeze()
    const { word } = message
    switch (word.type) {
      case 'Host':
        return this.#beginToHost(word.hosting)
      case 'Look':
        return this.#look()
      case 'HandOver':
        return this.#handOver(word.done)
      case 'Heard':
        return this.#heard(word.message)
      case 'TimerFired':
        if (word.timer === 'search') return this.#find({ type: 'AskAgain' })
        return this.#step({ type: 'TimerFired', timer: word.timer })
      case 'NotStarted':
        return this.#step({ type: 'InstanceTerminated', term: word.term })
      case 'LeaseTold':
        return this.#step(word.news)
      default:
        return unreachable(word)
    }
  }

  terminated(ref: ActorRef<never>): void {
    const target = this.#target
    if (ref === this.#instance) {
      this.#instance = undefined
      this.#options.gates.ended(this.#gate)
      this.#lookAtFreeze()
      this.#step({ type: 'InstanceTerminated', term: this.#term })
    }
    if (ref === target?.ref) this.#find({ type: 'TargetTerminated', term: target.term })
  }

  ended(): void {
    this.#options.proxy.close()
    // Nothing runs here any more; a lease that nobody gives back is renewed as long as the process lives.
    this.#releaseLease()
    this.#handedOver()
  }

  // ---- inputs

  #beginToHost(hosting: Hosting): void {
    if (this.#host !== undefined) return
    const { name, hosts, settings, cluster, movesToTheEnd } = this.#options
    const { self } = cluster
    const hasLease = hosting.lease !== undefined
    this.#hosting = hosting
    this.#host = new SingletonMachine({ name, hosts, settings, self, hasLease, movesToTheEnd })
    if (this.#isFrozen) this.#step({ type: 'FreezeChanged', isFrozen: true })
    if (this.#options.isPreparing()) this.#step({ type: 'PreparingForShutdown' })
    this.#step({ type: 'MembersChanged', members: this.#options.members() })
  }

  #look(): void {
    const members = this.#options.members()
    if (this.#options.isPreparing()) this.#step({ type: 'PreparingForShutdown' })
    this.#step({ type: 'MembersChanged', members })
    this.#find({ type: 'MembersChanged', members })
  }

  #lookAtFreeze(): void {
    const { isFrozen } = this.#options.cluster
    if (isFrozen === this.#isFrozen) return
    this.#isFrozen = isFrozen
    this.#step({ type: 'FreezeChanged', isFrozen })
  }

  #handOver(done: () => void): void {
    if (this.#host === undefined || this.#isHandedOver) return done()
    this.#whenHandedOver.push(done)
    this.#step({ type: 'HandOver' })
  }

  #heard(message: SingletonMessage): void {
    switch (message.type) {
      case 'InstanceIsHere':
      case 'InstanceStops':
        return this.#find(message)
      case 'HandOverToMe':
      case 'HandOverInProgress':
      case 'HandOverDone':
      case 'WhereIsInstance':
        return this.#step(message)
      default:
        return unreachable(message)
    }
  }

  // ---- hosting

  #step(input: SingletonInput): void {
    const { clock } = this.#context.system.environment
    const effects = this.#host?.step(input, clock.monotonicMs()) ?? []
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: SingletonEffect): void {
    const { timers, log } = this.#context
    switch (effect.type) {
      case 'Send':
        return this.#options.send(effect.to, effect.message)
      case 'StartInstance':
        return this.#startInstance(effect.term)
      case 'StopInstance':
        return this.#stopInstance(effect.isForced)
      case 'TellProxies':
        return this.#tellProxies(effect)
      case 'AcquireLease':
        return this.#acquireLease()
      case 'ReleaseLease':
        return this.#releaseLease()
      case 'StartTimer': {
        const fired = new SingletonWord({ type: 'TimerFired', timer: effect.timer })
        return timers.startSingle(effect.timer, effect.delayMs, fired)
      }
      case 'CancelTimer':
        return timers.cancel(effect.timer)
      case 'Log':
        return log[effect.level]({}, effect.text)
      case 'HandedOver':
        return this.#handedOver()
      default:
        return unreachable(effect)
    }
  }

  #startInstance(term: number): void {
    assert(this.#instance === undefined && this.#hosting !== undefined, 'one instance at a time')
    this.#term = term
    try {
      const behavior = this.#hosting.behavior({ term })
      const gate = (this.#gate = this.#options.gates.gateFor(this.#lease))
      this.#instance = this.#context.spawn<never>(behavior, { name: 'instance', gate })
      this.#context.watch(this.#instance)
    } catch (err) {
      this.#context.log.error({ err }, `Singleton ${this.#options.name} could not be started.`)
      this.#context.self.tell(new SingletonWord({ type: 'NotStarted', term }))
    }
  }

  /** One for each life: what acts late in the name of one must not do so under the grant of the next. */
  #acquireLease(): void {
    this.#lease ??= this.#makeLease()
    this.#lease.acquire()
  }

  #makeLease(): GuardingLease {
    const { name } = this.#options
    const { system, self, log } = this.#context
    const lease = this.#hosting?.lease
    assert(lease !== undefined, 'only one with a lease asks for it')
    return new GuardingLease({
      ...{ lease, guarded: `singleton ${name}`, logger: log, timers: system.environment.timers },
      fields: () => ({ singleton: name }),
      step: (news) => self.tell(new SingletonWord({ type: 'LeaseTold', news })),
    })
  }

  #releaseLease(): void {
    this.#lease?.release()
    this.#lease = undefined
  }

  #stopInstance(isForced: boolean): void {
    const instance = this.#instance
    if (instance === undefined) return
    if (isForced) this.#context.stop(instance)
    else instance.tell((this.#hosting?.stopMessage ?? PoisonPill) as PoisonPill)
  }

  #tellProxies({ nodes, news, term }: SingletonEffect & { readonly type: 'TellProxies' }): void {
    const { send, cluster } = this.#options
    const instance = this.#instance as ActorRef<unknown> | undefined
    const from = cluster.self
    for (const node of nodes) {
      if (news === 'InstanceStops') send(node, { type: news, from, term })
      else if (instance !== undefined) send(node, { type: news, from, term, instance })
    }
  }

  #handedOver(): void {
    this.#isHandedOver = true
    for (const done of this.#whenHandedOver.splice(0)) done()
  }

  // ---- finding

  #find(input: ProxyInput): void {
    for (const effect of this.#finder.step(input)) this.#performFinding(effect)
  }

  #performFinding(effect: ProxyEffect): void {
    const { timers } = this.#context
    switch (effect.type) {
      case 'Send':
        return this.#options.send(effect.to, effect.message)
      case 'Use':
        return this.#use(effect.instance, effect.term)
      case 'Forget':
        this.#unwatchTarget()
        return this.#options.proxy.forget()
      case 'StartTimer': {
        const fired = new SingletonWord({ type: 'TimerFired', timer: 'search' })
        return timers.startSingle('search', effect.delayMs, fired)
      }
      case 'CancelTimer':
        return timers.cancel('search')
      case 'Close':
        this.#unwatchTarget()
        return this.#options.proxy.close()
      default:
        return unreachable(effect)
    }
  }

  #use(ref: ActorRef<never>, term: number): void {
    this.#unwatchTarget()
    this.#target = { ref, term }
    this.#context.watch(ref)
    this.#options.proxy.use(internal(ref))
  }

  #unwatchTarget(): void {
    const ref = this.#target?.ref
    this.#target = undefined
    // The instance of this node is watched for its own sake.
    if (ref !== undefined && ref !== this.#instance) this.#context.unwatch(ref)
  }
}
