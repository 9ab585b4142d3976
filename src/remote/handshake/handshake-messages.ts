/**
 * What two nodes say to each other before anything else, each in one frame:
 *
 *   dialer -> listener   Hello      who I am, whom I want, which lane, a fresh number
 *   listener -> dialer   Challenge  who I am, a fresh number of mine
 *   dialer -> listener   Proof      that I know the secret
 *   listener -> dialer   Accepted   that I know it too; frames may follow
 *   either -> other      Refusal    why not; with a proof when it is about the dialer's incarnation, or about room for it
 *
 * The first nine bytes of a Hello (kind, magic, version) stay the same in all versions to come.
 */
import type { Random } from '../../foundation/random.ts'
import { ByteBuffer } from '../../serialization/internals.ts'
import type { Lane } from '../lane.ts'
import { ByteCursor, MalformedFrame } from '../wire/byte-cursor.ts'
import { writeByte, writeBytes, writeText, writeVarint } from '../wire/byte-writing.ts'
import { beginFrame, endFrame } from '../wire/frame.ts'
import { type Address, isNodeId, type NodeId } from '../../foundation/node-id.ts'

export const protocolVersion = 1

/** No frame of a handshake is longer; an unknown peer costs no more than this. */
export const handshakeBytesMax = 2_048

export const nonceBytes = 32

/** A number nobody can foresee, for one connection. */
export function drawNonce(random: Random): Buffer {
  const nonce = Buffer.alloc(nonceBytes)
  for (let offset = 0; offset < nonceBytes; offset += 8) {
    nonce.writeBigUInt64LE(random.uid(), offset)
  }
  return nonce
}

const magic = Buffer.from('SHRD')
const kinds = { Hello: 0x10, Challenge: 0x11, Proof: 0x12, Accepted: 0x13, Refusal: 0x14 } as const
/** In the order of their numbers on the wire: added to, never changed. */
const lanes: readonly Lane[] = ['control', 'data', 'large']
const textBytesMax = 512

/** In the order of their numbers on the wire: added to, never changed. */
const refusals = [
  'protocol',
  'cluster-name',
  'secret',
  'secret-required',
  'secret-unexpected',
  'address',
  'quarantined',
  'former-incarnation',
  'quarantined-in-return',
  // In the clear, between one that speaks TLS and one that does not.
  'tls-required',
  'tls-unexpected',
  'certificate-missing',
  'certificate-expired',
  'certificate-untrusted',
  'certificate-name',
  'certificate-refused',
  // For now: there may be room later.
  'too-many-peers',
  'removed',
] as const

export type RefusalReason = (typeof refusals)[number]

export interface Hello {
  readonly type: 'Hello'
  readonly version: number
  readonly lane: Lane
  readonly hasSecret: boolean
  readonly clusterName: string
  readonly from: NodeId
  readonly to: Address
  readonly nonce: Buffer
}

export interface Challenge {
  readonly type: 'Challenge'
  readonly from: NodeId
  readonly nonce: Buffer
}

export interface Proof {
  readonly type: 'Proof'
  readonly proof: Buffer
}

export interface Accepted {
  readonly type: 'Accepted'
  readonly proof: Buffer
}

export interface Refusal {
  readonly type: 'Refusal'
  readonly reason: RefusalReason
  /** Listener, once the dialer has proved itself: that this is said by one who knows the secret, too. */
  readonly proof?: Buffer
}

/** A Hello of another version: nothing else of it can be read. */
export interface ForeignHello {
  readonly type: 'ForeignHello'
  readonly version: number
}

export type HandshakeMessage = Hello | Challenge | Proof | Accepted | Refusal

/** One whole frame. */
export function encodeHandshake(message: HandshakeMessage): Buffer {
  const target = new ByteBuffer(256)
  const start = beginFrame(target, kinds[message.type])
  switch (message.type) {
    case 'Hello':
      writeHello(target, message)
      break
    case 'Challenge':
      writeText(target, message.from)
      writeBytes(target, message.nonce)
      break
    case 'Refusal':
      writeByte(target, refusals.indexOf(message.reason))
      if (message.proof !== undefined) writeProof(target, message.proof)
      break
    default:
      writeProof(target, message.proof)
  }
  endFrame(target, start)
  return target.bytes.subarray(0, target.position)
}

function writeHello(target: ByteBuffer, hello: Hello): void {
  writeBytes(target, magic)
  writeVarint(target, hello.version)
  writeByte(target, lanes.indexOf(hello.lane))
  writeByte(target, hello.hasSecret ? 1 : 0)
  writeText(target, hello.clusterName)
  writeText(target, hello.from)
  writeText(target, hello.to)
  writeBytes(target, hello.nonce)
}

function writeProof(target: ByteBuffer, proof: Buffer): void {
  writeVarint(target, proof.length)
  writeBytes(target, proof)
}

/** Reads a frame from its kind on. Throws MalformedFrame. Shares nothing with the bytes. */
export function decodeHandshake(frame: Buffer): HandshakeMessage | ForeignHello {
  const cursor = new ByteCursor(frame, 0, frame.length)
  const message = readMessage(cursor)
  if (message.type !== 'ForeignHello' && !cursor.isAtEnd) {
    throw new MalformedFrame('a frame has bytes after its end')
  }
  return message
}

function readMessage(cursor: ByteCursor): HandshakeMessage | ForeignHello {
  switch (cursor.byte()) {
    case kinds.Hello:
      return readHello(cursor)
    case kinds.Challenge:
      return { type: 'Challenge', from: readNode(cursor), nonce: copy(cursor, nonceBytes) }
    case kinds.Proof:
      return { type: 'Proof', proof: readProof(cursor) }
    case kinds.Accepted:
      return { type: 'Accepted', proof: readProof(cursor) }
    case kinds.Refusal:
      return readRefusal(cursor)
    default:
      throw new MalformedFrame('it is not a handshake message')
  }
}

function readHello(cursor: ByteCursor): Hello | ForeignHello {
  if (!cursor.take(magic.length).equals(magic)) throw new MalformedFrame('it is not a Sherd node')
  const version = cursor.varint()
  if (version !== protocolVersion) return { type: 'ForeignHello', version }
  const lane = lanes[cursor.byte()]
  if (lane === undefined) throw new MalformedFrame('there is no such lane')
  const hasSecret = cursor.byte() === 1
  const clusterName = cursor.text(textBytesMax)
  const from = readNode(cursor)
  const to = cursor.text(textBytesMax)
  const nonce = copy(cursor, nonceBytes)
  return { type: 'Hello', version, lane, hasSecret, clusterName, from, to, nonce }
}

function readRefusal(cursor: ByteCursor): Refusal {
  const reason = refusals[cursor.byte()] ?? 'protocol'
  return cursor.isAtEnd
    ? { type: 'Refusal', reason }
    : { type: 'Refusal', reason, proof: readProof(cursor) }
}

function readNode(cursor: ByteCursor): NodeId {
  const text = cursor.text(textBytesMax)
  if (!isNodeId(text)) throw new MalformedFrame('it does not name a node')
  return text
}

function readProof(cursor: ByteCursor): Buffer {
  return copy(cursor, cursor.varint())
}

function copy(cursor: ByteCursor, count: number): Buffer {
  return Buffer.from(cursor.take(count))
}
