import { describe, expect, test } from 'vitest'
import { isAddress, isNodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { parseRefText } from './ref-text.ts'

describe('addresses', () => {
  test.each(['a:1', '10.0.0.7:65535', '[::1]:80', `${'x'.repeat(252)}:2552`, 'ä.example:1'])(
    '%s can be made a ref, and dialed',
    (address) => {
      expect(isAddress(address)).toBe(true)
      expect(isNodeId(nodeIdOf(address, 1n))).toBe(true)
      expect(parseRefText(`sherd://shop@${address}/user/x`)?.address).toBe(address)
    },
  )

  test.each([
    'a/b:1',
    'a@b:1',
    'a#b:1',
    'a b:1',
    'a\0b:1',
    'a\u001b[2J:1',
    'a\ud800:1',
    `${'x'.repeat(253)}:1`,
    ':1',
    'a:',
    'a:0',
    'a:0080',
    'a:65536',
    'a:99999',
    'a:1\n',
  ])('%j is none: no ref and no node can have it', (address) => {
    expect(isAddress(address)).toBe(false)
    expect(isNodeId(nodeIdOf(address, 1n))).toBe(false)
    expect(parseRefText(`sherd://shop@${address}/user/x`)).toBeUndefined()
  })
})
