/**
 * Bytes as they stood on the wire, one file of hex each. The files are never written anew: a sample that cannot be read any
 * more is a change that running nodes and stored events would not survive, and needs a new version beside the old one.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { decodeHandshake } from '../../src/remote/handshake/handshake-messages.ts'
import { readSystemFrame } from '../../src/remote/watch/system-messages.ts'
import { ByteCursor } from '../../src/remote/wire/byte-cursor.ts'
import { readConfirmFrame } from '../../src/remote/wire/confirm-frame.ts'
import { MessageReader } from '../../src/remote/wire/message-reader.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { storedValue } from './stored-value.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const lengthBytes = 4

function sample(name: string): Buffer {
  return Buffer.from(readFileSync(`${folder}${name}.hex`, 'utf8').replace(/#.*|\s/g, ''), 'hex')
}

/** From its kind on. */
function frame(name: string): Buffer {
  const bytes = sample(name)
  expect(bytes.readUInt32LE(0)).toBe(bytes.length - lengthBytes)
  return bytes.subarray(lengthBytes)
}

const from = '10.0.0.1:2552#0123456789abcdef'
const nonce = Buffer.alloc(32, 7)

const read: Readonly<Record<string, () => unknown>> = {
  'handshake-hello': () => decodeHandshake(frame('handshake-hello')),
  'handshake-hello-large': () => decodeHandshake(frame('handshake-hello-large')),
  'handshake-hello-foreign': () => decodeHandshake(frame('handshake-hello-foreign')),
  'handshake-challenge': () => decodeHandshake(frame('handshake-challenge')),
  'handshake-proof': () => decodeHandshake(frame('handshake-proof')),
  'handshake-accepted': () => decodeHandshake(frame('handshake-accepted')),
  'handshake-refusal': () => decodeHandshake(frame('handshake-refusal')),
  'handshake-refusal-named': () => decodeHandshake(frame('handshake-refusal-named')),
  'handshake-refusal-proved': () => decodeHandshake(frame('handshake-refusal-proved')),
  'handshake-refusal-tls': () => decodeHandshake(frame('handshake-refusal-tls')),
  'handshake-refusal-certificate': () => decodeHandshake(frame('handshake-refusal-certificate')),
  'handshake-refusal-room': () => decodeHandshake(frame('handshake-refusal-room')),
  'handshake-refusal-removed': () => decodeHandshake(frame('handshake-refusal-removed')),
  'frame-watch': () => systemFrame('frame-watch'),
  'frame-unwatch': () => systemFrame('frame-unwatch'),
  'frame-died': () => systemFrame('frame-died'),
  'frame-confirm': () => readConfirmFrame(cursorOf(frame('frame-confirm'), 0)),
  'frames-messages': () => messages('frames-messages'),
  'value-stored': () => new ValueCodec({ use: 'stored' }).decode(sample('value-stored')),
}

const expected: Readonly<Record<string, unknown>> = {
  'handshake-hello': {
    ...{ type: 'Hello', version: 1, lane: 'data', hasSecret: true, clusterName: 'shop' },
    ...{ from, to: '10.0.0.2:2552', nonce },
  },
  'handshake-hello-large': {
    ...{ type: 'Hello', version: 1, lane: 'large', hasSecret: true, clusterName: 'shop' },
    ...{ from, to: '10.0.0.2:2552', nonce },
  },
  'handshake-hello-foreign': { type: 'ForeignHello', version: 2 },
  'handshake-challenge': { type: 'Challenge', from, nonce },
  'handshake-proof': { type: 'Proof', proof: nonce },
  'handshake-accepted': { type: 'Accepted', proof: nonce },
  'handshake-refusal': { type: 'Refusal', reason: 'former-incarnation' },
  // From before verdicts had to be proved: what stood there is read as the proof that it is not.
  'handshake-refusal-named': { type: 'Refusal', reason: 'quarantined', proof: Buffer.from(from) },
  'handshake-refusal-proved': { type: 'Refusal', reason: 'quarantined', proof: nonce },
  'handshake-refusal-tls': { type: 'Refusal', reason: 'tls-required' },
  'handshake-refusal-certificate': { type: 'Refusal', reason: 'certificate-refused' },
  'handshake-refusal-room': { type: 'Refusal', reason: 'too-many-peers', proof: nonce },
  'handshake-refusal-removed': { type: 'Refusal', reason: 'removed', proof: nonce },
  'frame-watch': { sequence: 300, message: { type: 'Watch', id: 7, path: '/user/cart#12' } },
  'frame-unwatch': { sequence: 301, message: { type: 'Unwatch', id: 7 } },
  'frame-died': { sequence: 302, message: { type: 'Died', id: 7 } },
  'frame-confirm': { messages: 123_456, system: 42 },
  'frames-messages': [
    ['/user/a#1', { type: 'Add', item: 'café', count: 1 }],
    ['/user/b#2', [1, -0, undefined, 2n ** 70n]],
    [2 ** 40, 'an answer'],
    ['/user/a#1', 'stop'],
    ['/user/a#1', { type: 'Add', item: 'tea', count: 2 }],
    ['/user/a#1', { type: 'Get', replyTo: 'reply to 77' }],
  ],
  'value-stored': storedValue,
}

function cursorOf(bytes: Buffer, start: number): ByteCursor {
  return new ByteCursor(bytes, start, bytes.length)
}

function systemFrame(name: string): unknown {
  return readSystemFrame(cursorOf(frame(name), 1))
}

/** Two frames of one connection: the second uses what the first has defined. */
function messages(name: string): unknown {
  const got: unknown[] = []
  const reader = new MessageReader(new ValueCodec({ use: 'link' }), {
    frameBegins: () => undefined,
    recipientAt: (path) => ({ tell: (message) => void got.push([path, message]) }),
    answer: (number, reply) => void got.push([number, reply]),
    replyTo: (number) => `reply to ${number}`,
    stop: (recipient) => recipient.tell('stop'),
    failed: () => undefined,
  })
  const bytes = sample(name)
  for (let at = 0; at < bytes.length;) {
    const end = at + lengthBytes + bytes.readUInt32LE(at)
    reader.read(bytes, at + lengthBytes + 1, end)
    at = end
  }
  return got
}

test.each(Object.keys(expected))('%s can be read for ever', (name) => {
  expect(read[name]?.()).toEqual(expected[name])
})

test('no sample lies about unread', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.hex'))
  expect(files.toSorted()).toEqual(
    Object.keys(expected)
      .map((name) => `${name}.hex`)
      .toSorted(),
  )
})
