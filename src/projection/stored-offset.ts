/**
 * How far one range has come, as it is stored: in a register, so that it changes by compare-and-set alone. Whoever begins
 * to work on the range writes its name there first; from then on the one before can store nothing more.
 *
 * Invariant: what is stored was handled by the writer, or by those whose place it took over.
 */
import { isCount, isText, listOf, maybe, recordOf } from '../foundation/shape.ts'
import { show } from '../foundation/show.ts'
import { JournalOutcomeUnknown, JournalUnavailable, type Registers } from '../persistence/index.ts'
import { firstPlace, placeOfText, type SlicePlace, textOfPlace } from '../persistence/internals.ts'
import { ValueCodec } from '../serialization/internals.ts'
import type { Projection } from './define-projection.ts'
import { ProjectionChanged, RangeTaken } from './projection-errors.ts'

/** What stands in the register. */
interface OffsetRecord {
  readonly version: 1
  readonly ranges: number
  readonly types: readonly string[]
  readonly tag: string | undefined
  readonly place: string
  /** Who works on it: a node, with a number that no other life has. */
  readonly worker: string
  /** Of the writes of this worker. */
  readonly write: number
}

const isRecordOfOffset = recordOf({
  version: (value) => value === 1,
  ranges: isCount,
  types: listOf(isText),
  tag: maybe(isText),
  place: isText,
  worker: isText,
  write: isCount,
})

export interface StoredOffsetOptions {
  readonly registers: Registers
  readonly projection: Pick<Projection, 'name' | 'entities' | 'tag' | 'ranges'>
  readonly range: number
  readonly worker: string
}

export class StoredOffset {
  readonly #options: StoredOffsetOptions
  readonly #name: string
  readonly #codec = new ValueCodec({ use: 'stored' })
  /** Undefined until it was taken over. */
  #revision: number | undefined = undefined
  #writes = 0

  constructor(options: StoredOffsetOptions) {
    this.#options = options
    this.#name = `projection/${options.projection.name}/${options.range}`
  }

  /** Makes this worker the only one that can store. Rejects with `ProjectionChanged`, `RangeTaken`, and what the store says. */
  async takeOver(): Promise<SlicePlace> {
    const { revision, record } = await this.#read()
    this.#refuseOther(record)
    const place = record === undefined ? firstPlace : placeOfText(record.place)
    await this.#write(revision, place)
    return place
  }

  /** Rejects with `RangeTaken`, and what the store says: then nothing was stored, or nobody can tell, and it can be tried again. */
  async store(place: SlicePlace): Promise<void> {
    await this.#write(this.#revision ?? 0, place)
  }

  /** Begins again from the first event, whatever stands there. */
  async reset(): Promise<void> {
    const { revision } = await this.#read()
    await this.#write(revision, firstPlace)
  }

  /** Throws `ProjectionChanged` for what another definition has stored. */
  async check(): Promise<void> {
    this.#refuseOther((await this.#read()).record)
  }

  async #read(): Promise<{ readonly revision: number; readonly record: OffsetRecord | undefined }> {
    const stored = await this.#options.registers.readRegister(this.#name)
    if (stored === undefined) return { revision: 0, record: undefined }
    const value = this.#codec.decode(Buffer.from(stored.bytes))
    if (isRecordOfOffset(value)) return { revision: stored.revision, record: value as OffsetRecord }
    const { projection, range } = this.#options
    throw new ProjectionChanged(projection.name, range, [
      `register ${this.#name} holds ${show(value)}, which this version cannot read`,
    ])
  }

  async #write(expectedRevision: number, place: SlicePlace): Promise<void> {
    const { registers, worker } = this.#options
    const record: OffsetRecord = {
      ...{ version: 1, ...this.#form(), place: textOfPlace(place), worker },
      write: ++this.#writes,
    }
    const bytes = this.#codec.encode(record, 'offset')
    try {
      const result = await registers.writeRegister({ name: this.#name, expectedRevision, bytes })
      if (result.type === 'RegisterWritten') this.#revision = result.revision
      else await this.#findOut(expectedRevision)
    } catch (error) {
      if (!(error instanceof JournalOutcomeUnknown)) throw error
      await this.#findOut(expectedRevision, error)
    }
  }

  /** It was refused, or nobody could tell: what stands there can. A write of our own that came late is no other worker. */
  async #findOut(expectedRevision: number, unknown?: JournalOutcomeUnknown): Promise<void> {
    const { projection, range, worker } = this.#options
    const { revision, record } = await this.#read()
    const isOurs = record?.worker === worker
    if (isOurs) this.#revision = revision
    if (isOurs && record.write === this.#writes) return
    if (isOurs || (unknown !== undefined && revision === expectedRevision)) {
      throw unknown ?? new JournalUnavailable('An earlier write of this offset came late.')
    }
    throw new RangeTaken(projection.name, range, record?.worker ?? 'somebody else')
  }

  #form(): Pick<OffsetRecord, 'ranges' | 'types' | 'tag'> {
    const { ranges, tag, entities } = this.#options.projection
    return { ranges, tag, types: entities.map(({ name }) => name).sort() }
  }

  #refuseOther(record: OffsetRecord | undefined): void {
    if (record === undefined) return
    const form = this.#form()
    const differences = (['ranges', 'types', 'tag'] as const)
      .filter((each) => String(record[each]) !== String(form[each]))
      .map((each) => `${each} was ${show(record[each])} and is ${show(form[each])}`)
    const { projection, range } = this.#options
    if (differences.length > 0) throw new ProjectionChanged(projection.name, range, differences)
  }
}
