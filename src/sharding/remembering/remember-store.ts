/**
 * Where one life of a shard keeps which of its entities shall run: the port. What is stored there is started again wherever
 * the shard lives next. Its first adapter is `remember-journal.ts`; all of them pass `rememberStoreContract` of the testkit.
 */
import { CodedError } from '../../foundation/coded-error.ts'
import type { Grant } from '../../foundation/grant.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { show } from '../../foundation/show.ts'
import type { EntityId, ShardId } from '../shard-id.ts'

export interface RememberStore {
  /**
   * Makes this life the only one that can store anything for its shard, and hands over what the lives before it have stored:
   * changes in their order, many at a time, with the event loop served in between. Called once, first. Rejects when that
   * cannot be had.
   */
  load(onChange: (change: RememberedChange) => void): Promise<void>

  /**
   * Resolves when all of it is safe. Rejects when it is not, or nobody can tell: then this life ends, and the next one
   * learns the truth by loading. Rejects with `RememberStoreFenced` when a later life has loaded. Never called again before it
   * has answered. Sets are stored: what is started twice is there once, and what is not there may be stopped.
   */
  update(change: RememberedChange, remembered: RememberedIds): Promise<void>

  /** Nothing will be called any more. */
  close(): void
}

/** No id is in both. */
export interface RememberedChange {
  readonly started: readonly EntityId[]
  readonly stopped: readonly EntityId[]
}

/**
 * All that is remembered while it is iterated, for stores that write it down anew from time to time. It may be iterated with
 * pauses: what is started meanwhile may be missing, and is stored by an update of its own. What is stopped by the present update
 * may still be in it.
 */
export interface RememberedIds {
  /** About how many. */
  readonly size: number
  [Symbol.iterator](): Iterator<EntityId>
}

/** Whose store it is. */
export interface RememberStoreOptions {
  readonly entityType: string
  readonly shard: ShardId
  /** Each has shards of its own; the default one when not given. */
  readonly dataCenter?: string | undefined
  /** Who writes. */
  readonly writer: NodeId
  /** The lease under which this life may write, where its type has leases: no life under an earlier grant may take over from it. */
  readonly grant?: Grant | undefined
}

/** Makes the store of one life of a shard. */
export type OpenRememberStore = (options: RememberStoreOptions) => RememberStore

/** What was read cannot be, or what was written was refused. The shard begins anew. */
export class RememberStoreFailed extends CodedError {
  readonly code = 'REMEMBER_STORE_FAILED'
}

/** Another life of the shard remembers its entities now. This one can store nothing more. */
export class RememberStoreFenced extends CodedError {
  readonly code = 'REMEMBER_STORE_FENCED'
  readonly byWriter: string

  constructor(
    { entityType, shard }: Pick<RememberStoreOptions, 'entityType' | 'shard'>,
    byWriter: string,
    advice?: string,
  ) {
    const words = `Shard ${shard} of ${entityType} cannot store which entities it remembers: ${show(byWriter)} does so now.`
    super(advice === undefined ? words : `${words} ${advice}`)
    this.byWriter = byWriter
  }
}
