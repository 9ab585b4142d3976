import { expect, test } from 'vitest'
import { Patches } from './patches.ts'

class Base {
  inherited(): string {
    return 'inherited'
  }
}

test('puts back exactly what was there', () => {
  const target: Base & Record<string, unknown> = Object.assign(new Base(), { plain: 1 } as Record<
    string,
    unknown
  >)
  Object.defineProperty(target, 'computed', {
    get: () => 'computed',
    configurable: true,
    enumerable: false,
  })
  Object.defineProperty(target, 'fixed', { value: 'fixed' })
  const before = Object.getOwnPropertyDescriptors(target)

  const patches = new Patches()
  for (const key of ['plain', 'computed', 'fixed', 'inherited', 'missing'])
    patches.add(target, key, () => 'patched')
  patches.addGetter(target, 'live', () => 'live')
  patches.install()
  expect(target).toMatchObject({ plain: 'patched', inherited: 'patched' })
  expect([target['computed'], target['fixed'], target['live']]).toEqual([
    'patched',
    'fixed',
    'live',
  ])
  expect('missing' in target).toBe(false)
  patches.restore()

  expect(Object.getOwnPropertyDescriptors(target)).toEqual(before)
  expect(Object.keys(target)).toEqual(['plain'])
  expect(target.inherited()).toBe('inherited')
})

test('puts back what another patched before it, not what it saw first', () => {
  const target = { value: 'first' }
  const patches = new Patches()
  patches.add(target, 'value', () => 'patched')
  target.value = 'second'
  patches.install()
  patches.restore()
  expect(target.value).toBe('second')
})
