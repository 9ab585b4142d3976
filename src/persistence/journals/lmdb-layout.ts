/**
 * How a journal lies in LMDB, in bytes. The log grows in the order of its keys, which LMDB writes fastest; all else is
 * kept small, because it is written where its stream's name sorts. Whole numbers of 6 bytes are big-endian, so that keys
 * sort as numbers do.
 *
 *   meta    'format' -> text        'count' -> order of the last event, number of commits so far
 *           'store id' -> text      chance: tells this store from all others
 *   log     order -> record         the event of this order and some that follow it: see `lmdb-log-record.ts`
 *   heads   id -> head              epoch, highest sequence number, slice, writer, places of the youngest events
 *   blocks  id NUL block -> places  of `blockEvents` events: those numbered block * blockEvents + 1 and so on
 *
 * The place of an event is the key of its record.
 */
import { assert } from '../../foundation/assert.ts'

/** Written into a new store; a store with another text is not opened. */
export const formatText = 'sherd journal, format 1'

export const formatKey = Buffer.from('format')
export const storeIdKey = Buffer.from('store id')
export const countKey = Buffer.from('count')

/** Places that a head keeps before they become a block. */
export const blockEvents = 32

export const numberBytes = 6
const numberMax = 2 ** 48 - 1

export function writeNumber(bytes: Buffer, value: number, at: number): void {
  assert(value <= numberMax, 'order and block numbers fit into six bytes')
  bytes.writeUIntBE(value, at, numberBytes)
}

export function numberKey(value: number): Buffer {
  const key = Buffer.allocUnsafe(numberBytes)
  writeNumber(key, value, 0)
  return key
}

export function blockKey(id: Buffer, block: number): Buffer {
  const key = Buffer.allocUnsafe(id.length + 1 + numberBytes)
  id.copy(key)
  key[id.length] = 0
  writeNumber(key, block, id.length + 1)
  return key
}

/** How far the store has come. */
export interface StoreCount {
  readonly lastOrder: number
  readonly commitCount: number
}

export function encodeCount({ lastOrder, commitCount }: StoreCount): Buffer {
  const bytes = Buffer.allocUnsafe(2 * numberBytes)
  writeNumber(bytes, lastOrder, 0)
  writeNumber(bytes, commitCount, numberBytes)
  return bytes
}

export function decodeCount(bytes: Buffer): StoreCount | undefined {
  if (bytes.length !== 2 * numberBytes) return undefined
  const lastOrder = bytes.readUIntBE(0, numberBytes)
  return { lastOrder, commitCount: bytes.readUIntBE(numberBytes, numberBytes) }
}
