/**
 * Where one coordinator keeps what it decides: the port. Regions are told only what is stored, and the next coordinator
 * goes on from there. Its first adapter is `coordinator-journal.ts`.
 */
import { CodedError } from '../../foundation/coded-error.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { show } from '../../foundation/show.ts'
import type { CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'

export interface CoordinatorStore {
  /**
   * Everything that coordinators before this one have stored, and the term of this one. `term` is the number of the
   * singleton's life: a store that cannot tell one coordinator from another answers it as it is; a store that counts
   * those who claim it answers its own number, which holds also when the cluster has been wrong about its members.
   * Either way it is higher than that of every coordinator before in the life of this cluster. One that is founded anew
   * counts its singletons anew, so a store that outlives clusters must not refuse a lower term. Called once, first.
   */
  load(term: number): Promise<StoredDecisions>
  /**
   * Resolves when all of it is safe. Rejects when it is not, or nobody can tell; with `CoordinatorFenced` when a later
   * coordinator has taken over. Then this one stops. Never called again before it has answered.
   */
  store(events: readonly CoordinatorEvent[]): Promise<void>
}

export interface StoredDecisions {
  readonly term: number
  /** Given away: the coordinator changes it. */
  readonly state: CoordinatorState
}

/** Whose store it is. */
export interface CoordinatorStoreOptions {
  readonly entityType: string
  readonly numberOfShards: number
  /** Who writes. */
  readonly writer: NodeId
  /** Each has a coordinator of its own; the default one when not given. */
  readonly dataCenter?: string | undefined
}

/** Makes the store of one life of a coordinator. */
export type OpenCoordinatorStore = (options: CoordinatorStoreOptions) => CoordinatorStore

/** What was read cannot be, or what was written was refused. The coordinator stops, and the next one looks again. */
export class CoordinatorStoreFailed extends CodedError {
  readonly code = 'COORDINATOR_STORE_FAILED'
}

/** Another coordinator has taken over. This one can store nothing more. */
export class CoordinatorFenced extends CodedError {
  readonly code = 'COORDINATOR_FENCED'
  readonly byWriter: string
  /** What there is to say of that writer; undefined for members of the cluster. */
  readonly advice: string | undefined

  constructor(entityType: string, byWriter: string, advice: string | undefined) {
    const words = `The coordinator of ${entityType} on this node stops: ${show(byWriter)} coordinates now.`
    super(advice === undefined ? words : `${words} ${advice}`)
    this.byWriter = byWriter
    this.advice = advice
  }
}
