/**
 * A ring of nodes by hash: each stands at many points, and a key belongs to the first point at or behind its own. When a node
 * comes or goes only the keys between its points and the ones before them get another node. The hash is that of strings in
 * other implementations of this ring, bit for bit, so that the same names give the same places there and here.
 */
import type { NodeId } from '../../foundation/node-id.ts'

/** Where each node stands: more points are a more even ring, and a larger one. */
const pointsPerNode = 10

interface Point {
  readonly at: number
  readonly node: NodeId
}

export class HashRing {
  readonly #points: readonly Point[]

  /** `nameOf` is what is hashed of a node; two of one name stand at the same points, and the first of them counts. */
  constructor(nodes: readonly NodeId[], nameOf: (node: NodeId) => string) {
    const taken = new Map<number, Point>()
    for (const node of nodes) {
      for (const at of pointsOf(nameOf(node))) if (!taken.has(at)) taken.set(at, { at, node })
    }
    this.#points = [...taken.values()].sort((a, b) => a.at - b.at)
  }

  /** undefined when nobody is in it. */
  nodeOf(key: string): NodeId | undefined {
    const hash = ringHash(key)
    let low = 0
    let high = this.#points.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#points[middle]!.at < hash) low = middle + 1
      else high = middle
    }
    return (this.#points[low] ?? this.#points[0])?.node
  }
}

// ---- the hash: two streams of constants, mixed with the text two code units at a time

const firstA = 0x95543787
const firstB = 0x2ad7eb25

/** A number of 32 bits with a sign. */
export function ringHash(text: string): number {
  let hash = startOf(Math.imul(text.length, 0xf7ca7fd2))
  let a = firstA
  let b = firstB
  let index = 0
  for (; index + 1 < text.length; index += 2) {
    const pair = ((text.charCodeAt(index) << 16) + text.charCodeAt(index + 1)) | 0
    hash = extend(hash, pair, a, b)
    a = nextA(a)
    b = nextB(b)
  }
  if (index < text.length) hash = extend(hash, text.charCodeAt(index), a, b)
  return finish(hash)
}

function pointsOf(name: string): readonly number[] {
  const start = startOf(ringHash(name))
  return Array.from({ length: pointsPerNode }, (_, index) =>
    finish(extend(start, index + 1, firstA, firstB)),
  )
}

function startOf(seed: number): number {
  return seed ^ 0x971e137b
}

function extend(hash: number, value: number, a: number, b: number): number {
  const mixed = Math.imul(value, a)
  const turned = Math.imul((mixed << 11) | (mixed >>> 21), b)
  return (Math.imul(hash ^ turned, 3) + 0x52dce729) | 0
}

function nextA(a: number): number {
  return (Math.imul(a, 5) + 0x7b7d159c) | 0
}

function nextB(b: number): number {
  return (Math.imul(b, 5) + 0x6bce6396) | 0
}

function finish(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
