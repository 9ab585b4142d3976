import { describe, expect, test } from 'vitest'
import {
  addressOf,
  addressOfNode,
  compareAddresses,
  compareNodes,
  isNodeId,
  nodeIdOf,
  uidOfNode,
} from './node-id.ts'

describe('node ids', () => {
  test('are read back as they were written', () => {
    const node = nodeIdOf(addressOf('10.0.0.7', 2552), 0xc0ffee12345678n)
    expect(node).toBe('10.0.0.7:2552#00c0ffee12345678')
    expect(addressOfNode(node)).toBe('10.0.0.7:2552')
    expect(uidOfNode(node)).toBe(0xc0ffee12345678n)
    expect(addressOf('::1', 80)).toBe('[::1]:80')
  })

  test('are ordered by host as code units, then by port as a number, then by incarnation', () => {
    const sorted = ['B:1', 'a:2', 'a:10', 'ä:1']
    expect([...sorted].reverse().sort(compareAddresses)).toEqual(sorted)
    const nodes = [nodeIdOf('a:2', 1n), nodeIdOf('a:2', 1n << 63n), nodeIdOf('a:10', 1n)]
    expect([...nodes].reverse().sort(compareNodes)).toEqual(nodes)
    expect(compareNodes(nodes[0]!, nodes[0]!)).toBe(0)
  })

  test.each(['a:1#0000000000000001', '[::1]:65535#ffffffffffffffff'])('recognises %s', (text) => {
    expect(isNodeId(text)).toBe(true)
  })

  test.each([
    'a:1',
    'a#0000000000000001',
    'a:1#1',
    '',
    7,
    null,
    `${'x'.repeat(300)}:1#0000000000000001`,
  ])('does not recognise %j', (text) => {
    expect(isNodeId(text)).toBe(false)
  })
})
