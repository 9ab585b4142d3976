/**
 * One life of a coordinator around its decisions: it reads what is stored, gives store and strategy the time they have,
 * and takes up and stores nothing while its node is frozen.
 *
 *   loading ──Loaded──▶ running ──the store fails, or says nothing, or the node is frozen──▶ over
 *      └──the same, or what is stored has another number of shards────────────────────────▲
 *
 * Invariant: nothing is decided before everything stored was read, nor after the store has failed, and nothing is
 * stored by a node that is frozen.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { StrategyAnswer, StrategyQuestion } from '../allocation/strategy-questions.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import type { TypeIdentity } from '../type-identity.ts'
import type {
  CoordinatorInput,
  CoordinatorTimer,
  GiveUpReason,
  LifeEffect,
  LifeInput,
  LifeTimer,
} from './coordinator-inputs.ts'
import { CoordinatorMachine } from './coordinator-machine.ts'
import type { CoordinatorState } from './coordinator-state.ts'

export class CoordinatorLifeMachine {
  readonly #settings: ShardingSettings
  readonly #identity: TypeIdentity | undefined
  /** undefined while it is loading. */
  #decisions: CoordinatorMachine | undefined
  /** What the strategy has not answered, by number. */
  readonly #open = new Map<number, StrategyQuestion>()
  /** Timers that fired while the node was frozen. */
  readonly #held = new Set<CoordinatorTimer>()
  #now = 0
  #isFrozen = false
  #isOver = false

  constructor(settings: ShardingSettings, identity?: TypeIdentity) {
    this.#settings = settings
    this.#identity = identity
  }

  step(input: LifeInput, now = 0): LifeEffect[] {
    this.#now = now
    if (this.#isOver) return []
    switch (input.type) {
      case 'Begun':
        return [{ type: 'Load' }, this.#storeTimer()]
      case 'Loaded':
        return [{ type: 'CancelTimer', timer: 'store' }, ...this.#start(input)]
      case 'Stored':
        return [{ type: 'CancelTimer', timer: 'store' }, ...this.#decide(input)]
      case 'StoreFailed':
        return this.#giveUp({ type: 'StoreFailed', error: input.error })
      case 'FreezeChanged':
        this.#isFrozen = input.isFrozen
        return []
      case 'MembersChanged':
        return this.#isFrozen ? [] : [...this.#decide(input), ...this.#release()]
      case 'FromRegion':
        // It will be said again.
        return this.#isFrozen ? [] : this.#decide(input.message)
      case 'StrategyAnswered':
        return this.#answered(input.ask, input.answer)
      case 'TimerFired':
        return this.#timerFired(input.timer)
      default:
        return unreachable(input)
    }
  }

  #start(loaded: Extract<LifeInput, { type: 'Loaded' }>): LifeEffect[] {
    const { term, state, cluster, isPreparing } = loaded
    const settings = this.#settings
    const stored = numberOfShardsIn(state)
    const isMet = stored.isLeast
      ? stored.numberOfShards <= settings.numberOfShards
      : stored.numberOfShards === settings.numberOfShards
    if (!isMet) {
      // Whatever was decided here would make entities of those who count other shards live twice; and after a restart of
      // all nodes nobody else is there to tell this one that it is wrong.
      const region = [...state.regions].find((each) => cluster.members.has(each))
      return this.#giveUp({ type: 'OtherNumberOfShards', term, region, ...stored })
    }
    this.#decisions = new CoordinatorMachine({
      ...{ term, state, settings, isPreparing, identity: this.#identity },
    })
    return [{ type: 'Serve', term }, ...this.#decide({ type: 'Started', cluster })]
  }

  #decide(input: CoordinatorInput): LifeEffect[] {
    return (this.#decisions?.step(input, this.#now) ?? []).flatMap((effect): LifeEffect[] => {
      switch (effect.type) {
        case 'Store':
          // Others may have another coordinator by now, and not every store could tell the two apart.
          if (this.#isFrozen) return this.#giveUp({ type: 'NodeFrozen' })
          return [this.#storeTimer(), effect]
        case 'AskStrategy': {
          const { ask, question } = effect
          this.#open.set(ask, question)
          const delayMs = this.#settings.strategyTimeoutMs
          const timer = { type: 'StartTimer', timer: `strategy/${ask}`, delayMs } as const
          return [timer, { type: 'AskStrategy', strategy: 'chosen', ask, question }]
        }
        case 'CancelTimer':
          this.#held.delete(effect.timer)
          return [effect]
        default:
          return [effect]
      }
    })
  }

  #answered(ask: number, answer: StrategyAnswer): LifeEffect[] {
    // What comes after its time has been decided without it.
    if (!this.#open.delete(ask)) return []
    const decided = this.#decide({ type: 'StrategyAnswered', ask, answer })
    return [{ type: 'CancelTimer', timer: `strategy/${ask}` }, ...decided]
  }

  #timerFired(timer: LifeTimer): LifeEffect[] {
    if (timer === 'store') return this.#giveUp({ type: 'StoreSilent' })
    if (isOfStrategy(timer)) return this.#decideInstead(Number(timer.slice('strategy/'.length)))
    if (!this.#isFrozen) return this.#decide({ type: 'TimerFired', timer })
    this.#held.add(timer)
    return []
  }

  /** Nobody waits for ever for a home because a strategy does. The default one answers at once. */
  #decideInstead(ask: number): LifeEffect[] {
    const question = this.#open.get(ask)
    return question === undefined
      ? []
      : [{ type: 'AskStrategy', strategy: 'default', ask, question }]
  }

  #release(): LifeEffect[] {
    const timers = [...this.#held]
    this.#held.clear()
    return timers.flatMap((timer) => this.#decide({ type: 'TimerFired', timer }))
  }

  /** A store that never answers must not keep a coordinator that never decides. It is asked one thing at a time. */
  #storeTimer(): LifeEffect {
    return { type: 'StartTimer', timer: 'store', delayMs: this.#settings.storeTimeoutMs }
  }

  /** The next coordinator finds out what was stored. */
  #giveUp(reason: GiveUpReason): LifeEffect[] {
    this.#isOver = true
    return [{ type: 'GiveUp', reason }]
  }
}

function numberOfShardsIn(state: CoordinatorState): {
  readonly numberOfShards: number
  readonly isLeast: boolean
} {
  const { numberOfShards, highestShard } = state
  if (numberOfShards === undefined) return { numberOfShards: highestShard + 1, isLeast: true }
  return { numberOfShards, isLeast: false }
}

function isOfStrategy(timer: LifeTimer): timer is `strategy/${number}` {
  return timer.startsWith('strategy/')
}
