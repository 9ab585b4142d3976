/**
 * A commit of appends alone, decided before the write lock is held: on the store as this process has left it. It is written
 * on the condition that nobody has committed since, which LMDB checks on its own thread, under the lock. So the thread that
 * commits never waits for the event loop, and the event loop goes on with other work meanwhile. Where somebody came in
 * between nothing is written, and the same appends are decided again under the lock (`lmdb-write.ts`).
 *
 * While one is under way, the next is decided event by event as appends come (`decide`): on the store as the one under way
 * will leave it. When that one fails, so would the next, and both are decided again.
 *
 * Invariant: what is decided here holds if the mark is the one of the state that was read. Every commit that changes what
 * appends are decided on (claims, appends, deletions, folds) changes the count, and with it the mark.
 */
import { JournalCorrupted } from '../persistence-errors.ts'
import type { Ahead } from './group-commit.ts'
import { LmdbCommit, type LmdbCommitParts } from './lmdb-commit.ts'
import { commitMarkKey, numberKey, type StoreCount } from './lmdb-layout.ts'
import { hasCommitMarks, inSnapshot, type LmdbTables, writeCount } from './lmdb-tables.ts'
import type { LmdbSettings } from './lmdb-settings.ts'
import type { LmdbWrite } from './lmdb-write.ts'

const commitsOfCompany = 64

/** What a commit wants to write. */
export class QuickWrites {
  readonly before: StoreCount
  readonly records: { readonly order: number; readonly bytes: Buffer }[] = []
  /** Undefined when it changes nothing. */
  left: StoreCount | undefined

  constructor(before: StoreCount) {
    this.before = before
  }

  /** LMDB reads the bytes later, and they are good only now. */
  keep(order: number, bytes: Buffer): void {
    this.records.push({ order, bytes: Buffer.from(bytes) })
  }

  leave(count: StoreCount): void {
    this.left = count
  }
}

/** A commit that is being decided. */
class OpenCommit {
  readonly quick: QuickWrites
  readonly #commit: LmdbCommit
  readonly #writes: LmdbWrite[] = []
  #events = 0
  #bytes = 0

  constructor(parts: LmdbCommitParts, before: StoreCount) {
    this.quick = new QuickWrites(before)
    this.#commit = new LmdbCommit(parts, this.quick)
  }

  /** Whether one commit may hold this one, too. */
  hasRoomFor(write: LmdbWrite, { commitEventsMax, commitBytesMax }: CommitLimits): boolean {
    if (this.#writes.length === 0) return true
    const events = this.#events + write.eventCount
    return events <= commitEventsMax && this.#bytes + write.byteCount <= commitBytesMax
  }

  decide(write: LmdbWrite): void {
    write.perform(this.#commit)
    this.#writes.push(write)
    this.#events += write.eventCount
    this.#bytes += write.byteCount
  }

  /** Decides the others, too. Answers false when these are not the ones that it has decided, with others behind them. */
  finish(writes: readonly LmdbWrite[]): boolean {
    const decided = this.#writes.length
    if (!this.#writes.every((write, index) => write === writes[index])) return false
    for (const write of writes.slice(decided)) this.decide(write)
    this.#commit.finish()
    return true
  }
}

type CommitLimits = Pick<LmdbSettings, 'commitEventsMax' | 'commitBytesMax'>

interface QuickCommitsOptions {
  readonly limits: CommitLimits
  /** After somebody came in between, so many commits hold the lock first, as he may well go on. */
  readonly commitsOfCompany?: number
}

export class LmdbQuickCommits implements Ahead<LmdbWrite> {
  readonly #parts: LmdbCommitParts
  readonly #limits: CommitLimits
  readonly #commitsOfCompany: number
  #commitsToWait = 0
  /** One of these is decided, and will change the store unless somebody came in between. */
  #isUnderWay = false
  /** The one behind it. Heads are as it leaves them. */
  #ahead: OpenCommit | undefined

  constructor(parts: LmdbCommitParts, options: QuickCommitsOptions) {
    this.#parts = parts
    this.#limits = options.limits
    this.#commitsOfCompany = options.commitsOfCompany ?? commitsOfCompany
  }

  /** Whether appends were decided ahead: they come first in the next commit, which is one of these. */
  get isAhead(): boolean {
    return this.#ahead !== undefined
  }

  /** Whether the next commit may be one of these. To be asked once for each. */
  get isNext(): boolean {
    if (this.isAhead) return true
    if (this.#commitsToWait === 0) return this.#mayBeQuick
    this.#commitsToWait--
    return false
  }

  get #mayBeQuick(): boolean {
    return this.#parts.heads.mayBeQuick(this.#parts.foldLimits)
  }

  decide(write: LmdbWrite): boolean {
    const { tables, heads } = this.#parts
    if (!write.isAppend || !this.#isUnderWay) return false
    const open = this.#ahead ?? this.#openAhead()
    if (open?.hasRoomFor(write, this.#limits) !== true) return false
    try {
      if (heads.knows(write.persistenceId)) open.decide(write)
      else inSnapshot(tables, () => open.decide(write))
      return true
    } catch {
      // Whatever it is will be seen again where it can be told.
      this.forget()
      return false
    }
  }

  forget(): void {
    if (this.#ahead === undefined) return
    this.#ahead = undefined
    this.#parts.heads.forget()
  }

  /**
   * Answers false when nothing is written and the same writes have to be decided under the lock. `decided` is called when they are
   * decided here.
   */
  async commit(writes: readonly LmdbWrite[], decided: () => void): Promise<boolean> {
    const { tables, heads } = this.#parts
    const quick = this.#finishAhead(writes) ?? inSnapshot(tables, () => this.#decideAll(writes))
    if (quick === undefined) return false
    decided()
    this.#isUnderWay = true
    try {
      if (await writeIfCurrent(tables, quick)) return true
    } catch (error) {
      this.forget()
      throw error
    } finally {
      this.#isUnderWay = false
    }
    this.#ahead = undefined
    heads.forgetForCompany()
    this.#commitsToWait = this.#commitsOfCompany
    return false
  }

  /** On the store as the commit under way leaves it, which is no more than expected: whatever is read says so in the end. */
  #openAhead(): OpenCommit | undefined {
    const before = this.#mayBeQuick ? this.#parts.heads.expected : undefined
    this.#ahead = before && new OpenCommit(this.#parts, before)
    return this.#ahead
  }

  #finishAhead(writes: readonly LmdbWrite[]): QuickWrites | undefined {
    const open = this.#ahead
    if (open === undefined) return undefined
    this.#ahead = undefined
    const { tables, heads } = this.#parts
    // A process of a later version may have given the store a format that nobody here knows.
    if (inSnapshot(tables, () => hasCommitMarks(tables) && open.finish(writes))) return open.quick
    heads.forget()
    return undefined
  }

  #decideAll(writes: readonly LmdbWrite[]): QuickWrites | undefined {
    const { tables, heads } = this.#parts
    const before = hasCommitMarks(tables) ? heads.beginQuickly() : undefined
    if (before === undefined) return undefined
    const open = new OpenCommit(this.#parts, before)
    open.finish(writes)
    return open.quick
  }
}

/** lmdb's types tell of this option only where nobody waits. */
interface AppendingTable {
  put(key: Buffer, value: Buffer, options: { readonly append: true }): Promise<boolean>
}

async function writeIfCurrent(
  tables: LmdbTables,
  { before, records, left }: QuickWrites,
): Promise<boolean> {
  const { meta } = tables
  const log = tables.log as unknown as AppendingTable
  const appended: Promise<boolean>[] = []
  const current = meta.ifVersion(commitMarkKey, before.commitCount, () => {
    for (const { order, bytes } of records) {
      appended.push(log.put(numberKey(order), bytes, { append: true }))
    }
    if (left !== undefined) writeCount(tables, left, true)
  })
  const [isCurrent, ...areAppended] = await Promise.all([current, ...appended])
  if (isCurrent && areAppended.includes(false)) {
    throw new JournalCorrupted(tables.folder, `the log goes on behind event ${before.lastOrder}`)
  }
  return isCurrent
}
