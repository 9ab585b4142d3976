/**
 * Looks whether the disk has room for a commit before LMDB tries. A write that the disk refuses is worse than none: LMDB tells
 * standard error of it, past every logger and in the middle of a line, and the caller cannot know what was stored.
 */
import { JournalUnavailable } from '../persistence-errors.ts'

interface DiskRoomOptions {
  readonly folder: string
  /** Undefined where nobody can tell. */
  readonly freeBytes: () => number | undefined
}

/** Pages of the tables, which are copied when they change, and the heads that a fold writes. */
const besidesBytes = 1024 * 1024

/** With so much of it free, the next commits are spared a look: it takes some hundredths of a millisecond, and holds all else up. */
const plentyBytes = 1024 ** 3
const commitsPerLook = 16

export class DiskRoom {
  readonly #options: DiskRoomOptions
  #commitsSpared = 0

  constructor(options: DiskRoomOptions) {
    this.#options = options
  }

  /** Before so many bytes are stored. Throws when there is no room for them. */
  check(byteCount: number): void {
    const { folder, freeBytes } = this.#options
    const isSmall = byteCount < plentyBytes / commitsPerLook / 2
    if (isSmall && this.#commitsSpared-- > 0) return
    const free = freeBytes()
    this.#commitsSpared = free !== undefined && free >= plentyBytes ? commitsPerLook - 1 : 0
    if (free === undefined || free >= byteCount + besidesBytes) return
    const kilobytes = Math.floor(free / 1024)
    throw new JournalUnavailable(
      `Nothing could be written in ${folder}: the disk is full (${kilobytes} kB are free); free some space.`,
    )
  }
}
