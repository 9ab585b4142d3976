/**
 * Looks at the product from outside: some methods are replaced, once per process, by ones that do the same and tell what
 * they did. So the product holds no switch for it. One scenario at a time is told.
 */
import type {
  WriteEffect,
  WriteInput,
} from '../../../src/persistence/event-sourcing/write-pipeline-inputs.ts'
import { WritePipelineMachine } from '../../../src/persistence/event-sourcing/write-pipeline-machine.ts'
import type { NodeId } from '../../../src/foundation/node-id.ts'
import { GuardedJournal } from '../../../src/node/guarded-journal.ts'
import type { CoordinatorEffect } from '../../../src/sharding/coordinator/coordinator-inputs.ts'
import { CoordinatorMachine } from '../../../src/sharding/coordinator/coordinator-machine.ts'
import { HandOffMachine } from '../../../src/sharding/coordinator/hand-off-machine.ts'
import { RebalanceMachine } from '../../../src/sharding/coordinator/rebalance-machine.ts'
import { HostedShards } from '../../../src/sharding/region/hosted-shards.ts'
import { RegionMachine } from '../../../src/sharding/region/region-machine.ts'
import { RegistrationMachine } from '../../../src/sharding/region/registration-machine.ts'
import { ShardMachine } from '../../../src/sharding/shard/shard-machine.ts'
import type { Placement } from '../../../src/sharding/sharding-messages.ts'
import { places } from './spine-places.ts'

export interface SpineWatcher {
  reached(place: string): void
  /** Somebody had to stop its entities by force, because the time for a hand-off or a leave was over. */
  overran(): void
  /** Somebody says two things in one turn, or heeds a word that another has made old. */
  contradicts(what: string): void
  /** A shard begins to move. */
  moves?(): void
  /** A hand-off begins; its home is on the node of that name. */
  handsOff?(home: string): void
  /** A message comes back to the region that runs now from a former home, on the node of that name. */
  returns?(from: string): void
}

let watcher: SpineWatcher | undefined
let isInstalled = false

/** Until the scenario has ended, it is told. */
export async function watched(by: SpineWatcher, scenario: () => Promise<void>): Promise<void> {
  if (!isInstalled) install()
  isInstalled = true
  watcher = by
  try {
    await scenario()
  } finally {
    watcher = undefined
  }
}

function install(): void {
  watchNode()
  watchShards()
  watchRegions()
  watchConversations()
}

function watchNode(): void {
  after(GuardedJournal, 'append', (journal) => {
    if (journal.isFrozen()) watcher?.reached(places.frozenWrite)
  })
  after(GuardedJournal, 'claim', (journal) => {
    if (journal.isFrozen()) watcher?.reached(places.frozenClaim)
  })
}

function watchShards(): void {
  after(HostedShards, 'superseded', (_, __, effects) => {
    if (effects.length > 0) watcher?.reached(places.superseded)
  })
  after(ShardMachine, 'step', (_, [input], effects) => {
    const { type } = input
    if (effects.length === 0 || type === 'Message') return
    const has = (kind: string): boolean => effects.some((effect) => effect.type === kind)
    if (type === 'Thawed' && has('Deliver')) watcher?.reached(places.thawed)
    else if (type === 'EntityTerminated' && has('Deliver')) watcher?.reached(places.restarted)
    else if (type === 'Sweep' && has('ForceStop')) {
      watcher?.reached(places.forcedRest)
      watcher?.overran()
    } else if (has('HurryEntity')) watcher?.reached(places.hurried)
    else if (type === 'TimerFired' && input.timer === 'force-stop') {
      watcher?.reached(places.forced)
      watcher?.overran()
    }
  })
}

function watchRegions(): void {
  after(RegionMachine, 'step', (_, [input], effects) => {
    if (input.type === 'FromRegion' && input.message.type === 'Returned') {
      watcher?.reached(places.returned)
      watcher?.returns?.(nameIn(input.region))
    }
    const isForced = effects.some((effect) => effect.type === 'StopShard' && effect.isForced)
    const isLate = input.type === 'TimerFired' && input.timer === 'shutdown'
    const isCutOff = input.type === 'GracefulShutdown' && isForced
    // Also told to a region that has stopped, to make sure.
    const isOver = (isLate || input.type === 'EndNow') && effects.length > 0
    if (!isOver && !isCutOff) return
    watcher?.reached(places.overrun)
    watcher?.overran()
  })
  after(CoordinatorMachine, 'step', (coordinator, _, effects) => watchWords(coordinator, effects))
  after(RebalanceMachine, 'step', (_, [input], effects) => {
    if (effects.length === 0) return
    if (input.type === 'Chosen' || input.type === 'Continue') watcher?.moves?.()
    if (input.type === 'Chosen') watcher?.reached(places.balanced)
    else if (input.type === 'TimedOut') watcher?.reached(places.handOffOver)
  })
}

/** What each turn of a coordinator has said of a shard: where it is, or that it moves. */
const saidBy = new WeakMap<CoordinatorMachine, Map<string, 'is there' | 'moves'>>()

/** A word counts as new by its turn: one that says both would let a late word undo what was said after it. */
function watchWords(coordinator: CoordinatorMachine, effects: readonly CoordinatorEffect[]): void {
  const said = saidBy.get(coordinator) ?? new Map<string, 'is there' | 'moves'>()
  saidBy.set(coordinator, said)
  const hear = ({ shard, turn }: Placement, what: 'is there' | 'moves'): void => {
    const key = `shard ${shard}, turn ${turn}`
    const before = said.get(key) ?? what
    said.set(key, before)
    if (before !== what) watcher?.contradicts(`${key}: first ${before}, then ${what}`)
  }
  for (const effect of effects) {
    if (effect.type !== 'Send') continue
    const { message } = effect
    if (message.type === 'ShardHomes') message.homes.forEach((home) => hear(home, 'is there'))
    else if (message.type === 'ShardHome' || message.type === 'HostShard') hear(message, 'is there')
    else if (message.type === 'BeginHandOff' || message.type === 'HandOff') hear(message, 'moves')
  }
}

/** Regions that have not acknowledged, as each hand-off had them after its last step. */
const unacked = new WeakMap<HandOffMachine, number>()

function watchConversations(): void {
  after(HandOffMachine, 'step', (handOff, [input], effects) => {
    const left = handOff.snapshot().unacked.length
    const before = unacked.get(handOff) ?? Infinity
    unacked.set(handOff, left)
    const { home } = handOff.placement
    if (input.type === 'Begun') watcher?.handsOff?.(nameIn(home))
    if (input.type === 'RegionRemoved') {
      if (input.region === home && effects.length > 0) watcher?.reached(places.homeDied)
      else if (left < before) watcher?.reached(places.unackedDied)
    }
    if (input.type !== 'BeginHandOffAck' || left >= before) return
    const { term, turn } = handOff.placement
    if (input.term === term && input.turn === turn) return
    watcher?.contradicts(`an acknowledgement of turn ${input.turn} counts for turn ${turn}`)
  })
  after(RegistrationMachine, 'step', (registration) => {
    const { term } = registration
    if (term < (terms.get(registration) ?? 0)) {
      watcher?.contradicts(`a region heeds term ${term} after term ${terms.get(registration)}`)
    }
    terms.set(registration, term)
  })
  after(WritePipelineMachine, 'step', (pipeline, [input], effects) => {
    const has = (kind: string): boolean => effects.some((effect) => effect.type === kind)
    if (failed.has(pipeline) && has('Append')) {
      watcher?.contradicts('events are given to the journal after a write has failed')
    }
    const isEnd = input.type === 'Fenced' || input.type === 'Failed'
    if (isEnd && has('Discard')) watcher?.reached(places.failedWrite)
    if (has('Discard') && (gathered.get(pipeline) ?? 0) > 0)
      watcher?.reached(places.failedAmidBatch)
    if (has('Discard')) failed.add(pipeline)
    gathered.set(pipeline, gatheredAfter(gathered.get(pipeline) ?? 0, input, effects))
  })
}

/** The terms that regions heed. */
const terms = new WeakMap<RegistrationMachine, number>()
/** How many events each has taken and not given to the journal: those of its open batch. */
const gathered = new WeakMap<object, number>()

function gatheredAfter(
  before: number,
  input: WriteInput<unknown>,
  effects: readonly WriteEffect<unknown>[],
): number {
  const taken = input.type === 'CommandHandled' ? input.events.length : 0
  const given = effects.map((effect) => (effect.type === 'Append' ? effect.events.length : 0))
  return given.reduce((left, count) => left - count, before + taken)
}

/** Those that have discarded what depended on a write that failed. */
const failed = new WeakSet<object>()

/** The name of the node. */
function nameIn(node: NodeId): string {
  return node.slice(0, node.indexOf(':'))
}

type ArgsOf<Method> = Method extends (...args: infer Args) => unknown ? Args : never
type ResultOf<Method> = Method extends (...args: never[]) => infer Result ? Result : never

/** Lets `heard` know of every call, before the caller hears of it. */
function after<Self extends object, Name extends keyof Self>(
  type: { readonly prototype: Self },
  name: Name,
  heard: (self: Self, args: ArgsOf<Self[Name]>, result: ResultOf<Self[Name]>) => void,
): void {
  const original = type.prototype[name] as (...args: unknown[]) => unknown
  const value = function (this: Self, ...args: unknown[]): unknown {
    const result = original.apply(this, args)
    if (watcher !== undefined) heard(this, args as never, result as never)
    return result
  }
  Object.defineProperty(type.prototype, name, { value, writable: true, configurable: true })
}
