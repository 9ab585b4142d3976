/**
 * Who has seen a version, in few bytes: one bit per member where many have and many have not, or the places of the few
 * that have, or have not. Readable only for who has the same members.
 *
 *   number of members, form, bytes      form 0: bits, the first member lowest;  1, 2: gaps before each that has, has not
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { Gossip } from './gossip.ts'

const forms: Readonly<Record<'bits' | 'seen' | 'unseen', number>> = { bits: 0, seen: 1, unseen: 2 }

export function packSeen({ members, seen }: Pick<Gossip, 'members' | 'seen'>): Uint8Array {
  const head: number[] = []
  putNumber(head, members.length)
  const isFew = seen.length * 2 <= members.length
  const places = placesOf(members, seen, isFew)
  const gaps: number[] = []
  let next = 0
  for (const place of places) {
    putNumber(gaps, place - next)
    next = place + 1
  }
  if (gaps.length <= members.length / 8) {
    return Uint8Array.from([...head, isFew ? forms.seen : forms.unseen, ...gaps])
  }
  const bits = new Array<number>(Math.ceil(members.length / 8)).fill(0)
  for (const place of isFew ? places : placesOf(members, seen, true)) {
    bits[place >> 3]! |= 1 << (place & 7)
  }
  return Uint8Array.from([...head, forms.bits, ...bits])
}

/** Undefined when these are not the members it was made for. */
export function unpackSeen(
  members: Gossip['members'],
  bytes: Uint8Array,
): readonly NodeId[] | undefined {
  const reader = new NumberReader(bytes)
  if (reader.next() !== members.length) return undefined
  const form = reader.next()
  if (form === forms.bits) {
    const isMarked = (_: unknown, place: number): boolean =>
      ((bytes[reader.place + (place >> 3)] ?? 0) & (1 << (place & 7))) !== 0
    return members.filter(isMarked).map(({ node }) => node)
  }
  const marked = new Set<number>()
  for (let next = 0; !reader.isAtEnd;) {
    const place = next + reader.next()
    marked.add(place)
    next = place + 1
  }
  return members.flatMap(({ node }, place) =>
    marked.has(place) === (form === forms.seen) ? [node] : [],
  )
}

function placesOf(
  members: Gossip['members'],
  seen: readonly NodeId[],
  hasSeen: boolean,
): readonly number[] {
  const places: number[] = []
  // Both are in the same order.
  let next = 0
  members.forEach(({ node }, place) => {
    const isSeen = seen[next] === node
    if (isSeen) next++
    if (isSeen === hasSeen) places.push(place)
  })
  return places
}

/** Seven bits to a byte, the lowest first; the highest bit says that more follow. */
function putNumber(bytes: number[], value: number): void {
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
}

class NumberReader {
  readonly #bytes: Uint8Array
  place = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.place >= this.#bytes.length
  }

  next(): number {
    let value = 0
    for (let shift = 0; shift < 28 && !this.isAtEnd; shift += 7) {
      const byte = this.#bytes[this.place++]!
      value |= (byte & 0x7f) << shift
      if (byte <= 0x7f) break
    }
    return value
  }
}
