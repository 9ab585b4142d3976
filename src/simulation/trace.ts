/**
 * What happened, twice: the last events in words, and all of them in one rolling hash. Two runs with the same hash did
 * the same things at the same virtual times. Nothing that differs between machines (stacks, addresses) enters.
 */
import { stableHash } from '../foundation/stable-hash.ts'

/** One event in words. */
export interface TraceEvent {
  readonly timeMs: number
  /** Where it happened: a node with its incarnation, or the world. */
  readonly place: string
  readonly kind: string
  readonly text: string
  /** @internal The place itself: the same for all events of one life. */
  readonly at: TracedPlace
  /** For `send` and `receive`: the same number at both, so that effects can be followed to their causes. */
  readonly edge?: number
}

interface Entry {
  readonly timeUs: number
  readonly place: TracedPlace
  readonly kind: string
  readonly text: string
  /** Units of work done in a turn; -1 where that means nothing. */
  units: number
  /** Number of the bytes that were sent or received; -1 where that means nothing. */
  readonly edge: number
  /** Where those bytes go. */
  readonly peer: TracedPlace | undefined
}

export interface TracedPlace {
  readonly label: string
  readonly labelHash: number
}

/** Events between two hashes that are kept to find where two runs part. */
const EVENTS_PER_CHECKPOINT = 10_000

const turnHash = stableHash('turn')
const sendHash = stableHash('send')
const receiveHash = stableHash('receive')

export class Trace {
  readonly #entries: (Entry | undefined)[]
  readonly #kindHashes = new Map<string, number>()
  readonly #checkpoints: string[] = []
  #count = 0
  #edges = 0
  #low = 0x243f6a88
  #high = 0x85a308d3

  constructor(keptEventsMax: number) {
    this.#entries = new Array<Entry | undefined>(keptEventsMax).fill(undefined)
  }

  /** Events so far. */
  get count(): number {
    return this.#count
  }

  /** All that happened so far, in 16 hexadecimal digits. */
  get hash(): string {
    return hex(this.#high) + hex(this.#low)
  }

  /** The hash after every 10,000 events. */
  get checkpoints(): readonly string[] {
    return this.#checkpoints
  }

  /** Notes the start of a turn; `endTurn` completes it, so that what the turn causes stands below it. */
  beginTurn(timeUs: number, place: TracedPlace, taskName: string): Entry {
    const entry = newEntry(timeUs, place, 'turn', taskName)
    this.#keep(entry)
    return entry
  }

  endTurn(entry: Entry, taskHash: number, units: number): void {
    entry.units = units
    this.#mixHead(turnHash, entry)
    this.#mix(taskHash)
    this.#mix(units)
  }

  add(timeUs: number, place: TracedPlace, kind: string, text = ''): void {
    const entry = newEntry(timeUs, place, kind, text)
    this.#keep(entry)
    this.#mixHead(this.#kindHash(kind), entry)
    if (text !== '') this.#mix(stableHash(text))
  }

  /** Bytes leave; answers the number by which they will be known when they arrive. */
  sent(timeUs: number, place: TracedPlace, peer: TracedPlace, bytes: number): number {
    const edge = ++this.#edges
    const entry: Entry = { timeUs, place, kind: 'send', text: '', units: bytes, edge, peer }
    this.#keep(entry)
    this.#mixHead(sendHash, entry)
    this.#mix(bytes)
    return edge
  }

  /** Bytes arrive, all or a part. */
  received(timeUs: number, place: TracedPlace, edge: number): void {
    const entry: Entry = {
      timeUs,
      place,
      kind: 'receive',
      text: '',
      units: -1,
      edge,
      peer: undefined,
    }
    this.#keep(entry)
    this.#mixHead(receiveHash, entry)
    this.#mix(edge)
  }

  /** The last events, oldest first. */
  last(count: number): TraceEvent[] {
    const size = this.#entries.length
    const first = Math.max(0, this.#count - Math.min(count, size))
    const events: TraceEvent[] = []
    for (let index = first; index < this.#count; index++) {
      events.push(toEvent(this.#entries[index % size] as Entry))
    }
    return events
  }

  #keep(entry: Entry): void {
    this.#entries[this.#count % this.#entries.length] = entry
    this.#count++
    if (this.#count % EVENTS_PER_CHECKPOINT === 0) this.#checkpoints.push(this.hash)
  }

  #kindHash(kind: string): number {
    let hash = this.#kindHashes.get(kind)
    if (hash === undefined) this.#kindHashes.set(kind, (hash = stableHash(kind)))
    return hash
  }

  #mixHead(kindHash: number, entry: Entry): void {
    this.#mix(kindHash)
    this.#mix(entry.timeUs | 0)
    this.#mix(Math.floor(entry.timeUs / 4_294_967_296))
    this.#mix(entry.place.labelHash)
  }

  #mix(value: number): void {
    const low = this.#low ^ Math.imul(value, 0xcc9e2d51)
    this.#low = (Math.imul((low << 13) | (low >>> 19), 5) + 0xe6546b64) | 0
    const high = this.#high ^ Math.imul(value ^ this.#low, 0x9e3779b1)
    this.#high = (Math.imul((high << 15) | (high >>> 17), 9) + 0x38b34ae5) | 0
  }
}

/** What has to do with no bytes under way. */
function newEntry(timeUs: number, place: TracedPlace, kind: string, text: string): Entry {
  return { timeUs, place, kind, text, units: -1, edge: -1, peer: undefined }
}

/** `12.500 s  a#1  turn  sherd://a/user/cart#3, 2 units`. */
export function formatEvent(event: TraceEvent): string {
  const time = `${(event.timeMs / 1_000).toFixed(3)} s`.padStart(12)
  return `${time}  ${event.place.padEnd(6)}  ${event.kind.padEnd(9)}  ${event.text}`.trimEnd()
}

function toEvent(entry: Entry): TraceEvent {
  const { timeUs, place, kind, edge } = entry
  const event = { timeMs: timeUs / 1_000, place: place.label, kind, at: place }
  return edge < 0
    ? { ...event, text: entry.text + workOf(entry) }
    : { ...event, text: travelOf(entry), edge }
}

function workOf({ units }: Entry): string {
  return units < 0 ? '' : `, ${units} ${units === 1 ? 'unit' : 'units'}`
}

function travelOf({ edge, peer, units }: Entry): string {
  return peer === undefined ? `bytes ${edge}` : `bytes ${edge} (${units}) to ${peer.label}`
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0')
}
