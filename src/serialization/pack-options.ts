/** How msgpackr is set up, the same at both ends and on disk. */
import type { Options } from 'msgpackr'

/** New options every time: msgpackr keeps them and writes into them. */
export function packOptions(keepsRecords: boolean): Options {
  return {
    // Definitions of records stand in the bytes; in sequence, they hold for later values too.
    sequential: keepsRecords,
    maxSharedStructures: 0,
    maxOwnStructures: 64,
    // Keeps maps, sets, typed arrays and large bigints what they are.
    moreTypes: true,
    mapsAsObjects: false,
    // Binary data must not keep, or change with, the buffer it came in.
    copyBuffers: true,
    // References and cycles: Marking has refused the one, and the other costs a Map per value.
    structuredClone: false,
    // A property named toJSON is data like any other.
    useToJSON: false,
    // Checked before; a value that changed since then must not lose its functions silently.
    writeFunction: refuse,
  }
}

function refuse(): never {
  throw new TypeError('a function cannot travel')
}
