/** How large a value may be that leaves this node or comes to it. Both ends should have the same. */
import { count } from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'

export interface SerializationSettings {
  /** Bytes of one encoded value, or of one batch. More is refused at the sender, and unread at the receiver. */
  readonly bytesMax: number
  /** Levels of arrays, objects, maps and sets inside each other. Deeper is refused; what recurses stays safe. */
  readonly depthMax: number
  /**
   * Values in one value, every element and property counted, an error for twenty; a batch may have a little more. Bounds
   * the work and memory of decoding.
   */
  readonly elementsMax: number
}

/** No text may outgrow what V8 can hold, whatever is set. */
export const BYTES_MAX_MAX = 256 * 1024 * 1024

/** msgpackr recurses, and so does whoever reads the value. */
const DEPTH_MAX_MAX = 1_000

export const serializationSettingsTable = new SettingsTable<SerializationSettings>({
  bytesMax: count(8 * 1024 * 1024, 'bytes', { max: BYTES_MAX_MAX }),
  depthMax: count(64, 'levels', { max: DEPTH_MAX_MAX }),
  elementsMax: count(1_000_000, 'values', { max: BYTES_MAX_MAX }),
})

export const defaultSerializationSettings = serializationSettingsTable.defaults

/** A batch goes out once it is large, so one value at the limit may stand in it beside small ones. */
export function batchBytesMax({ bytesMax }: SerializationSettings): number {
  return 2 * bytesMax
}

/** A batch with so many values goes out. */
export const BATCH_ELEMENTS = 50_000

/** One value at the limit may stand in it beside those that came before. */
export function batchElementsMax({ elementsMax }: SerializationSettings): number {
  return elementsMax + BATCH_ELEMENTS
}
