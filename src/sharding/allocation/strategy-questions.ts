/**
 * What the coordinator asks a strategy, and how a strategy of either kind answers: at once when it can, or by a promise. What
 * it answers is looked at before anybody goes by it. For a shard for which it fails, or names nobody who could take it,
 * another strategy answers in its place, if there is one; when it fails to say what moves, nothing does.
 */
import { unreachable } from '../../foundation/assert.ts'
import { isObject } from '../../foundation/is-object.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { show } from '../../foundation/show.ts'
import type { ShardId } from '../shard-id.ts'
import type {
  AllocationRequest,
  Allocations,
  ClusterView,
  RebalanceRequest,
  ShardAllocationStrategy,
  KnownLoads,
} from './shard-allocation-strategy.ts'

/** Homes for these shards, please; each choice is counted before the next is made. */
export interface AllocateQuestion {
  readonly type: 'Allocate'
  readonly shards: readonly Pick<AllocationRequest, 'shard' | 'requester'>[]
  readonly allocations: Allocations
  readonly cluster: ClusterView
  readonly loads?: KnownLoads
}

export interface RebalanceQuestion extends RebalanceRequest {
  readonly type: 'Rebalance'
}

export type StrategyQuestion = AllocateQuestion | RebalanceQuestion

export type StrategyAnswer =
  | {
      readonly type: 'Allocate'
      readonly homes: ReadonlyMap<ShardId, NodeId>
      /** Of those for which a reason was given. */
      readonly whys?: ReadonlyMap<ShardId, string>
    }
  | {
      readonly type: 'Rebalance'
      readonly shards: readonly ShardId[]
      /** Whether the next round may follow as soon as these have moved. */
      readonly maySettle?: boolean
    }

/** A reason is cut after so many characters. */
export const whyLengthMax = 200

export interface StrategyHelp {
  /** Called for each call that failed, or was answered with what cannot be; the words go on after "it". */
  readonly onFailure: (problem: string, error?: unknown) => void
  /** Answers for a shard in place of one that did not. It answers at once. */
  readonly inItsPlace?: ShardAllocationStrategy
}

export function askStrategy(
  strategy: ShardAllocationStrategy,
  question: StrategyQuestion,
  help: StrategyHelp,
): StrategyAnswer | Promise<StrategyAnswer> {
  switch (question.type) {
    case 'Allocate':
      return allocateAll(strategy, question, help)
    case 'Rebalance':
      return settled<unknown, StrategyAnswer>(
        () => strategy.rebalance(question),
        (answer) => {
          const shards = movable(answer, question, help)
          const maySettle = shards.length > 0 && strategy.settles === true
          return { type: 'Rebalance', shards, ...(maySettle && { maySettle }) }
        },
        (error) => {
          help.onFailure('failed to say what moves', error)
          return { type: 'Rebalance', shards: [] }
        },
      )
    default:
      return unreachable(question)
  }
}

function allocateAll(
  strategy: ShardAllocationStrategy,
  { shards, allocations, cluster, loads }: AllocateQuestion,
  { onFailure, inItsPlace }: StrategyHelp,
): StrategyAnswer | Promise<StrategyAnswer> {
  const counted = new Map([...allocations].map(([region, held]) => [region, [...held]]))
  const homes = new Map<ShardId, NodeId>()
  const whys = new Map<ShardId, string>()
  const common = { allocations: counted, cluster, ...(loads !== undefined && { loads }) }
  const note = (shard: ShardId, home: NodeId, why: string | undefined): void => {
    counted.get(home)?.push(shard)
    homes.set(shard, home)
    if (why !== undefined) whys.set(shard, why.slice(0, whyLengthMax))
  }
  const instead = (wanted: AllocateQuestion['shards'][number]): void => {
    const choice = homeIn(inItsPlace?.allocateShard({ ...wanted, ...common }))
    if (choice === undefined || !counted.has(choice.home)) return
    note(wanted.shard, choice.home, `The strategy gave no home for it. ${choice.why ?? ''}`)
  }
  const take = (wanted: AllocateQuestion['shards'][number], answer: unknown): void => {
    // It wants to be asked again.
    if (answer === undefined) return
    const choice = homeIn(answer)
    if (choice !== undefined && counted.has(choice.home)) {
      return note(wanted.shard, choice.home, choice.why)
    }
    onFailure(
      `answered ${show(answer)} for shard ${wanted.shard}, which is none of the regions that may take it`,
    )
    instead(wanted)
  }
  const from = (index: number): StrategyAnswer | Promise<StrategyAnswer> => {
    for (let next = index; next < shards.length; next++) {
      const wanted = shards[next] as AllocateQuestion['shards'][number]
      const taken = settled<unknown, void>(
        () => strategy.allocateShard({ ...wanted, ...common }),
        (answer) => take(wanted, answer),
        (error) => {
          onFailure(`failed to give shard ${wanted.shard} a home`, error)
          instead(wanted)
        },
      )
      if (taken instanceof Promise) return taken.then(() => from(next + 1))
    }
    return { type: 'Allocate', homes, ...(whys.size > 0 && { whys }) }
  }
  return from(0)
}

/** undefined for what names no home. */
function homeIn(answer: unknown): { home: NodeId; why: string | undefined } | undefined {
  if (typeof answer === 'string') return { home: answer, why: undefined }
  if (!isObject(answer) || typeof answer['home'] !== 'string') return undefined
  const { home, why } = answer
  return { home, why: typeof why === 'string' && why !== '' ? why : undefined }
}

/** What of it can move: shards that have a home, each once. */
function movable(
  answer: unknown,
  { allocations }: RebalanceQuestion,
  { onFailure }: StrategyHelp,
): readonly ShardId[] {
  if (!Array.isArray(answer) && !(answer instanceof Set)) {
    onFailure(`answered ${show(answer)} when asked what moves, which is no list of shards`)
    return []
  }
  const named = new Set<unknown>(answer)
  if (named.size === 0) return []
  const known = new Set<unknown>()
  for (const shards of allocations.values()) for (const shard of shards) known.add(shard)
  const unknown = [...named].filter((shard) => !known.has(shard))
  if (unknown.length > 0) {
    onFailure(
      `wants to move ${show(unknown[0])}${unknown.length > 1 ? ` and ${unknown.length - 1} more` : ''}, of which no region is the home`,
    )
  }
  return [...named].filter((shard) => known.has(shard)) as ShardId[]
}

/** The result of a call that may answer at once, later, or fail in both ways. */
function settled<T, Result>(
  call: () => T | PromiseLike<T>,
  then: (value: T) => Result,
  failed: (error: unknown) => Result,
): Result | Promise<Result> {
  let answer: T | PromiseLike<T>
  try {
    answer = call()
    if (!isPromise(answer)) return then(answer)
  } catch (error) {
    return failed(error)
  }
  return Promise.resolve(answer).then(then).catch(failed)
}

/** Also one of another making. */
function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return isObject(value) && typeof value['then'] === 'function'
}
