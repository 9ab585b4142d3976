/** Random transactions of several processes on one LMDB store, and a map of lists that says what must come of them. */
import { expect } from 'vitest'
import type { FoldLimits } from '../../src/persistence/journals/lmdb-fold.ts'
import { blockEvents } from '../../src/persistence/journals/lmdb-layout.ts'
import { LmdbRecordEntries } from '../../src/persistence/journals/lmdb-log-record.ts'
import { nextDeletion } from '../../src/persistence/journals/lmdb-scrub.ts'
import {
  freshSweep,
  isSweepDue,
  readSweep,
  writeSweep,
} from '../../src/persistence/journals/lmdb-sweep.ts'
import { type LmdbTables, readCount } from '../../src/persistence/journals/lmdb-tables.ts'
import type { LmdbRequest } from '../../src/persistence/journals/lmdb-request.ts'
import type { SeededRandom } from '../../src/simulation/index.ts'
import {
  type Answer,
  appendOf,
  claimOf,
  deleteOf,
  deleteToOf,
  logTexts,
  Overlay,
  storedTexts,
  tornAppendOf,
} from './lmdb-overlays.ts'

interface Stream {
  readonly epoch: number
  readonly writer: string
  /** How many events it had that are deleted. */
  readonly deleted: number
  /** How many it had when it was ended. */
  readonly start: number
  /** Those that are left. */
  readonly texts: readonly string[]
}

type Streams = ReadonlyMap<string, Stream>

const ids = ['a', 'b', 'c', 'a|1', 'a|2', 'é', 'x'.repeat(300)]
const nobody: Stream = { epoch: 0, writer: '', deleted: 0, start: 0, texts: [] }

const highestOf = ({ deleted, texts }: Stream): number => deleted + texts.length

/** So few that many deletions are taken out of the log in parts. */
const scrubEventsMax = 20

export class OverlayModel {
  readonly #tables: LmdbTables
  readonly #limits: Partial<FoldLimits>
  readonly #random: SeededRandom
  readonly #overlays: Overlay[]
  #streams: Streams = new Map()
  #steps = 0

  constructor(tables: LmdbTables, limits: Partial<FoldLimits>, random: SeededRandom) {
    this.#tables = tables
    this.#limits = limits
    this.#random = random
    this.#overlays = [1, 2, 3].map(() => new Overlay(tables, limits, scrubEventsMax))
  }

  async step(): Promise<void> {
    this.#steps++
    const index = this.#random.below(this.#overlays.length)
    const overlay = this.#overlays[index]!
    const streams = new Map(this.#streams)
    const { requests, expected } = this.#someRequests(streams)
    const chance = this.#random.below(20)
    if (chance === 0) return overlay.writeInVain(requests)
    if (chance === 1) return this.#writeTorn(overlay, requests, streams)
    // The process is ended and started, or does not know what came of its last commit.
    if (chance === 2)
      this.#overlays[index] = new Overlay(this.#tables, this.#limits, scrubEventsMax)
    if (chance === 3) overlay.heads.forget()
    if (chance === 4) await overlay.foldOn()
    if (chance > 15) await overlay.write([{ type: 'Scrub' }])
    if (chance > 11) await this.#sweep(overlay)
    if (this.#random.below(2) === 0) {
      expect(await this.#overlays[index]!.write(requests)).toEqual(expected)
      this.#streams = streams
    } else await this.#writeQuickly(this.#overlays[index]!)
    if (chance < 8) this.#expectRead()
  }

  /** Often only appends, and often another one commits after they were decided and before they are written. */
  async #writeQuickly(overlay: Overlay): Promise<void> {
    const streams = new Map(this.#streams)
    const other = this.#overlays[this.#random.below(this.#overlays.length)]!
    const comesBetween = other !== overlay && this.#random.below(3) === 0
    const between = comesBetween ? this.#someRequests(streams) : undefined
    const { requests, expected } = this.#someRequests(streams, this.#random.below(4) > 0)
    const answers = overlay.writeQuickly(requests)
    if (between !== undefined) {
      expect(other.writeAtOnce(between.requests)).toEqual(between.expected)
    }
    expect(await answers).toEqual(expected)
    this.#streams = streams
  }

  #someRequests(streams: Map<string, Stream>, onlyAppends = false) {
    const requests: LmdbRequest[] = []
    const expected: Answer[] = []
    for (let count = 1 + this.#random.below(4); count > 0; count--) {
      this.#addRequest(streams, requests, expected, onlyAppends)
    }
    return { requests, expected }
  }

  /** Every stream is in the store as it is here, and the store holds no more claims than it says. */
  expectStored(): void {
    const expected: string[] = []
    for (const [id, { texts, deleted }] of this.#streams) {
      expect(storedTexts(this.#tables, id, deleted + 1)).toEqual(texts)
      expected.push(...texts.map((text, index) => `${id} ${deleted + 1 + index} ${text}`))
    }
    expect(logTexts(this.#tables).toSorted()).toEqual(expected.toSorted())
    const { claimCount, foldedClaims } = readCount(this.#tables)
    expect([...this.#tables.claims.getKeys()].length).toBe(claimCount - foldedClaims)
  }

  /** Whoever is left takes out what is deleted, and nothing but what is left is in the log. */
  async expectScrubbed(): Promise<void> {
    while (nextDeletion(this.#tables) !== undefined) {
      await this.#overlays[0]!.write([{ type: 'Scrub' }])
    }
    writeSweep(this.#tables, { ...(readSweep(this.#tables) ?? freshSweep), thorough: 2 })
    while (isSweepDue(readSweep(this.#tables))) {
      await this.#overlays[0]!.write([{ type: 'Sweep' }])
    }
    this.expectStored()
    const { log, blocks } = this.#tables
    const entries = [...log.getKeys()].flatMap((key) => {
      const record = LmdbRecordEntries.in(log.getBinary(key)!, key.readUIntBE(0, 6))!
      return Array.from({ length: record.count }, () => record.next()).filter(Boolean)
    })
    const left = [...this.#streams.values()].map(({ texts }) => texts.length)
    expect(entries).toHaveLength(left.reduce((sum, count) => sum + count, 0))
    const blocksMax = left.reduce((sum, count) => sum + Math.ceil(count / blockEvents) + 1, 0)
    expect([...blocks.getKeys()].length).toBeLessThanOrEqual(blocksMax)
  }

  #addRequest(
    streams: Map<string, Stream>,
    requests: LmdbRequest[],
    expected: Answer[],
    onlyAppends: boolean,
  ): void {
    const id = ids[this.#random.below(ids.length)]!
    const stream = streams.get(id) ?? nobody
    const kind = onlyAppends ? 5 : this.#random.below(12)
    if (kind === 0) {
      requests.push({ type: 'Highest', persistenceId: id })
      expected.push(highestOf(stream))
    } else if (kind < 3 || stream === nobody) {
      const writer = 'w'.repeat(this.#random.below(9))
      requests.push(claimOf(id, writer))
      const { deleted, start } = stream
      const gone = deleted === 0 ? {} : { deletedSequenceNr: deleted }
      const ended = start === 0 ? {} : { startSequenceNr: start }
      const numbers = { highestSequenceNr: highestOf(stream), ...gone, ...ended }
      expected.push({ epoch: stream.epoch + 1, ...numbers })
      streams.set(id, { ...stream, epoch: stream.epoch + 1, writer })
    } else {
      const lag = this.#random.below(6) === 0 && stream.epoch > 1 ? 1 : 0
      const off = this.#random.below(8) === 0 ? 1 : 0
      const writer = { id, epoch: stream.epoch - lag, after: highestOf(stream) + off }
      if (kind === 10) return this.#addDeletion(streams, requests, expected, id)
      const deletes = kind === 11
      const count = this.#random.below(10) === 0 ? 30 + this.#random.below(50) : 1
      const texts = Array.from({ length: count }, (_, i) => `${this.#steps}.${i}`)
      requests.push((deletes ? deleteOf : appendOf)(writer, ...texts))
      expected.push(answerTo(stream, lag, off, count))
      if (lag > 0 || off > 0) return
      if (deletes) {
        const start = highestOf(stream)
        streams.set(id, { ...stream, deleted: start, start, texts })
      } else streams.set(id, { ...stream, texts: [...stream.texts, ...texts] })
    }
  }

  /** Of the first events, often all but a few. */
  #addDeletion(
    streams: Map<string, Stream>,
    requests: LmdbRequest[],
    expected: Answer[],
    id: string,
  ): void {
    const stream = streams.get(id) ?? nobody
    const { epoch, deleted, texts } = stream
    const left = this.#random.below(Math.min(texts.length, 40) + 1)
    const to = highestOf(stream) - left
    requests.push(deleteToOf({ id, epoch, after: to }))
    expected.push({ type: 'EventsDeleted', deletedSequenceNr: to })
    streams.set(id, { ...stream, deleted: to, texts: texts.slice(to - deleted) })
  }

  /** As if much was deleted: every step of a sweep is worth something then. */
  async #sweep(overlay: Overlay): Promise<void> {
    const place = readSweep(this.#tables) ?? freshSweep
    const thorough = this.#random.below(4) === 0 ? 1 : place.thorough
    writeSweep(this.#tables, { ...place, paid: 1_000, thorough })
    await overlay.write([{ type: 'Sweep' }])
  }

  async #writeTorn(overlay: Overlay, requests: LmdbRequest[], streams: Streams): Promise<void> {
    const [id, stream] = [...streams][0] ?? ['a', nobody]
    const { epoch } = stream
    const torn = tornAppendOf({ id, epoch, after: highestOf(stream) })
    // Without any claim before it, it is not torn but refused, and the others are stored.
    if (epoch === 0) return
    await expect(overlay.write([...requests, torn])).rejects.toThrow('torn')
  }

  #expectRead(): void {
    const id = ids[this.#random.below(ids.length)]!
    const { texts, deleted } = this.#streams.get(id) ?? nobody
    const from = this.#random.below(texts.length + 2)
    expect(storedTexts(this.#tables, id, deleted + 1 + from)).toEqual(texts.slice(from))
  }
}

function answerTo(stream: Stream, lag: number, off: number, count: number): Answer {
  const { epoch: byEpoch, writer: byWriter } = stream
  if (lag > 0) return { type: 'Fenced', byEpoch, byWriter }
  if (off > 0) return { type: 'SequenceConflict', highestSequenceNr: highestOf(stream) }
  return { type: 'Appended', highestSequenceNr: highestOf(stream) + count }
}
