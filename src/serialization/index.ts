/**
 * Values to bytes and back, and the names of our own messages on the wire.
 *
 * Reading order: `value-codec.ts` (the door for values), `value-encoder.ts` with `plain-check.ts` (may this value go as
 * it stands?) and `marking.ts` (if not: what instead, or why not), `value-decoder.ts` with `byte-check.ts` (may these
 * bytes be read?) and `unmarking.ts`; `plain-copy.ts` is the short way past the bytes; `marks.ts` says how refs, errors and
 * other strangers travel; `message-protocol.ts` stands for itself.
 *
 * Promises:
 * - What arrives is what was sent: plain objects, arrays, texts, numbers (-0 too), booleans, null, undefined, bigints of
 *   any size, Date, Map, Set, ArrayBuffer, DataView, typed arrays, Buffer, refs. An Error arrives as an Error with name,
 *   message, code and cause; its stack and its class stay at home. An object without prototype arrives with one; a hole
 *   in an array arrives as undefined; a value met twice arrives as two.
 * - What cannot arrive so is refused at the sender, with its path: functions, symbols, promises, weak collections,
 *   regular expressions, instances of classes, cycles, half surrogate pairs, properties named `__proto__`,
 *   `constructor` or `prototype`, and what is too deep, too many or too large. Properties under symbols and such as are
 *   not enumerable are not looked at, as in a structured clone.
 * - A message belongs to the runtime once it was sent. It is looked at when it is sent and encoded at the end of the turn,
 *   without a copy in between, because a copy, or a second look at the bytes, would cost a tenth of all sending. Whoever
 *   changes it in between: what can travel arrives changed; what msgpackr refuses is dropped with the reason
 *   `cannot-serialize`; what only the receiver refuses (too deep, a key `__proto__`) closes the connection at the receiver,
 *   which is logged there, `PeerDisconnected` counts what was under way, and the next connection goes on with what waits.
 * - Bytes from outside are checked before anything is built from them: they cannot run code, reach a prototype, choose a
 *   class, keep hold of a buffer, or make this node allocate more than their own length justifies.
 * - Nothing here belongs to the process: codecs are objects of a node or of a connection.
 */
export { CannotDeserialize, CannotSerialize } from './serialization-errors.ts'
export {
  defaultSerializationSettings,
  type SerializationSettings,
} from './serialization-settings.ts'
