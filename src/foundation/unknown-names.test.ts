import { expect, test } from 'vitest'
import { flag, milliseconds, section } from './setting-kinds.ts'
import { SettingsTable } from './settings-table.ts'
import { placesOfSettings, unknownSettings } from './unknown-names.ts'

const known = { settings: 0, seeds: 0, secret: 0, roles: 0, port: 0, askTimeoutMs: 0 }
const places = new Map([
  ['role', 'belongs elsewhere'],
  ['numberOfShards', 'belongs in the other'],
])
const told = (name: string) => unknownSettings({ [name]: 1 }, known, 'an option', 'a.', places)

test.each([
  ['setings', 'settings'],
  ['Settings', 'settings'],
  ['seed', 'seeds'],
  ['sercet', 'secret'],
  ['ask_timeout', 'askTimeoutMs'],
  ['askTimeout', 'askTimeoutMs'],
])('%s is like %s', (name, meant) => {
  expect(told(name)).toEqual([`\`a.${name}\` is not an option; did you mean \`a.${meant}\`?`])
})

test.each(['colour', 'x', 'part of it', 'pert'.repeat(3)])('%s is like nothing', (name) => {
  expect(told(name)).toEqual([
    `a.${name} is not an option; known: settings, seeds, secret, roles, port, askTimeoutMs`,
  ])
})

test('a name from elsewhere is told where it belongs, and what else may have been meant', () => {
  expect(told('numberOfShards')).toEqual(['`a.numberOfShards` belongs in the other'])
  expect(told('role')).toEqual(['`a.role` belongs elsewhere; did you mean `a.roles`?'])
  expect(told('numberOfShard')).toEqual([
    '`a.numberOfShard` is not an option; did you mean `numberOfShards`, which belongs in the other?',
  ])
})

test('the places of settings are found in their table', () => {
  const inner = new SettingsTable({ restMs: milliseconds(1), isOn: flag(true) })
  const table = new SettingsTable({ restMs: milliseconds(1), lamp: section(inner) })
  expect([...placesOfSettings(table, 'settings')]).toEqual([
    ['restMs', 'belongs in settings or settings.lamp'],
    ['lamp', 'belongs in settings'],
    ['isOn', 'belongs in settings.lamp'],
  ])
})
