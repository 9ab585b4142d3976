/**
 * Compares two stores after a copy, by reading both anew: for every stream where it stands, how many events and snapshots it
 * has and a hash of them, for every state and register all of it. What is in one of them only is a difference, too.
 */
import { createHash } from 'node:crypto'
import { show } from '../../foundation/show.ts'
import type { StoredState } from '../durable-states.ts'
import type { StoredRegister } from '../registers.ts'
import type { StreamPlace } from '../store-transfer.ts'
import { staysBehind, streamsAtOnce } from './copy-store.ts'
import { eventsOf, idsOf, inParallel, registersOf, snapshotsOf } from './whole-store.ts'
import type { WholeStore } from './whole-store.ts'

export interface StoreComparison {
  readonly source: WholeStore
  readonly target: WholeStore
  readonly onProgress?: ((progress: Compared) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Counted in the source. */
export interface Compared {
  readonly streams: number
  readonly events: number
  readonly snapshots: number
  readonly states: number
  readonly registers: number
  /** In words, each with its id; at most `differencesMax` of them. */
  readonly differences: readonly string[]
  readonly differenceCount: number
}

/** More are counted and not told. */
const differencesMax = 100

export async function compareStores(comparison: StoreComparison): Promise<Compared> {
  const { source, target, signal } = comparison
  const tally = new Tally(comparison.onProgress)
  const ids = (kind: 'events' | 'states') => bothOf(idsOf(source, kind), idsOf(target, kind))
  await inParallel(ids('events'), streamsAtOnce, async (id) => {
    const [here, there] = await Promise.all([
      digestOf(source, id, signal),
      digestOf(target, id, signal),
    ])
    const counted = { streams: 1, events: here?.events ?? 0, snapshots: here?.snapshots ?? 0 }
    tally.add(counted, differencesOfStreams(id, here, there))
  })
  await inParallel(ids('states'), streamsAtOnce, async (id) => {
    signal?.throwIfAborted()
    const [here, there] = await Promise.all([source.readState(id), target.readState(id)])
    const facts = [here, there].map((state) => state && factsOfState(state))
    tally.add({ states: 1 }, differencesOf(`the state ${show(id)}`, facts[0], facts[1]))
  })
  for await (const name of bothOf(registersOf(source), registersOf(target))) {
    signal?.throwIfAborted()
    if (staysBehind(name)) continue
    const [here, there] = await Promise.all([source.readRegister(name), target.readRegister(name)])
    const facts = [here, there].map((register) => register && factsOfRegister(register))
    tally.add({ registers: 1 }, differencesOf(`the register ${show(name)}`, facts[0], facts[1]))
  }
  return tally.compared
}

class Tally {
  readonly #onProgress: ((progress: Compared) => void) | undefined
  compared: Compared = {
    ...{ streams: 0, events: 0, snapshots: 0, states: 0, registers: 0 },
    differences: [],
    differenceCount: 0,
  }

  constructor(onProgress: ((progress: Compared) => void) | undefined) {
    this.#onProgress = onProgress
  }

  add(
    counted: Partial<Record<'streams' | 'events' | 'snapshots' | 'states' | 'registers', number>>,
    differences: readonly string[],
  ): void {
    const sum = { ...this.compared }
    for (const name of Object.keys(counted) as (keyof typeof counted)[]) {
      sum[name] += counted[name] ?? 0
    }
    const isTold = differences.length > 0 && sum.differences.length < differencesMax
    const told = isTold ? [...sum.differences, ...differences] : sum.differences
    const differenceCount = sum.differenceCount + differences.length
    this.compared = { ...sum, differences: told.slice(0, differencesMax), differenceCount }
    this.#onProgress?.(this.compared)
  }
}

// ---- what is compared, each by a name

type Hash = ReturnType<typeof createHash>

type Facts = Readonly<Record<string, string | number>>

interface StreamDigest {
  readonly facts: Facts
  readonly events: number
  readonly snapshots: number
  /** Numbers of those that cannot be read. */
  readonly damaged: readonly number[]
}

function differencesOfStreams(
  id: string,
  here: StreamDigest | undefined,
  there: StreamDigest | undefined,
): string[] {
  const damaged = (here?.damaged ?? []).map(
    (number) =>
      `the snapshot ${number} of ${show(id)} is damaged in the source, and was not copied`,
  )
  return [...damaged, ...differencesOf(`the stream ${show(id)}`, here?.facts, there?.facts)]
}

function differencesOf(
  subject: string,
  here: Facts | undefined,
  there: Facts | undefined,
): string[] {
  if (here === undefined && there === undefined) return []
  if (there === undefined) return [`${subject} is missing in the target`]
  if (here === undefined) return [`${subject} is in the target only`]
  const names = Object.keys(here).filter((name) => here[name] !== there[name])
  if (names.length === 0) return []
  const words = names.map((name) => `${name} ${here[name]} and ${there[name]}`)
  return [`${subject} differs: ${words.join('; ')}`]
}

async function digestOf(
  store: WholeStore,
  persistenceId: string,
  signal: AbortSignal | undefined,
): Promise<StreamDigest | undefined> {
  const place = await store.readStream(persistenceId)
  if (place === undefined) return undefined
  const { highestSequenceNr: toSequenceNr } = place
  const hash = createHash('sha256')
  let events = 0
  const range = { persistenceId, fromSequenceNr: 1, toSequenceNr }
  for await (const { sequenceNr, epoch, tags, bytes } of eventsOf(store, range)) {
    signal?.throwIfAborted()
    hash.update(`${sequenceNr} ${epoch} ${tags.length} `)
    for (const tag of tags) addBytes(hash, Buffer.from(tag))
    addBytes(hash, bytes)
    events++
  }
  const hashOfSnapshots = createHash('sha256')
  const damaged: number[] = []
  let snapshots = 0
  for await (const snapshot of snapshotsOf(store, range)) {
    signal?.throwIfAborted()
    if ('problem' in snapshot) {
      damaged.push(snapshot.sequenceNr)
      continue
    }
    hashOfSnapshots.update(`${snapshot.sequenceNr} ${snapshot.savedAtMs} `)
    addBytes(hashOfSnapshots, snapshot.bytes)
    snapshots++
  }
  const hashes = { 'hash of events': ended(hash), 'hash of snapshots': ended(hashOfSnapshots) }
  const facts = { ...factsOfPlace(place), events, snapshots, ...hashes }
  return { facts, events, snapshots, damaged }
}

function factsOfPlace(place: StreamPlace): Facts {
  return {
    epoch: place.epoch,
    writer: show(place.writer),
    'last event': place.highestSequenceNr,
    'deleted up to': place.deletedSequenceNr,
    'starts behind': place.startSequenceNr,
  }
}

function factsOfState({ epoch, writer, revision, bytes }: StoredState): Facts {
  return { epoch, writer: show(writer), revision, value: hashOf(bytes) }
}

function factsOfRegister({ revision, bytes }: StoredRegister): Facts {
  return { revision, value: hashOf(bytes) }
}

function hashOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'none' : ended(createHash('sha256').update(bytes))
}

/** With their length, so that nothing can move from one to the next unseen. */
function addBytes(hash: Hash, bytes: Uint8Array): void {
  hash.update(`${bytes.byteLength} `).update(bytes)
}

function ended(hash: Hash): string {
  return hash.digest('hex')
}

/** All that is in either, once, in the order of bytes that both have. */
async function* bothOf(
  ones: AsyncGenerator<string>,
  others: AsyncGenerator<string>,
): AsyncGenerator<string> {
  let [one, other] = [await ones.next(), await others.next()]
  while (one.done !== true || other.done !== true) {
    const order = orderOf(one, other)
    const name = (order <= 0 ? one.value : other.value) as string
    if (order <= 0) one = await ones.next()
    if (order >= 0) other = await others.next()
    yield name
  }
}

function orderOf(one: IteratorResult<string>, other: IteratorResult<string>): number {
  if (one.done === true) return 1
  if (other.done === true) return -1
  return Buffer.compare(Buffer.from(one.value), Buffer.from(other.value))
}
