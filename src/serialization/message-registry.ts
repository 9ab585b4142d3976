/**
 * The names of our own messages on the wire, with versions: `sharding.BeginHandOff@1`. Each room lists its messages in
 * a table, the node makes one registry of all tables, and there is no list that belongs to the process.
 *
 * A message travels as the number its sender gives it: its place in the sorted list of names. Peers compare the hash of
 * their lists in the handshake; when they differ, as they do during a rolling upgrade, each sends its list, and the
 * other reads by that (`understand`). So numbers need no agreement, and a name is all that must never change.
 */
import { assert } from '../foundation/assert.ts'
import { stableHash } from '../foundation/stable-hash.ts'
import { clip, escapeControls } from '../foundation/text.ts'
import { UnknownMessage } from './serialization-errors.ts'

export interface MessageTable {
  readonly room: string
  /** Version by type of message. A change that old readers would misread is a new version. */
  readonly versions: Readonly<Record<string, number>>
  /** Wire names that are not sent any more. They stay listed, so that none gets a second meaning. */
  readonly retired: readonly string[]
}

export interface MessageName {
  readonly room: string
  readonly type: string
  readonly version: number
  readonly wireName: string
  readonly number: number
}

/** One room's table. */
export function registerMessages(
  room: string,
  versions: Readonly<Record<string, number>>,
  retired: readonly string[] = [],
): MessageTable {
  return { room, versions, retired }
}

const wireNameForm = /^[a-z]+(-[a-z]+)*\.[A-Z][A-Za-z0-9]*@[1-9][0-9]{0,5}$/

/** A list from a peer is not longer than this. */
const NAMES_MAX = 10_000

export class MessageRegistry {
  readonly #byNumber: readonly MessageName[]
  readonly #byWireName: ReadonlyMap<string, MessageName>
  readonly #byType: ReadonlyMap<string, MessageName>
  readonly #retired: ReadonlySet<string>
  /** 16 hexadecimal digits; the same for the same names. */
  readonly hash: string

  constructor(tables: readonly MessageTable[]) {
    this.#retired = new Set(tables.flatMap((table) => table.retired))
    this.#byNumber = namesOf(tables)
    this.#byWireName = new Map(this.#byNumber.map((name) => [name.wireName, name]))
    this.#byType = new Map(this.#byNumber.map((name) => [`${name.room}.${name.type}`, name]))
    assert(this.#byType.size === this.#byNumber.length, 'a message has one version in use')
    for (const retired of this.#retired) {
      assert(wireNameForm.test(retired), `${retired} has the form room.Type@version`)
      assert(!this.#byWireName.has(retired), `${retired} is retired and not in use`)
    }
    const list = this.wireNames.join('\n')
    this.hash = hex(stableHash(list)) + hex(stableHash(list, 1))
  }

  /** By number, for a peer whose hash differs. */
  get wireNames(): readonly string[] {
    return this.#byNumber.map((name) => name.wireName)
  }

  /** For sending. */
  nameOf(room: string, type: string): MessageName {
    const name = this.#byType.get(`${room}.${type}`)
    assert(name !== undefined, `${room}.${type} is in the table of its room`)
    return name
  }

  /** Throws UnknownMessage. */
  named(wireName: string): MessageName {
    return this.#byWireName.get(wireName) ?? this.#refuse(wireName)
  }

  /** By a number of our own, or of a peer with the same hash. Throws UnknownMessage. */
  numbered(number: number): MessageName {
    return this.#byNumber[number] ?? this.#refuse(`message ${number}`)
  }

  /** How to read the numbers of a peer with other names. A name unknown here is an error only when it is used. */
  understand(peerWireNames: readonly string[]): (number: number) => MessageName {
    const peer = peerWireNames.slice(0, NAMES_MAX)
    const known = peer.map((wireName) => this.#byWireName.get(wireName))
    return (number) => known[number] ?? this.#refuse(peer[number] ?? `message ${number}`)
  }

  #refuse(wireName: string): never {
    const shown = clip(escapeControls(wireName), 100)
    const isRetired = this.#retired.has(wireName)
    throw new UnknownMessage(
      shown,
      isRetired
        ? 'is retired: its sender runs a version of Sherd that is too old for this node'
        : 'is unknown to this node: its sender may run a newer version of Sherd',
    )
  }
}

function namesOf(tables: readonly MessageTable[]): MessageName[] {
  const names = tables.flatMap(({ room, versions }) =>
    Object.entries(versions).map(([type, version]) => {
      return { room, type, version, wireName: `${room}.${type}@${version}` }
    }),
  )
  for (const { wireName } of names) {
    assert(wireNameForm.test(wireName), `${wireName} has the form room.Type@version`)
  }
  return names.sort(byWireName).map((name, number) => ({ ...name, number }))
}

/** By code units, never by locale: every node must come to the same order. */
function byWireName(a: { readonly wireName: string }, b: { readonly wireName: string }): number {
  return a.wireName < b.wireName ? -1 : a.wireName > b.wireName ? 1 : 0
}

function hex(hash: number): string {
  return hash.toString(16).padStart(8, '0')
}
