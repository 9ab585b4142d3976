/** What a seeded fault is, and how a journal comes to have it. */
import {
  type ClaimFences,
  type DurableStates,
  type EventDeletion,
  type IdList,
  type Journal,
  type JournalSettings,
  MemoryJournal,
  type MemoryStore,
  type Registers,
  type SliceReader,
  type Snapshots,
  type StoreTransfer,
} from '../../src/persistence/index.ts'

export type AllPorts = Journal &
  SliceReader &
  Registers &
  EventDeletion &
  Snapshots &
  DurableStates &
  IdList &
  StoreTransfer &
  ClaimFences

export type Open = (store: MemoryStore, settings: Partial<JournalSettings>) => Partial<AllPorts>

export interface SeededFault {
  /** What it does instead, on a journal that is good. */
  readonly open: Open
  /** One of the tests that must fail. */
  readonly fails: string
}

export type Faults = Readonly<Record<string, SeededFault>>

export const good = (store: MemoryStore, settings: Partial<JournalSettings> = {}): MemoryJournal =>
  new MemoryJournal({ store, settings })

/** Opens the store with a journal that has this fault. */
export async function openWith(
  { open }: SeededFault,
  store: MemoryStore,
  settings: Partial<JournalSettings>,
): Promise<Journal> {
  const faulty = open(store, settings)
  const { storeId = store.storeId } = faulty
  return { storeId, ...methodsOf(good(store, settings)), ...methodsOf(faulty) } as Journal
}

const methods = [
  ...(['claim', 'append', 'read', 'highestSequenceNr', 'readSlices', 'close'] as const),
  ...(['readRegister', 'writeRegister', 'deleteEvents', 'deleteEventsTo'] as const),
  ...(['saveSnapshot', 'loadSnapshot', 'deleteSnapshots', 'listIds'] as const),
  ...(['claimState', 'writeState', 'readState', 'readStream', 'placeStream'] as const),
  ...(['placeState', 'listRegisters', 'placeRegister'] as const),
  ...(['listGrants', 'forgetGrant'] as const),
]

/** As they can be spread. */
export function methodsOf(journal: Partial<AllPorts>): Partial<AllPorts> {
  const bound = methods
    .filter((name) => name in journal)
    .map((name) => [name, (journal[name] as Function | undefined)?.bind(journal) as unknown])
  return Object.fromEntries(bound) as Partial<AllPorts>
}
