import { describe, expect, test } from 'vitest'
import { ActorPath, encodeActorName } from './actor-path.ts'

describe('encodeActorName', () => {
  test.each(['cart', 'Cart-7', 'a.b~c_d', '0', 'x'.repeat(128)])('leaves %s as it is', (name) => {
    expect(encodeActorName(name)).toBe(name)
  })

  test.each([
    ['a/b', 'a%2Fb'],
    ['café au lait', 'caf%C3%A9%20au%20lait'],
    ['100%', '100%25'],
    ['.', '%2E'],
    ['..', '%2E%2E'],
    ['-x', '-x'],
    ['a#1', 'a%231'],
    ['😀', '%F0%9F%98%80'],
    ['line\nbreak', 'line%0Abreak'],
  ])('encodes %j as %s', (name, encoded) => {
    expect(encodeActorName(name)).toBe(encoded)
  })

  test.each([
    ['', 'at least one character'],
    ['$1', 'belong to the runtime'],
    ['\ud800', 'well-formed'],
    ['a\0b', 'NUL'],
    ['x'.repeat(513), '512 bytes'],
    ['é'.repeat(257), '512 bytes'],
    [7, 'a string'],
    [null, 'a string'],
  ])('refuses %j', (name, why) => {
    expect(() => encodeActorName(name as string)).toThrow(why)
  })

  test('keeps distinct names distinct', () => {
    const names = ['a b', 'a%20b', 'a%2520b', 'a+b', 'A b']
    expect(new Set(names.map(encodeActorName)).size).toBe(names.length)
  })
})

describe('ActorPath', () => {
  const root = new ActorPath('shop', undefined, 0)
  const cart = new ActorPath('cart', new ActorPath('user', root, 0), 7)

  test('prints as a URL with the number of the incarnation', () => {
    expect(String(cart)).toBe('sherd://shop/user/cart#7')
    expect(cart.withoutUid).toBe('sherd://shop/user/cart')
    expect(JSON.stringify({ cart })).toBe('{"cart":"sherd://shop/user/cart#7"}')
  })

  test('knows its elements', () => {
    expect(cart.elements).toEqual(['user', 'cart'])
  })
})
