/**
 * Goes through the events of a range of slices, page by page, and knows the place behind each of them, also within a page.
 * One page is in memory at a time, and the next is read when somebody asks for it.
 */
import type { OrderedEvent, SlicePage, SliceQuery, SliceReader } from '../slice-reader.ts'
import { firstPlace, type SlicePlace } from './slice-place.ts'

export interface SliceCursorOptions extends Pick<
  SliceQuery,
  'fromSlice' | 'toSlice' | 'tag' | 'eventsMax'
> {
  readonly journal: SliceReader
  /** Where to go on. Left out: from the first event on. */
  readonly place?: SlicePlace | undefined
  /** Which of them are wanted; the others are passed over, and places go past them. */
  readonly wants?: ((event: OrderedEvent) => boolean) | undefined
}

export interface PlacedEvent {
  readonly event: OrderedEvent
  /** Behind this event. Made when it is asked for: most are not. */
  place(): SlicePlace
}

export interface CursorPage {
  readonly events: readonly PlacedEvent[]
  /** There was nothing more when it was read. */
  readonly isLast: boolean
}

export class SliceCursor {
  readonly #options: SliceCursorOptions
  #place: SlicePlace

  constructor(options: SliceCursorOptions) {
    this.#options = options
    this.#place = options.place ?? firstPlace
  }

  /** Behind everything that was read. */
  get place(): SlicePlace {
    return this.#place
  }

  /** Rejects with what the store does; then the place is where it was. */
  async next(): Promise<CursorPage> {
    const { journal, wants = () => true, ...query } = this.#options
    const before = this.#place
    const page = await journal.readSlices({ ...query, after: before.after })
    const left = new Map(before.done)
    const indexes: number[] = []
    for (const [index, event] of page.events.entries()) {
      const isDone = passes(left, event)
      const hasTag = query.tag === undefined || event.tags.includes(query.tag)
      if (!isDone && hasTag && wants(event)) indexes.push(index)
    }
    const isSame = page.next === before.after && left.size === before.done.size
    const end = isSame ? before : { after: page.next, done: left }
    this.#place = end
    const last = indexes.at(-1)
    const events = indexes.map((index) => ({
      event: page.events[index] as OrderedEvent,
      // Behind the last that is wanted there is nothing that anybody would miss.
      place: () => (index === last ? end : within(before, page, index)),
    }))
    return { events, isLast: page.isLast }
  }
}

/** Whether the event was done before; once its slice has come so far, that need not be remembered any more. */
function passes(left: Map<number, number>, { slice, order }: OrderedEvent): boolean {
  const done = left.get(slice)
  if (done === undefined) return false
  if (order >= done) left.delete(slice)
  return order <= done
}

function within({ after, done }: SlicePlace, { events }: SlicePage, index: number): SlicePlace {
  const sofar = new Map(done)
  for (const { slice, order } of events.slice(0, index + 1)) {
    sofar.set(slice, Math.max(order, sofar.get(slice) ?? 0))
  }
  return { after, done: sofar }
}
