/** Names that are stored with an event, so that it can be found by them. Few and short: they are written with every event. */
import { show } from '../foundation/show.ts'
import { problemWithId, utf8Length } from '../foundation/text.ts'
import type { NewEvent } from './journal.ts'

export const tagsMax = 16
export const tagBytesMax = 255

/** Of every event without tags. */
export const noTags: readonly string[] = Object.freeze([])

/** What keeps these from being the tags of an event, in words; undefined when nothing does. */
export function problemWithTags(tags: unknown): string | undefined {
  if (!Array.isArray(tags)) return `${show(tags)} is not an array`
  if (tags.length > tagsMax) return `there are ${tags.length}, and ${tagsMax} are allowed`
  for (const [index, tag] of tags.entries() as Iterable<[number, unknown]>) {
    const problem = problemWithId(tag, tagBytesMax)
    if (problem !== undefined) return `${show(tag)} cannot be a tag: ${problem}`
    if (tags.indexOf(tag) < index) return `${show(tag)} is there twice`
  }
  return undefined
}

/** In UTF-8. */
export function byteCountOf(tags: readonly string[]): number {
  return tags.reduce((bytes, tag) => bytes + utf8Length(tag), 0)
}

export function bytesOfEvent(event: NewEvent): Uint8Array {
  return event instanceof Uint8Array ? event : event.bytes
}

/** A frozen list of the journal's own. */
export function tagsOfEvent(event: NewEvent): readonly string[] {
  if (event instanceof Uint8Array || event.tags.length === 0) return noTags
  return Object.freeze([...event.tags])
}
