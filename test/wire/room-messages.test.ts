/**
 * One message of every kind that rooms send each other or store, as its bytes stood when it was new: a line each in the
 * file of its room, the name first. Lines are added and never changed: what cannot be read any more needs a new version, and
 * is refused from then on.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { entityKinds, isEntityCall, isEntityReply } from '../../src/entity/entity-wire.ts'
import { parseRefText } from '../../src/remote/ref/ref-text.ts'
import { NotAMessage, ValueCodec } from '../../src/serialization/internals.ts'
import { protocolSamples } from '../fuzz/protocol-samples.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** As much of a ref as is needed to be taken for one. */
class Ref {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  addWatcher(): void {}
}

const codec = new ValueCodec({
  use: 'stored',
  refs: {
    isRef: (value) => value instanceof Ref,
    toText: (ref) => (ref as Ref).text,
    fromText: (text) => {
      expect(parseRefText(text)).toBeDefined()
      return new Ref(text)
    },
  },
})

const kept: readonly (readonly [name: string, hex: string])[] = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .flatMap((name) => readFileSync(`${folder}${name}`, 'utf8').trimEnd().split('\n'))
  .map((line) => line.split(' ') as [string, string])

const protocols = new Set(protocolSamples.map(({ protocol }) => protocol))

/** Calls and their answers travel as they are, with their version as a number. */
function isRead(name: string, value: unknown): boolean {
  if (isEntityCall(value)) return name === `entity.EntityCall@${value.version}`
  if (isEntityReply(value)) return name === `entity.${value.type}@${value.version}`
  const protocol = [...protocols].find(({ wireNames }) => wireNames.includes(name))
  const isSame = Array.isArray(value) && value[0] === name
  return isSame && protocol !== undefined && !(protocol.unpack(value) instanceof NotAMessage)
}

/** Whether there is a later version: nodes of another release speak of it, and must not be misread. */
function isRetired(name: string): boolean {
  const versionIn = (wireName: string) => Number(wireName.split('@')[1])
  const isLater = (wireName: string) =>
    wireName.split('@')[0] === name.split('@')[0] && versionIn(wireName) > versionIn(name)
  return [...protocols].some(({ wireNames }) => wireNames.some(isLater))
}

test.each(kept)(
  '%s can be read for ever, or is refused since there is a later version',
  (name, hex) => {
    expect(isRead(name, codec.decode(Buffer.from(hex, 'hex')))).toBe(!isRetired(name))
  },
)

test('there is a sample of every message, and none twice', () => {
  const names = kept.map(([name]) => name)
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([])
  const ofEntities = Object.entries(entityKinds).map(([type, kind]) => `${type}@${kind.version}`)
  const missing = [...protocols]
    .flatMap(({ wireNames }) => wireNames)
    .concat(ofEntities.map((name) => `entity.${name}`))
    .filter((name) => !names.includes(name))
  expect(missing.map(newLine)).toEqual([])
})

/** What to add to the file of its room. */
function newLine(name: string): string {
  const value = protocolSamples.find(({ packed }) => packed[0] === name)?.packed
  return value === undefined ? name : `${name} ${Buffer.from(codec.encode(value)).toString('hex')}`
}
