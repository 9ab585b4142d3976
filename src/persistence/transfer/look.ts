/**
 * A look into a store: ids, events, snapshots, states and registers as plain objects, one after the other. It claims nothing
 * and writes nothing, so nodes may run meanwhile; what they change while somebody looks may be seen or not.
 */
import { show } from '../../foundation/show.ts'
import { CodedError } from '../../foundation/coded-error.ts'
import { grantNameOf, tokenIn } from '../claim-fences.ts'
import { shown } from './shown-value.ts'
import { eventsOf, idsOf, registersOf, snapshotsOf, type WholeStore } from './whole-store.ts'

/** Something to print on a line of its own. */
export type StoreSight = Readonly<Record<string, unknown>>

class NotInStore extends CodedError {
  readonly code = 'NOT_IN_STORE'

  constructor(what: string, persistenceId: string) {
    super(
      `The store has no ${what} of ${show(persistenceId)}. An entity has the id TYPE|ID, such as 'Counter|a'; list what is there with --ids, or with --ids --states.`,
    )
  }
}

/** How much of everything there is. */
export async function* lookOver(store: WholeStore): AsyncGenerator<StoreSight> {
  const streams = await countOf(idsOf(store, 'events'))
  const states = await countOf(idsOf(store, 'states'))
  const registers = await countOf(registersOf(store))
  yield { storeId: store.storeId, streams, states, registers }
}

async function countOf(items: AsyncIterable<string>): Promise<number> {
  let count = 0
  for await (const _ of items) count++
  return count
}

export async function* lookAtIds(
  store: WholeStore,
  {
    kind,
    entityType,
  }: { readonly kind: 'events' | 'states'; readonly entityType?: string | undefined },
): AsyncGenerator<StoreSight> {
  const prefix = entityType === undefined ? undefined : `${entityType}|`
  for await (const id of idsOf(store, kind, prefix)) yield { id }
}

export interface EventSpan {
  readonly persistenceId: string
  /** Both included; all that are there when left out. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export async function* lookAtEvents(
  store: WholeStore,
  { persistenceId, from = 1, to = Number.MAX_SAFE_INTEGER }: EventSpan,
): AsyncGenerator<StoreSight> {
  const range = { persistenceId, fromSequenceNr: from, toSequenceNr: to }
  let count = 0
  for await (const { sequenceNr, epoch, tags, bytes } of eventsOf(store, range)) {
    count++
    const tagged = tags.length === 0 ? {} : { tags }
    yield { id: persistenceId, sequenceNr, epoch, ...tagged, ...shown(bytes) }
  }
  if (count === 0) await checkStream(store, persistenceId)
}

/** Newest first. */
export async function* lookAtSnapshots(
  store: WholeStore,
  persistenceId: string,
): AsyncGenerator<StoreSight> {
  const range = { persistenceId, fromSequenceNr: 1, toSequenceNr: Number.MAX_SAFE_INTEGER }
  let count = 0
  for await (const snapshot of snapshotsOf(store, range)) {
    count++
    const { sequenceNr } = snapshot
    if ('problem' in snapshot) {
      yield { id: persistenceId, sequenceNr, problem: snapshot.problem.message }
      continue
    }
    const { savedAtMs, bytes } = snapshot
    yield { id: persistenceId, sequenceNr, savedAtMs, ...shown(bytes) }
  }
  if (count === 0) await checkStream(store, persistenceId)
}

export async function* lookAtState(
  store: WholeStore,
  persistenceId: string,
): AsyncGenerator<StoreSight> {
  const state = await store.readState(persistenceId)
  if (state === undefined) throw new NotInStore('durable state', persistenceId)
  const { epoch, writer, revision, bytes } = state
  // Never written, or deleted.
  const value = bytes === undefined ? { isEmpty: true } : shown(bytes)
  yield { id: persistenceId, epoch, writer, revision, ...value }
}

export async function* lookAtRegisters(store: WholeStore): AsyncGenerator<StoreSight> {
  for await (const name of registersOf(store)) {
    const register = await store.readRegister(name)
    if (register === undefined) continue
    const { revision, bytes } = register
    const grant = grantNameOf(name)
    const value = grant === undefined ? shown(bytes) : { value: { token: tokenIn(grant, bytes) } }
    yield { name, revision, ...value }
  }
}

/** Only asked when nothing was found: on a folder it waits for the lock of those who write. */
async function checkStream(store: WholeStore, persistenceId: string): Promise<void> {
  const place = await store.readStream(persistenceId)
  if (place === undefined) throw new NotInStore('events', persistenceId)
}
