/**
 * A commit of appends alone, decided before the write lock is held: on the store as this process has left it. It is written
 * on the condition that nobody has committed since, which LMDB checks on its own thread, under the lock. So the thread that
 * commits never waits for the event loop, and the event loop goes on with other work meanwhile. Where somebody came in
 * between nothing is written, and the same appends are decided again under the lock (`lmdb-write.ts`).
 *
 * Invariant: what is decided here holds if the mark is the one of the state that was read. Every commit that changes what
 * appends are decided on (claims, appends, deletions, folds) changes the count, and with it the mark.
 */
import { JournalCorrupted } from '../persistence-errors.ts'
import { LmdbCommit, type LmdbCommitParts } from './lmdb-commit.ts'
import { commitMarkKey, numberKey, type StoreCount } from './lmdb-layout.ts'
import { hasCommitMarks, inSnapshot, type LmdbTables, writeCount } from './lmdb-tables.ts'
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

export class LmdbQuickCommits {
  readonly #parts: LmdbCommitParts
  readonly #commitsOfCompany: number
  #commitsToWait = 0

  /** `ofCompany`: after somebody came in between, so many commits hold the lock first, as he may well go on. */
  constructor(parts: LmdbCommitParts, ofCompany = commitsOfCompany) {
    this.#parts = parts
    this.#commitsOfCompany = ofCompany
  }

  /** Whether the next commit may be one of these. To be asked once for each. */
  get isNext(): boolean {
    if (this.#commitsToWait === 0) return this.#parts.heads.mayBeQuick(this.#parts.foldLimits)
    this.#commitsToWait--
    return false
  }

  /**
   * Answers false when nothing is written and the same writes have to be decided under the lock. `decided` is called when they are
   * decided here.
   */
  async commit(writes: readonly LmdbWrite[], decided: () => void): Promise<boolean> {
    const { tables, heads } = this.#parts
    const quick = inSnapshot(tables, () => this.#decide(writes))
    if (quick === undefined) return false
    decided()
    if (await writeIfCurrent(tables, quick)) return true
    heads.forgetForCompany()
    this.#commitsToWait = this.#commitsOfCompany
    return false
  }

  #decide(writes: readonly LmdbWrite[]): QuickWrites | undefined {
    const { tables, heads } = this.#parts
    const before = hasCommitMarks(tables) ? heads.beginQuickly() : undefined
    if (before === undefined) return undefined
    const quick = new QuickWrites(before)
    const commit = new LmdbCommit(this.#parts, quick)
    for (const write of writes) write.perform(commit)
    commit.finish()
    return quick
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
