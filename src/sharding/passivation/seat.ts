/**
 * A seat is the small number by which strategies know an active entity, for as long as it is active. What they keep about it
 * stands in tables of plain numbers by seat, close together: objects that point at each other take three times the memory and
 * wait for it twice as long, at every message.
 */

export type Seat = number

/** Of an entity that is not active, or where there is nobody. */
export const noSeat: Seat = 0

/** The same table, or a longer one with the same beginning, that has so many numbers at least. */
export function withRoomFor(table: Int32Array, length: number): Int32Array {
  if (length <= table.length) return table
  const longer = new Int32Array(Math.max(length, 2 * table.length))
  longer.set(table)
  return longer
}
