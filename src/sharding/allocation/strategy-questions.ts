/**
 * What the coordinator asks a strategy, and how a strategy of either kind answers: at once when it can, or by a promise.
 * A strategy that fails has not answered for that shard; nothing is allocated and nothing moves.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type {
  AllocationRequest,
  Allocations,
  ClusterView,
  RebalanceRequest,
  ShardAllocationStrategy,
} from './shard-allocation-strategy.ts'

/** Homes for these shards, please; each choice is counted before the next is made. */
export interface AllocateQuestion {
  readonly type: 'Allocate'
  readonly shards: readonly Pick<AllocationRequest, 'shard' | 'requester'>[]
  readonly allocations: Allocations
  readonly cluster: ClusterView
}

export interface RebalanceQuestion extends RebalanceRequest {
  readonly type: 'Rebalance'
}

export type StrategyQuestion = AllocateQuestion | RebalanceQuestion

export type StrategyAnswer =
  | { readonly type: 'Allocate'; readonly homes: ReadonlyMap<ShardId, NodeId> }
  | { readonly type: 'Rebalance'; readonly shards: readonly ShardId[] }

/** Calls `onFailure` for each failed call and goes on. */
export function askStrategy(
  strategy: ShardAllocationStrategy,
  question: StrategyQuestion,
  onFailure: (error: unknown) => void,
): StrategyAnswer | Promise<StrategyAnswer> {
  switch (question.type) {
    case 'Allocate':
      return allocateAll(strategy, question, onFailure)
    case 'Rebalance':
      return settled(
        () => strategy.rebalance(question),
        (shards) => ({ type: 'Rebalance', shards: shards ?? [] }),
        onFailure,
      )
    default:
      return unreachable(question)
  }
}

function allocateAll(
  strategy: ShardAllocationStrategy,
  { shards, allocations, cluster }: AllocateQuestion,
  onFailure: (error: unknown) => void,
): StrategyAnswer | Promise<StrategyAnswer> {
  const counted = new Map([...allocations].map(([region, held]) => [region, [...held]]))
  const homes = new Map<ShardId, NodeId>()
  const from = (index: number): StrategyAnswer | Promise<StrategyAnswer> => {
    for (let next = index; next < shards.length; next++) {
      const wanted = shards[next] as AllocateQuestion['shards'][number]
      const note = (home: NodeId | undefined): void => {
        if (home === undefined || !counted.has(home)) return
        counted.get(home)?.push(wanted.shard)
        homes.set(wanted.shard, home)
      }
      const noted = settled<NodeId | undefined, void>(
        () => strategy.allocateShard({ ...wanted, allocations: counted, cluster }),
        note,
        onFailure,
      )
      if (noted instanceof Promise) return noted.then(() => from(next + 1))
    }
    return { type: 'Allocate', homes }
  }
  return from(0)
}

/** The result of a call that may answer at once, later, or fail in both ways. */
function settled<T, Result>(
  call: () => T | Promise<T>,
  then: (value: T | undefined) => Result,
  onFailure: (error: unknown) => void,
): Result | Promise<Result> {
  const failed = (error: unknown): undefined => {
    onFailure(error)
  }
  try {
    const answer = call()
    return answer instanceof Promise ? answer.catch(failed).then(then) : then(answer)
  } catch (error) {
    return then(failed(error))
  }
}
