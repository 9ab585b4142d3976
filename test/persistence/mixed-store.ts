/** A store with something of every kind in it, as nodes leave it behind: for tests that copy it or look into it. */
import { deletesEvents } from '../../src/persistence/index.ts'
import type { NewEvent } from '../../src/persistence/index.ts'
import type { WholeStore } from '../../src/persistence/internals.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'

const codec = new ValueCodec({ use: 'stored' })

export const oddIds = [
  'Counter|it\'s "odd"',
  'Counter|../../%00/%s',
  'Counter|\u202eabc\u2066',
  'Counter|𝒳\n\u001b[31m',
  `Counter|${'x'.repeat(900)}`,
]

export function stored(value: unknown): Uint8Array {
  return codec.encode(value)
}

/** Claims the stream and appends, as one life of an entity does. Answers the epoch. */
export async function live(
  store: WholeStore,
  persistenceId: string,
  events: readonly NewEvent[],
): Promise<number> {
  const { epoch, highestSequenceNr } = await store.claim(
    persistenceId,
    `a writer of ${persistenceId.slice(0, 7)}`,
  )
  for (let from = 0; from < events.length; from += 500) {
    const expectedSequenceNr = highestSequenceNr + from
    const batch = {
      persistenceId,
      epoch,
      expectedSequenceNr,
      events: events.slice(from, from + 500),
    }
    const { type } = await store.append(batch)
    if (type !== 'Appended') throw new Error(`${persistenceId} was not appended to: ${type}`)
  }
  return epoch
}

export async function snapshot(
  store: WholeStore,
  at: { readonly persistenceId: string; readonly epoch: number; readonly sequenceNr: number },
): Promise<void> {
  const bytes = stored({ total: at.sequenceNr })
  const { type } = await store.saveSnapshot({ ...at, savedAtMs: 1000 + at.sequenceNr, bytes })
  if (type !== 'SnapshotSaved') throw new Error(`the snapshot was not saved: ${type}`)
}

export async function fillMixed(store: WholeStore, long = 700): Promise<void> {
  const many = Array.from({ length: long }, (_, i) => stored({ added: i }))
  await live(store, 'Counter|long', many.slice(0, long / 2))
  await live(store, 'Counter|long', many.slice(long / 2))
  const tagged = { bytes: stored({ at: new Date(7), big: 7n }), tags: ['red', 'größer'] }
  await live(store, 'Counter|tagged', [tagged, stored('plain'), tagged])
  for (const id of oddIds) await live(store, id, [stored(id)])
  await store.claim('Counter|claimed', 'nobody who wrote')

  const epoch = await live(store, 'Account|short', [1, 2, 3, 4, 5, 6].map(stored))
  const at = { persistenceId: 'Account|short', epoch }
  for (const sequenceNr of [2, 4, 6]) await snapshot(store, { ...at, sequenceNr })
  if (!deletesEvents(store)) throw new Error('the store deletes no events')
  await store.deleteEventsTo({ ...at, toSequenceNr: 4 })

  const ended = await live(store, 'Account|ended', [stored(1), stored(2)])
  await store.deleteEvents({
    ...{ persistenceId: 'Account|ended', epoch: ended, expectedSequenceNr: 2 },
    events: [],
  })
  await live(store, 'Account|ended', [stored(3)])
  await live(store, 'Account|claimed since', [stored(1)])
  await store.claim('Account|claimed since', 'the last')

  await store.claimState('Cart|claimed', 'a')
  const cart = await store.claimState('Cart|a', 'a')
  const write = { persistenceId: 'Cart|a', epoch: cart.epoch }
  await store.writeState({ ...write, expectedRevision: 0, revision: 1, bytes: stored(['x']) })
  await store.writeState({ ...write, expectedRevision: 1, revision: 5, bytes: stored(['y']) })
  const gone = await store.claimState('Cart|gone', 'a')
  const other = { persistenceId: 'Cart|gone', epoch: gone.epoch }
  await store.writeState({ ...other, expectedRevision: 0, revision: 1, bytes: stored('z') })
  await store.writeState({ ...other, expectedRevision: 1, revision: 2, bytes: undefined })

  const registers = { 'lease/one': 3, 'projection/list/0-1023': 1, 'something/else': 1 }
  for (const [name, writes] of Object.entries(registers)) {
    for (let expectedRevision = 0; expectedRevision < writes; expectedRevision++) {
      await store.writeRegister({ name, expectedRevision, bytes: stored({ expectedRevision }) })
    }
  }
}
