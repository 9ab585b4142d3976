/**
 * Texts that travel once per connection and then as numbers: paths of actors, names of fields. Both ends fill their
 * table in the order of the bytes, so they agree without a word; a full table is written over from the start. It dies
 * with the connection.
 */
import { utf8Length } from '../../foundation/text.ts'
import type { ByteBuffer } from '../../serialization/internals.ts'
import { type ByteCursor, MalformedFrame } from './byte-cursor.ts'
import { writeText } from './byte-writing.ts'

/** Part of the protocol: the same at both ends. */
export const tableEntriesMax = 16_384

/** A longer text cannot be an address. */
export const tableTextBytesMax = 4_096

/** Whether the other end takes it: one that is longer would cost the connection, and others their messages. */
export function isTableText(text: string): boolean {
  // Three bytes per unit are the most there can be.
  return 3 * text.length <= tableTextBytesMax || utf8Length(text) <= tableTextBytesMax
}

/** Something with a text, and room to remember its number. It may stand in one table at a time. */
export interface TableEntry {
  readonly wireText: string
  tableSlot: number
}

export class OutboundTable {
  readonly #entries: TableEntry[] = []
  #next = 0

  /** Whether the other end knows this one by its `tableSlot`. */
  has(entry: TableEntry): boolean {
    return this.#entries[entry.tableSlot] === entry
  }

  /** Gives the entry a number, taking it from an older one when there is none left. */
  define(entry: TableEntry): number {
    const slot = this.#next
    this.#next = slot + 1 === tableEntriesMax ? 0 : slot + 1
    this.#entries[slot] = entry
    entry.tableSlot = slot
    return slot
  }

  /** Forgets what it has defined: everything is defined anew when it is next used. */
  clear(): void {
    this.#entries.length = 0
    this.#next = 0
  }
}

export class InboundTable<Meaning> {
  readonly #meanings: (Meaning | undefined)[] = []

  /** Only the next free number, or one that was used before: a peer cannot make us reserve more than it fills. */
  define(slot: number, meaning: Meaning): void {
    if (slot > this.#meanings.length || slot >= tableEntriesMax) {
      throw new MalformedFrame('a table is not filled in order')
    }
    this.#meanings[slot] = meaning
  }

  at(slot: number): Meaning {
    const meaning = this.#meanings[slot]
    if (meaning === undefined) throw new MalformedFrame('a number was never defined')
    return meaning
  }
}

export function writeTableText(target: ByteBuffer, entry: TableEntry): void {
  writeText(target, entry.wireText)
}

export function readTableText(cursor: ByteCursor): string {
  return cursor.text(tableTextBytesMax)
}
