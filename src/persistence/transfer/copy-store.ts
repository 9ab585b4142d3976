/**
 * Copies a whole store into another: streams of events, snapshots, durable states and registers, with all that fences depend
 * on. Goes on where an earlier copy ended. Whoever calls has seen to it that no node uses either store.
 *
 * Left out are the places of projections: they are words of the store that they came from.
 */
import { show } from '../../foundation/show.ts'
import type { StoredState } from '../durable-states.ts'
import { copyStream } from './copy-stream.ts'
import { CopyRefused, SameStore, TargetNotEmpty } from './transfer-errors.ts'
import { idsOf, inParallel, registersOf, type WholeStore } from './whole-store.ts'

export interface StoreCopy {
  readonly source: WholeStore
  readonly target: WholeStore
  /** Whether the target may have what an earlier copy has put there. */
  readonly mayResume: boolean
  /** Is told after every write how far it has come. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface CopyProgress {
  /** Copied in whole or in part. */
  readonly streams: number
  readonly events: number
  /** Of events. */
  readonly bytes: number
  readonly snapshots: number
  readonly states: number
  readonly registers: number
  /** Streams, states and registers that were there and equal. */
  readonly passedOver: number
  /** Names of registers that no other store understands. */
  readonly leftOut: readonly string[]
}

export const nothingCopied: CopyProgress = {
  ...{ streams: 0, events: 0, bytes: 0, snapshots: 0, states: 0, registers: 0, passedOver: 0 },
  leftOut: [],
}

/** Streams at once: so many share a commit, and so many pages of events are held at a time. */
export const streamsAtOnce = 32

/** The registers that no other store understands. */
export function staysBehind(register: string): boolean {
  return register.startsWith('projection/')
}

export async function copyStore(copy: StoreCopy): Promise<CopyProgress> {
  const { source, target, mayResume } = copy
  if (source.storeId !== undefined && source.storeId === target.storeId) throw new SameStore()
  if (!mayResume) await checkEmpty(target)
  const told = new Told(copy.onProgress)
  await copyStreams(copy, told)
  await copyStates(copy, told)
  await copyRegisters(copy, told)
  return told.progress
}

/** Throws `TargetNotEmpty`. */
async function checkEmpty(target: WholeStore): Promise<void> {
  const found = async (items: AsyncIterable<string>, words: string): Promise<void> => {
    for await (const name of items) throw new TargetNotEmpty(`${words} ${show(name)}`)
  }
  await found(idsOf(target, 'events'), 'the stream')
  await found(idsOf(target, 'states'), 'the state')
  await found(registersOf(target), 'the register')
}

class Told {
  readonly #onProgress: ((progress: CopyProgress) => void) | undefined
  progress = nothingCopied

  constructor(onProgress: ((progress: CopyProgress) => void) | undefined) {
    this.#onProgress = onProgress
  }

  add(more: Partial<Record<Exclude<keyof CopyProgress, 'leftOut'>, number>>): void {
    const sum = { ...this.progress }
    for (const name of Object.keys(more) as (keyof typeof more)[]) sum[name] += more[name] ?? 0
    this.#tell(sum)
  }

  leaveOut(register: string): void {
    this.#tell({ ...this.progress, leftOut: [...this.progress.leftOut, register] })
  }

  #tell(progress: CopyProgress): void {
    this.progress = progress
    this.#onProgress?.(progress)
  }
}

async function copyStreams({ source, target, signal }: StoreCopy, told: Told): Promise<void> {
  const copy = {
    ...{ source, target, signal },
    onStored: (stored: { events: number; bytes: number }) => told.add(stored),
  }
  await inParallel(idsOf(source, 'events'), streamsAtOnce, async (persistenceId) => {
    signal?.throwIfAborted()
    const { copied, snapshots } = await copyStream(copy, persistenceId)
    told.add({ ...(copied === 'nothing' ? { passedOver: 1 } : { streams: 1 }), snapshots })
  })
}

async function copyStates({ source, target, signal }: StoreCopy, told: Told): Promise<void> {
  await inParallel(idsOf(source, 'states'), streamsAtOnce, async (persistenceId) => {
    signal?.throwIfAborted()
    const state = await source.readState(persistenceId)
    if (state === undefined) return
    const present = await target.readState(persistenceId)
    if (present === undefined) {
      await target.placeState(state)
      return told.add({ states: 1 })
    }
    if (!isSameState(present, state)) {
      const problem = `it has epoch ${present.epoch} and revision ${present.revision} in the target, ${state.epoch} and ${state.revision} in the source, or another value`
      throw new CopyRefused(`the state ${show(persistenceId)}`, problem, persistenceId)
    }
    told.add({ passedOver: 1 })
  })
}

function isSameState(one: StoredState, other: StoredState): boolean {
  const isSamePlace = one.epoch === other.epoch && one.revision === other.revision
  return isSamePlace && one.writer === other.writer && areSameBytes(one.bytes, other.bytes)
}

function areSameBytes(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return Buffer.compare(one, other) === 0
}

/** Last of all: one of them may be the sign that a cluster was there, and none was while its data is missing. */
async function copyRegisters({ source, target, signal }: StoreCopy, told: Told): Promise<void> {
  for await (const name of registersOf(source)) {
    signal?.throwIfAborted()
    if (staysBehind(name)) {
      told.leaveOut(name)
      continue
    }
    const register = await source.readRegister(name)
    if (register === undefined) continue
    const present = await target.readRegister(name)
    if (present === undefined) {
      await target.placeRegister({ name, ...register })
      told.add({ registers: 1 })
      continue
    }
    const isSame =
      present.revision === register.revision && areSameBytes(present.bytes, register.bytes)
    if (!isSame) {
      const problem = `it has revision ${present.revision} in the target and ${register.revision} in the source, or another value`
      throw new CopyRefused(`the register ${show(name)}`, problem, name)
    }
    told.add({ passedOver: 1 })
  }
}
