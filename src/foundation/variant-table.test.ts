import { expect, test } from 'vitest'
import { count, oneOf, section } from './setting-kinds.ts'
import { SettingsTable } from './settings-table.ts'
import { VariantTable } from './variant-table.ts'

interface Boat {
  readonly kind: 'boat'
  readonly oars: number
}

interface Cart {
  readonly kind: 'cart'
  readonly wheels: number
  readonly axles: number
}

const vehicles = new VariantTable<Boat | Cart, 'kind'>('kind', 'boat', {
  boat: new SettingsTable<Boat>({ kind: oneOf('boat', ['boat']), oars: count(2, 'oars') }),
  cart: new SettingsTable<Cart>(
    { kind: oneOf('cart', ['cart']), wheels: count(4, 'wheels'), axles: count(2, 'axles') },
    ['{wheels} must be at least {axles}, or it tips over'],
  ),
})

const journeys = new SettingsTable<{ readonly by: Boat | Cart }>({ by: section(vehicles) })
const problems = (chosen: unknown): string[] => journeys.problemsWith(journeys.complete(chosen))

test('what was not chosen has the default of its kind, which is the first where none was said', () => {
  expect(journeys.complete(undefined)).toEqual({ by: { kind: 'boat', oars: 2 } })
  expect(journeys.complete({ by: { oars: 4 } })).toEqual({ by: { kind: 'boat', oars: 4 } })
  expect(journeys.complete({ by: { kind: 'cart', axles: 1 } })).toEqual({
    by: { kind: 'cart', wheels: 4, axles: 1 },
  })
})

test('a setting of another kind is none, and relations are those of the kind', () => {
  expect(problems({ by: { kind: 'cart', wheels: 2, oars: 1, axles: 3 } })).toEqual([
    expect.stringContaining('by.oars is not a setting; known: kind, wheels, axles'),
    'by.wheels (2) must be at least by.axles (3), or it tips over',
  ])
  expect(problems({ by: { wheels: 3 } })).toEqual([
    expect.stringContaining('by.wheels is not a setting; known: kind, oars'),
  ])
})

test('a kind that there is not is told with those there are', () => {
  expect(problems({ by: { kind: 'sled', runners: 2 } })).toEqual([
    expect.stringContaining('by.runners is not a setting'),
    "by.kind must be one of boat, cart, not 'sled'",
  ])
  expect(problems({ by: 'foot' })).toEqual(["by must be an object, not 'foot'"])
})

test('what is out of range gives way to the defaults of its kind', () => {
  expect(vehicles.sound({ kind: 'cart', wheels: -1, axles: 1 })).toEqual({
    kind: 'cart',
    wheels: 4,
    axles: 1,
  })
  expect(vehicles.sound({ kind: 'sled' })).toEqual({ kind: 'boat', oars: 2 })
})
