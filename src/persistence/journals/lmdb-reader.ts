/** Reads events back, some at a time, and trusts nothing: each must be the one the index promised. */
import type { StoredEvent } from '../journal.ts'
import { JournalCorrupted } from '../persistence-errors.ts'
import type { JournalSettings } from '../persistence-settings.ts'
import { blockEvents, blockKey, numberBytes, numberKey } from './lmdb-layout.ts'
import { decodeRecord, findInRecord } from './lmdb-log-record.ts'
import type { LmdbStreamHead } from './lmdb-stream-head.ts'
import { type LmdbTables, readHead } from './lmdb-tables.ts'

export class LmdbReader {
  readonly #tables: LmdbTables
  readonly #settings: JournalSettings

  constructor(tables: LmdbTables, settings: JournalSettings) {
    this.#tables = tables
    this.#settings = settings
  }

  highestSequenceNr(persistenceId: string): number {
    this.#lookAgain()
    return readHead(this.#tables, Buffer.from(persistenceId))?.highestSequenceNr ?? 0
  }

  /** Events from number `from` on: at least one, at most up to `to`, no more than are read in one go. */
  chunk(persistenceId: string, from: number, to: number): StoredEvent[] {
    this.#lookAgain()
    const { readEventsMax, readBytesMax } = this.#settings
    const id = Buffer.from(persistenceId)
    const head = readHead(this.#tables, id)
    const last = Math.min(to, head?.highestSequenceNr ?? 0, from + readEventsMax - 1)
    const events: StoredEvent[] = []
    let bytes = 0
    let places: Buffer | undefined
    for (let number = from; number <= last && bytes < readBytesMax; number++) {
      const index = (number - 1) % blockEvents
      if (index === 0 || places === undefined) places = this.#places(id, head, number)
      const place = places.readUIntBE(index * numberBytes, numberBytes)
      const record = this.#tables.log.getBinary(numberKey(place))
      const event = record && findInRecord(record, place, id, number)
      if (!event) throw this.#damage(`event ${number} of "${id}" is not where the index says`)
      events.push(event)
      bytes += event.bytes.byteLength
    }
    return events
  }

  /** Events of all streams from `fromOrder` on, no more than are read in one go. */
  log(fromOrder: number, limit: number): StoredEvent[] {
    this.#lookAgain()
    const { readEventsMax, readBytesMax } = this.#settings
    const countMax = Math.min(limit, readEventsMax)
    const events: StoredEvent[] = []
    let bytes = 0
    let place = this.#placeOf(Math.max(fromOrder, 1))
    while (bytes < readBytesMax) {
      const record = this.#record(place)
      if (record === undefined) break
      for (const event of record) {
        if (event.order < fromOrder) continue
        if (events.length === countMax) return events
        events.push(event)
        bytes += event.bytes.byteLength
      }
      place += record.length
    }
    return events
  }

  /** The places of the block that this event lies in. */
  #places(id: Buffer, head: LmdbStreamHead | undefined, sequenceNr: number): Buffer {
    const block = Math.floor((sequenceNr - 1) / blockEvents)
    const isOpen = head !== undefined && block === Math.floor(head.highestSequenceNr / blockEvents)
    const places = isOpen ? head.places : this.#tables.blocks.getBinary(blockKey(id, block))
    const isWhole = places !== undefined && (isOpen || places.length === blockEvents * numberBytes)
    if (!isWhole) throw this.#damage(`block ${block} of the index of "${id}" is missing`)
    return places
  }

  /** The key of the record that holds this order, or would hold it. */
  #placeOf(order: number): number {
    const backwards = { start: numberKey(order), reverse: true, limit: 1 }
    for (const key of this.#tables.log.getKeys(backwards)) return key.readUIntBE(0, numberBytes)
    return order
  }

  #record(place: number): StoredEvent[] | undefined {
    const record = this.#tables.log.getBinary(numberKey(place))
    if (record === undefined) return undefined
    const events = decodeRecord(record, place)
    if (events === undefined) throw this.#damage(`record ${place} of the log is unreadable`)
    return events
  }

  /** Reads of one turn share a snapshot; ours may not be older than what other processes have committed. */
  #lookAgain(): void {
    this.#tables.environment.resetReadTxn()
  }

  #damage(problem: string): JournalCorrupted {
    return new JournalCorrupted(this.#tables.folder, problem)
  }
}
