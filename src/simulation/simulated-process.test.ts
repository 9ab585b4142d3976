import { expect, test } from 'vitest'
import { Simulation } from './simulation.ts'

test('is known by the life of its node, and others see when that has ended', () => {
  const simulation = new Simulation({ seed: 1 })
  const { process } = simulation.node('a').environment
  const first = simulation.node('b').environment.process.identity ?? ''
  expect([process.identity, first]).toEqual(['a#1', 'b#1'])
  expect(process.isGone(first)).toBe(false)
  simulation.crash('b')
  expect(process.isGone(first)).toBe(true)
  const second = simulation.node('b').environment.process.identity ?? ''
  expect(second).toBe('b#2')
  expect([second, 'nobody'].map((each) => process.isGone(each))).toEqual([false, false])
})

test('proves no end when the scenario says that nobody can see it', () => {
  const simulation = new Simulation({ seed: 1 })
  const { process } = simulation.node('a').environment
  simulation.node('b')
  simulation.setEndsProved(false)
  simulation.crash('b')
  expect(process.isGone('b#1')).toBe(false)
})
