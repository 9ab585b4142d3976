/**
 * For the rooms above: codecs, the names of our own messages on the wire, and the buffers they are written to. The
 * package does not export it.
 */
export { ByteBuffer } from './byte-buffer.ts'
export { type MessageKind, MessageProtocol, NotAMessage } from './message-protocol.ts'
export type { RefCodec } from './ref-codec.ts'
export {
  BATCH_ELEMENTS,
  BYTES_MAX_MAX,
  serializationSettingsTable,
} from './serialization-settings.ts'
export { placeOfStack } from './unmarking.ts'
export { codecOfStore, type Prepared, ValueCodec } from './value-codec.ts'
