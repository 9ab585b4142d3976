import { expect, test } from 'vitest'
import { Simulation } from './simulation.ts'

test('is known by the life of its node, and others see when that has ended', () => {
  const simulation = new Simulation({ seed: 1 })
  const { process } = simulation.node('a').environment
  const first = simulation.node('b').environment.process.identity ?? ''
  expect([process.identity, first]).toEqual(['machine a#1', 'machine b#1'])
  expect([process.isGone(first), process.isRunning(first)]).toEqual([false, true])
  simulation.crash('b')
  expect([process.isGone(first), process.isRunning(first)]).toEqual([true, false])
  const second = simulation.node('b').environment.process.identity ?? ''
  expect(second).toBe('machine b#2')
  expect([second, 'nobody'].map((each) => process.isGone(each))).toEqual([false, false])
})

test('proves no end when the scenario says that nobody can see it', () => {
  const simulation = new Simulation({ seed: 1 })
  const { process } = simulation.node('a').environment
  simulation.node('b')
  simulation.setEndsProved(false)
  simulation.crash('b')
  expect(process.isGone('machine b#1')).toBe(false)
})

test('is seen to end by nobody on another machine, and by nobody when its machine dies', () => {
  const simulation = new Simulation({ seed: 1 })
  const here = simulation.node('a', { machine: 'one' }).environment.process
  const there = simulation.node('b', { machine: 'two' }).environment.process
  simulation.node('c', { machine: 'one' })
  simulation.node('d', { machine: 'one' })
  simulation.crash('c')
  simulation.crash('d', 'host')
  expect([here, there].map((process) => process.isGone('one c#1'))).toEqual([true, false])
  expect([here.isGone('one d#1'), here.isRunning('one d#1')]).toEqual([false, false])
})
