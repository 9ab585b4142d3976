/**
 * Refs as text. For people and in `path`: `sherd://shop@10.0.0.7:2552/user/cart#7`. On the wire the incarnation of the
 * node follows: `…#7.00c0ffee12345678`, since a node that restarts counts its actors anew. Read in linear time. A path is
 * no longer than the wire takes.
 */
import { ActorPath } from '../../actor/internals.ts'
import { type Address, isAddress } from '../../foundation/node-id.ts'
import { isTableText } from '../wire/text-table.ts'

export interface RefText {
  readonly system: string
  readonly address: Address
  /** Names below the root, percent-encoded as in a path. */
  readonly names: readonly string[]
  /** 0 for whoever lives there. */
  readonly uid: number
  /** 16 hexadecimal digits; undefined for whichever incarnation is there. */
  readonly nodeUid: string | undefined
}

const scheme = 'sherd://'
const lengthMax = 8_192
const nodeUidForm = /^[0-9a-f]{16}$/

/** Undefined when it names no actor. */
export function parseRefText(text: string): RefText | undefined {
  if (text.length > lengthMax || !text.startsWith(scheme)) return undefined
  const slash = text.indexOf('/', scheme.length)
  if (slash < 0) return undefined
  const authority = text.slice(scheme.length, slash)
  const at = authority.indexOf('@')
  const address = authority.slice(at + 1)
  const local = parseLocalText(text.slice(slash))
  if (at < 1 || !isAddress(address) || local === undefined) return undefined
  return { system: authority.slice(0, at), address, ...local }
}

/** What follows the address: `/user/cart#7`. */
export function parseLocalText(
  text: string,
): Pick<RefText, 'names' | 'uid' | 'nodeUid'> | undefined {
  const hash = text.indexOf('#')
  const path = hash < 0 ? text : text.slice(0, hash)
  if (!path.startsWith('/')) return undefined
  const names = path.slice(1).split('/')
  if (names.some((name) => name === '')) return undefined
  if (hash < 0) return isTableText(path) ? { names, uid: 0, nodeUid: undefined } : undefined
  const [number = '', nodeUid, ...rest] = text.slice(hash + 1).split('.')
  const uid = /^\d{1,15}$/.test(number) ? Number(number) : -1
  const isNodeUid = nodeUid === undefined || nodeUidForm.test(nodeUid)
  if (uid < 0 || !isNodeUid || rest.length > 0) return undefined
  return isTableText(localText(names, uid)) ? { names, uid, nodeUid } : undefined
}

/** `/user/cart#7`: how a node is told which of its actors is meant. */
export function localText(names: readonly string[], uid: number): string {
  const path = `/${names.join('/')}`
  return uid === 0 ? path : `${path}#${uid}`
}

export function refText({ system, address, names, uid, nodeUid }: RefText): string {
  const text = `${scheme}${system}@${address}/${names.join('/')}#${uid}`
  return nodeUid === undefined ? text : `${text}.${nodeUid}`
}

/** With the address in the place of the root. */
export function pathOf({ system, address, names, uid }: RefText): ActorPath {
  let path = new ActorPath(`${system}@${address}`, undefined, 0)
  for (const [index, name] of names.entries()) {
    path = new ActorPath(name, path, index === names.length - 1 ? uid : 0)
  }
  return path
}
