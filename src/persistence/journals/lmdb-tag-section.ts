/**
 * The tags of one event in a log record. Only events that have any have a section.
 *
 *   section   how many (1), and for each its length in bytes (1) and the tag in UTF-8
 */
import { isUtf8 } from 'node:buffer'
import { assert } from '../../foundation/assert.ts'
import { byteCountOf, tagBytesMax, tagsMax } from '../tags.ts'

/** Of an event without tags. */
export const noSection = Buffer.alloc(0)

/** The tags were checked when they came. */
export function sectionOf(tags: readonly string[]): Buffer {
  if (tags.length === 0) return noSection
  const section = Buffer.allocUnsafe(1 + tags.length + byteCountOf(tags))
  section[0] = tags.length
  let at = 1
  for (const tag of tags) {
    const length = section.write(tag, at + 1)
    assert(length >= 1 && length <= tagBytesMax, 'the length of a tag fits into a byte')
    section[at] = length
    at += 1 + length
  }
  return section
}

/** Whether there is a whole section at this place, which ends with the entry at the latest. */
export function isTagSection(record: Buffer, at: number, entryEnd: number): boolean {
  if (at >= entryEnd) return false
  const count = record.readUInt8(at)
  if (count < 1 || count > tagsMax) return false
  let next = at + 1
  for (let index = 0; index < count; index++) {
    const start = next + 1
    if (start > entryEnd) return false
    next = start + record.readUInt8(next)
    if (next === start || next > entryEnd || !isUtf8(record.subarray(start, next))) return false
  }
  return true
}

/** Where the section at this place ends. */
export function tagSectionEnd(record: Buffer, at: number): number {
  let end = at + 1
  for (let left = record.readUInt8(at); left > 0; left--) end += 1 + record.readUInt8(end)
  return end
}

export function tagsIn(record: Buffer, at: number): readonly string[] {
  const tags: string[] = []
  let next = at + 1
  for (let left = record.readUInt8(at); left > 0; left--) {
    const end = next + 1 + record.readUInt8(next)
    tags.push(record.toString('utf8', next + 1, end))
    next = end
  }
  return Object.freeze(tags)
}
