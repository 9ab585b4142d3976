/**
 * Who a node is: its address and the number of its incarnation. A process that restarts on the same address is another
 * node. Ids are strings, so that they can be keys, can travel and can be read: `10.0.0.7:2552#00c0ffee12345678`.
 */
import { assert } from './assert.ts'

/** `host:port`; a host with colons stands in brackets. */
export type Address = string

/** `host:port#uid`, the uid as 16 hexadecimal digits. */
export type NodeId = string

export function addressOf(host: string, port: number): Address {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`
}

/** For the network: a host in brackets without them. */
export function hostAndPortOf(address: Address): { readonly host: string; readonly port: number } {
  const split = address.lastIndexOf(':')
  const host = address.slice(0, split).replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(address.slice(split + 1)) }
}

export function nodeIdOf(address: Address, uid: bigint): NodeId {
  assert(uid > 0n && uid < 1n << 64n, 'an incarnation number is a positive number of 64 bits')
  return `${address}#${uid.toString(16).padStart(16, '0')}`
}

export function addressOfNode(node: NodeId): Address {
  return node.slice(0, node.length - 17)
}

export function uidOfNode(node: NodeId): bigint {
  return BigInt(`0x${node.slice(-16)}`)
}

/** The one form of an address: one spelling per port, and nothing at which a ref or a log would be misread. */
const addressForm = /^[^\s/#@\p{Cc}\p{Cs}]{1,252}:([1-9]\d{0,4})$/u
const incarnationForm = /^#[0-9a-f]{16}$/
const portMax = 65_535

/** Whether a text from outside has the form of an address: what passes can be made a ref, and can be dialed. */
export function isAddress(text: unknown): text is Address {
  if (typeof text !== 'string') return false
  const port = addressForm.exec(text)?.[1]
  return port !== undefined && Number(port) <= portMax
}

/** Whether a text from outside has the form of a node id. */
export function isNodeId(text: unknown): text is NodeId {
  return (
    typeof text === 'string' &&
    incarnationForm.test(text.slice(-17)) &&
    isAddress(addressOfNode(text))
  )
}

/** By host, in the order of code units, then by port as a number. Decides who leads: never by locale. */
export function compareAddresses(a: Address, b: Address): number {
  return compareUpTo(a, a.length, b, b.length)
}

/** By address, then by incarnation. */
export function compareNodes(a: NodeId, b: NodeId): number {
  if (a === b) return 0
  const byAddress = compareUpTo(a, a.length - 17, b, b.length - 17)
  if (byAddress !== 0) return byAddress
  const uidA = a.slice(-16)
  const uidB = b.slice(-16)
  return uidA === uidB ? 0 : uidA < uidB ? -1 : 1
}

/** The addresses at the beginning of two texts, up to there. Unit by unit: every search in a view makes some of these. */
function compareUpTo(a: string, endA: number, b: string, endB: number): number {
  const splitA = a.lastIndexOf(':', endA - 1)
  const splitB = b.lastIndexOf(':', endB - 1)
  const hostLength = Math.min(splitA, splitB)
  for (let at = 0; at < hostLength; at++) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at)
    if (difference !== 0) return difference
  }
  if (splitA !== splitB) return splitA - splitB
  return Number(a.slice(splitA + 1, endA)) - Number(b.slice(splitB + 1, endB))
}
