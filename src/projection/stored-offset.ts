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
import {
  formOf,
  type Offset,
  type OffsetForm,
  type OffsetOwner,
  refuseOtherForm,
} from './offset.ts'
import { ProjectionChanged, RangeTaken } from './projection-errors.ts'

/** What stands in the register. */
interface OffsetRecord extends OffsetForm {
  readonly version: 1
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
  store: maybe(isText),
  place: isText,
  worker: isText,
  write: isCount,
})

export interface StoredOffsetOptions extends OffsetOwner {
  readonly registers: Registers
  readonly worker: string
}

export class StoredOffset implements Offset {
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

  async takeOver(): Promise<SlicePlace> {
    const { revision, record } = await this.#read()
    this.#refuseOther(record)
    const place = record === undefined ? firstPlace : placeOfText(record.place)
    await this.#write(revision, place)
    return place
  }

  async store(place: SlicePlace): Promise<void> {
    await this.#write(this.#revision ?? 0, place)
  }

  async reset(): Promise<void> {
    const { revision } = await this.#read()
    await this.#write(revision, firstPlace)
  }

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
    const { registers, worker, projection, storeId } = this.#options
    const record: OffsetRecord = {
      ...{ version: 1, ...formOf(projection, storeId), place: textOfPlace(place), worker },
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

  #refuseOther(record: OffsetRecord | undefined): void {
    if (record !== undefined) refuseOtherForm(this.#options, record)
  }
}
