/**
 * One claim, append, deletion or other change on its way to the server, and the plan by which many of them share few statements:
 * those of one kind go together, those of one id keep their order, and appends of one id that follow each other become one.
 */
import { assert, unreachable } from '../../../foundation/assert.ts'
import type { Grant } from '../../../foundation/grant.ts'
import type { StateWrite } from '../../durable-states.ts'
import type { EventDeletionTo } from '../../event-deletion.ts'
import type { AppendBatch } from '../../journal.ts'
import type { RegisterWrite } from '../../registers.ts'
import type { NewSnapshot, SnapshotDeletion } from '../../snapshots.ts'
import type { Operation } from '../group-commit.ts'
import type { PostgresConnection } from './postgres-connection.ts'

export type PostgresRequest =
  | { readonly type: 'Append'; readonly batch: AppendBatch }
  /** Deletes what was there before. */
  | { readonly type: 'End'; readonly batch: AppendBatch }
  | ({ readonly type: 'Claim' } & GivenClaim)
  | { readonly type: 'Highest'; readonly persistenceId: string }
  | { readonly type: 'DeleteTo'; readonly deletion: EventDeletionTo }
  | { readonly type: 'SaveSnapshot'; readonly snapshot: NewSnapshot }
  | { readonly type: 'DeleteSnapshots'; readonly deletion: SnapshotDeletion }
  | ({ readonly type: 'ClaimState' } & GivenClaim)
  | { readonly type: 'WriteState'; readonly write: StateWrite }
  | { readonly type: 'Register'; readonly write: RegisterWrite }
  /** Takes some deleted events out of the tables. */
  | { readonly type: 'Scrub' }
  /** Several statements in a transaction of their own. */
  | { readonly type: 'Place'; readonly place: Place }

interface GivenClaim {
  readonly persistenceId: string
  readonly writer: string
  readonly grant: Grant | undefined
}

/** One kind of request. */
export type Of<Type extends PostgresRequest['type']> = Extract<
  PostgresRequest,
  { readonly type: Type }
>

export type Place = (connection: PostgresConnection) => Promise<void>

/** Whoever waits for a request. */
export interface PostgresAsker {
  /** What was decided, once the commit is durable. */
  succeeded(result: unknown): void
  failed(error: Error): void
}

interface PostgresWriteOptions {
  readonly request: PostgresRequest
  readonly slice: number
  readonly byteCount: number
  readonly asker: PostgresAsker
}

/** In events of equal work: what else a commit does is bounded by the same number. */
const claimEvents = 2
const stateEvents = 16
/** Each has a statement, and a sync of the server's disk, for itself, and all who share the commit wait for it. */
const aloneEvents = 32

export class PostgresWrite implements Operation {
  readonly request: PostgresRequest
  /** Of its id. */
  readonly slice: number
  readonly eventCount: number
  readonly byteCount: number
  readonly #asker: PostgresAsker
  #outcome: { readonly result: unknown } | Error | undefined

  constructor({ request, slice, byteCount, asker }: PostgresWriteOptions) {
    this.request = request
    this.slice = slice
    this.eventCount = workOf(request)
    this.byteCount = byteCount
    this.#asker = asker
  }

  get isDecided(): boolean {
    return this.#outcome !== undefined
  }

  decide(result: unknown): void {
    this.#outcome = { result }
  }

  refuse(error: Error): void {
    this.#outcome = error
  }

  succeed(): void {
    const outcome = this.#outcome
    assert(outcome !== undefined, 'a write is decided before it is durable')
    if (outcome instanceof Error) this.#asker.failed(outcome)
    else this.#asker.succeeded(outcome.result)
  }

  fail(error: Error): void {
    this.#asker.failed(error)
  }
}

function workOf(request: PostgresRequest): number {
  switch (request.type) {
    case 'Append':
    case 'End':
      return request.batch.events.length + 1
    case 'Claim':
      return claimEvents
    case 'Highest':
      return 1
    case 'ClaimState':
    case 'WriteState':
      return stateEvents
    case 'DeleteTo':
    case 'SaveSnapshot':
    case 'DeleteSnapshots':
    case 'Register':
    case 'Scrub':
    case 'Place':
      return aloneEvents
    default:
      return unreachable(request)
  }
}

/** Writes that one statement carries. */
export interface PostgresStep {
  readonly type: PostgresRequest['type']
  readonly writes: PostgresWrite[]
}

/** Of these many may go together, each of an id of its own unless they follow each other. */
const shared: ReadonlySet<PostgresRequest['type']> = new Set([
  'Append',
  'Claim',
  'Highest',
  'ClaimState',
  'WriteState',
] as const)

export function stepsOf(writes: readonly PostgresWrite[]): PostgresStep[] {
  const steps: PostgresStep[] = []
  /** By what must keep its order: where the last write is. Streams, states and the rest have names of their own. */
  const last: Readonly<Record<NameSpace, Map<string, LastWrite>>> = {
    streams: new Map(),
    states: new Map(),
    others: new Map(),
  }
  for (const write of writes) {
    const known = last[spaceOf(write.request)]
    const name = nameOf(write.request)
    const before = known.get(name)
    const step =
      before !== undefined && follows(before.write.request, write.request)
        ? before.step
        : stepFor(steps, write.request.type, before === undefined ? 0 : before.step + 1)
    steps[step] ??= { type: write.request.type, writes: [] }
    steps[step].writes.push(write)
    known.set(name, { step, write })
  }
  return steps
}

type NameSpace = 'streams' | 'states' | 'others'

interface LastWrite {
  readonly step: number
  readonly write: PostgresWrite
}

function stepFor(
  steps: readonly PostgresStep[],
  type: PostgresRequest['type'],
  from: number,
): number {
  if (!shared.has(type)) return steps.length
  for (let at = from; at < steps.length; at++) if (steps[at]!.type === type) return at
  return steps.length
}

/** The second expects exactly what the first leaves. */
function follows(first: PostgresRequest, second: PostgresRequest): boolean {
  if (first.type === 'Append' && second.type === 'Append') {
    const { epoch, expectedSequenceNr, events } = first.batch
    const { batch } = second
    return epoch === batch.epoch && batch.expectedSequenceNr === expectedSequenceNr + events.length
  }
  if (first.type === 'WriteState' && second.type === 'WriteState') {
    const { epoch, expectedRevision } = second.write
    return epoch === first.write.epoch && expectedRevision === first.write.revision
  }
  return false
}

function spaceOf(request: PostgresRequest): NameSpace {
  switch (request.type) {
    case 'Append':
    case 'End':
    case 'Claim':
    case 'Highest':
    case 'DeleteTo':
    case 'SaveSnapshot':
    case 'DeleteSnapshots':
      return 'streams'
    case 'ClaimState':
    case 'WriteState':
      return 'states'
    case 'Register':
    case 'Scrub':
    case 'Place':
      return 'others'
    default:
      return unreachable(request)
  }
}

function nameOf(request: PostgresRequest): string {
  switch (request.type) {
    case 'Append':
    case 'End':
      return request.batch.persistenceId
    case 'Claim':
    case 'Highest':
    case 'ClaimState':
      return request.persistenceId
    case 'DeleteTo':
    case 'DeleteSnapshots':
      return request.deletion.persistenceId
    case 'SaveSnapshot':
      return request.snapshot.persistenceId
    case 'WriteState':
      return request.write.persistenceId
    case 'Register':
      return request.write.name
    // In the order in which they come.
    case 'Scrub':
    case 'Place':
      return ''
    default:
      return unreachable(request)
  }
}
