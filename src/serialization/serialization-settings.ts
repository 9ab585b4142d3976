/** How large a value may be that leaves this node or comes to it. Both ends should have the same. */
import { unknownSettings } from '../foundation/invalid-settings.ts'

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

export const defaultSerializationSettings: SerializationSettings = {
  bytesMax: 8 * 1024 * 1024,
  depthMax: 64,
  elementsMax: 1_000_000,
}

/** No text may outgrow what V8 can hold, whatever is set. */
const BYTES_MAX_MAX = 256 * 1024 * 1024

/** msgpackr recurses, and so does whoever reads the value. */
const DEPTH_MAX_MAX = 1_000

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

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithSerializationSettings(settings: SerializationSettings): string[] {
  return [
    ...unknownSettings(settings, defaultSerializationSettings),
    ...range('bytesMax', settings.bytesMax, 1, BYTES_MAX_MAX),
    ...range('depthMax', settings.depthMax, 1, DEPTH_MAX_MAX),
    ...range('elementsMax', settings.elementsMax, 1, BYTES_MAX_MAX),
  ]
}

function range(name: string, value: number, min: number, max: number): string[] {
  const isGood = Number.isInteger(value) && value >= min && value <= max
  return isGood ? [] : [`${name} must be a whole number from ${min} to ${max}`]
}
