import { expect, test } from 'vitest'
import { lostBy, noFaults, rulesOfHost, rulesOfSwitch } from './packet-rules.ts'

const addresses = new Map([
  ['store', '10.73.0.1'],
  ['a', '10.73.0.11'],
  ['b', '10.73.0.12'],
])

/** Without what every table begins with. */
const rulesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.endsWith('drop'))

const unheard = 'udp dport 9 drop'

test('without faults nothing is lost but what only fills the line', () => {
  expect(rulesIn(rulesOfHost('a', noFaults, addresses))).toEqual([unheard])
  expect(rulesIn(rulesOfSwitch(noFaults, addresses))).toEqual([])
})

test('a cut is in one direction, and where the packets arrive', () => {
  const faults = { lossPercent: 0, cut: [{ from: 'a', to: 'b' }] }
  expect(rulesIn(rulesOfHost('b', faults, addresses))).toEqual([
    'ip saddr 10.73.0.11 counter drop',
    unheard,
  ])
  expect(rulesIn(rulesOfHost('a', faults, addresses))).toEqual([unheard])
  expect(rulesIn(rulesOfSwitch(faults, addresses))).toEqual([])
})

test('what goes to the store is cut at the switch', () => {
  const faults = { lossPercent: 0, cut: [{ from: 'a', to: 'store' }] }
  expect(rulesIn(rulesOfSwitch(faults, addresses))).toEqual([
    'iifname "to-a" ip daddr 10.73.0.1 counter drop',
  ])
})

test('loss is drawn once for every packet', () => {
  const faults = { lossPercent: 20, cut: [] }
  const chance = 'numgen random mod 100 < 20 counter drop'
  expect(rulesIn(rulesOfHost('a', faults, addresses))).toEqual([unheard, chance])
  expect(rulesIn(rulesOfSwitch(faults, addresses))).toEqual([`ip daddr 10.73.0.1 ${chance}`])
})

test('counts what rules have lost', () => {
  const printed = `ip saddr 10.73.0.11 counter packets 12 bytes 700 drop
    numgen random mod 100 < 20 counter packets 30 bytes 2000 drop`
  expect(lostBy(printed)).toBe(42)
  expect(lostBy('')).toBe(0)
})
