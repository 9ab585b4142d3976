/** Opens the store that a command line names, with limits that hold for whatever a node was allowed to store. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../foundation/logger.ts'
import { LmdbJournal, PostgresJournal } from '../persistence/index.ts'
import { otherProcessesIn, type WholeStore, wholeStore } from '../persistence/internals.ts'
import { StoreMissing } from './cli-errors.ts'
import { nameOfStore, type StoreAddress } from './store-address.ts'

export interface OpenedStore {
  readonly store: WholeStore
  /** For people. */
  readonly name: string
  /** The other processes of this host that have it open, by their numbers; empty when nobody can tell. */
  otherProcesses(): readonly string[]
  close(): Promise<void>
  /** Closes it, and removes what opening it has made if nothing was written to it. */
  takeBack(): Promise<void>
}

export interface StoreOpening {
  readonly logger: Logger
  /** Whether it is made when it is missing. */
  readonly isMade: boolean
  /** How long a write may take, waiting for others included. */
  readonly commitTimeoutMs: number
}

/** Nodes may have been allowed larger events and states than they are by default. */
const mebibyte = 2 ** 20
const limits = {
  eventBytesMax: 64 * mebibyte,
  stateBytesMax: 256 * mebibyte,
  waitingBytesMax: 512 * mebibyte,
}

export async function openStore(
  address: StoreAddress,
  { logger, isMade, commitTimeoutMs }: StoreOpening,
): Promise<OpenedStore> {
  const name = nameOfStore(address)
  if (address.type === 'postgres') {
    const { urls, schema } = address
    const options = { partitions: urls, schema, createSchema: isMade }
    // Streams are placed one by one on each connection.
    const settings = { ...limits, commitTimeoutMs, writeConnections: 4 }
    const journal = await PostgresJournal.open({ ...options, settings })
    const close = (): Promise<void> => journal.close()
    return { store: wholeStore(journal), name, otherProcesses: () => [], close, takeBack: close }
  }
  const { folder } = address
  if (!isMade && !existsSync(join(folder, 'data.mdb'))) throw new StoreMissing(folder)
  // A node that was stopped while it writes is not ended by somebody who only looks.
  const settings = { ...limits, commitTimeoutMs, stoppedWriterKillAfterMs: Infinity }
  const journal = await LmdbJournal.open({ folder, logger, settings, onlyLooks: !isMade })
  return {
    store: wholeStore(journal),
    name,
    otherProcesses: () => otherProcessesIn(folder),
    close: () => journal.close(),
    takeBack: () => journal.takeBack(),
  }
}
