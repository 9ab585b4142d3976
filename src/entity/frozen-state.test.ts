import { describe, expect, test } from 'vitest'
import { FrozenStates } from './frozen-state.ts'

const states = new FrozenStates()
const frozen = (state: unknown): unknown => states.freeze(state)

describe('a frozen state', () => {
  test('is frozen in its objects and lists, inside of each other', () => {
    const state = { list: [{ deep: { n: 1 } }], none: null, text: 'x' }
    expect(frozen(state)).toBe(state)
    expect([state, state.list, state.list[0], state.list[0]?.deep].every(Object.isFrozen)).toBe(
      true,
    )
  })

  test('is not frozen in what is not plain data', () => {
    class Money {
      amount = 1
    }
    const state = {
      bytes: new Uint8Array(3),
      map: new Map(),
      money: new Money(),
      when: new Date(0),
    }
    frozen(state)
    expect(Object.isFrozen(state)).toBe(true)
    expect(Object.values(state).some(Object.isFrozen)).toBe(false)
    for (const plain of [undefined, null, 7, 'text', new Money()]) expect(frozen(plain)).toBe(plain)
  })

  test('is not frozen in large objects and lists, and may go in circles', () => {
    const names = Array.from({ length: 33 }, (_, index) => `${index}`)
    const state = { list: names, table: Object.fromEntries(names.map((name) => [name, {}])) }
    const circle: Record<string, unknown> = { state }
    circle['self'] = circle
    frozen(circle)
    frozen({ again: state.table })
    expect([circle, state, state.list, state.table].map(Object.isFrozen)).toEqual([
      ...[true, true, false, false],
    ])
  })

  test('is looked at in a bounded number of parts', () => {
    const parts = Array.from({ length: 20 }, () => Array.from({ length: 20 }, () => ({ n: 1 })))
    frozen(parts)
    const count = parts.flat().filter(Object.isFrozen).length
    expect(count).toBeGreaterThan(40)
    expect(count).toBeLessThanOrEqual(100)
  })
})
