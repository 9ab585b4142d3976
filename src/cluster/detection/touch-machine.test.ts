import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { SeededRandom } from '../../simulation/seeded-random.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import type { TouchEffect } from './touch-inputs.ts'
import { TouchMachine } from './touch-machine.ts'

const id = (number: number): NodeId => nodeIdOf(`n:${number}`, 1n)
const self = id(1)
const nobody = new Set<NodeId>()
const heartbeatMs = defaultClusterSettings.heartbeatIntervalMs
/** Those whom it monitors. */
const neighbours = Array.from({ length: 9 }, (_, index) => id(2 + index))

function machineAmong(size: number, unheard: ReadonlySet<NodeId> = nobody, decisive?: NodeId) {
  const members = Array.from({ length: size }, (_, index) => id(1 + index))
  const machine = new TouchMachine(self, defaultClusterSettings, new SeededRandom(1, 'touch'))
  machine.step({ type: 'MembersChanged', members, unheard, decisive }, 0)
  const tick = (now: number, silentCount: number): TouchEffect[] => {
    const heeded = neighbours.filter((node) => members.includes(node) && !unheard.has(node))
    const silent = new Set(heeded.slice(0, silentCount))
    const heard = new Set(heeded.slice(silentCount))
    return machine.step({ type: 'Tick', monitored: { silent, heard } }, now)
  }
  const answer = ({ to, message }: TouchEffect, now: number): void => {
    const { sequence } = message
    machine.step({ type: 'HeartbeatResponse', from: to, sequence }, now)
  }
  return { machine, members, tick, answer }
}

describe('a node that monitors only some of the others', () => {
  test('asks nobody else while enough of them answer', () => {
    const { machine, tick } = machineAmong(100)
    expect(tick(0, 2)).toEqual([])
    expect(machine.snapshot()).toEqual({ isInDoubt: false, silent: nobody })
  })

  test('asks others, each once, when a third of them is silent, and gives up nobody meanwhile', () => {
    const { machine, tick } = machineAmong(100)
    const asked = tick(0, 3)
    expect(asked).toHaveLength(48)
    const receivers = new Set(asked.map(({ to }) => to))
    expect(receivers.size).toBe(48)
    for (const node of [self, ...neighbours]) expect(receivers).not.toContain(node)
    expect(machine.snapshot()).toEqual({ isInDoubt: true, silent: nobody })
    expect(tick(heartbeatMs / 2, 3)).toEqual([])
  })

  test('is in touch as soon as all have answered, and asks again a heartbeat later at the soonest', () => {
    const { machine, tick, answer } = machineAmong(100)
    for (const effect of tick(0, 9)) answer(effect, 5)
    expect(tick(250, 9)).toEqual([])
    expect(machine.snapshot()).toEqual({ isInDoubt: false, silent: nobody })
    expect(tick(heartbeatMs, 9)).toHaveLength(48)
  })

  test('holds all for silent that it does not hear, when two thirds are, and goes on asking', () => {
    const { machine, members, tick, answer } = machineAmong(100)
    const asked = tick(0, 8)
    for (const effect of asked.slice(0, 10)) answer(effect, 5)
    expect(tick(heartbeatMs, 8)).toHaveLength(48)
    const heard = [neighbours[8], self, ...asked.slice(0, 10).map(({ to }) => to)]
    expect([...machine.snapshot().silent].sort()).toEqual(
      members.filter((node) => !heard.includes(node)).sort(),
    )
  })

  test('is in touch again when enough answer, whoever they are', () => {
    const { machine, tick, answer } = machineAmong(100)
    tick(0, 9)
    const again = tick(heartbeatMs, 9)
    expect(machine.snapshot().silent.size).toBe(99)
    for (const effect of again.slice(0, 30)) answer(effect, heartbeatMs + 5)
    tick(2 * heartbeatMs, 9)
    expect(machine.snapshot().silent).toEqual(nobody)
  })

  test('knows exactly who is silent where it asks all', () => {
    const { machine, tick, answer } = machineAmong(20)
    const asked = tick(0, 4)
    expect(asked).toHaveLength(10)
    for (const effect of asked.slice(3)) answer(effect, 5)
    tick(heartbeatMs, 4)
    const silent = [...neighbours.slice(0, 4), ...asked.slice(0, 3).map(({ to }) => to)]
    expect([...machine.snapshot().silent].sort()).toEqual(silent.sort())
  })

  test('asks the one whose side goes on every time, and no more than else', () => {
    const { machine, tick, answer } = machineAmong(1_000, nobody, id(777))
    for (let round = 0; round < 5; round++) {
      const asked = tick(round * heartbeatMs, 9)
      expect([asked.length, asked[0]?.to]).toEqual([48, id(777)])
      answer(asked[0]!, round * heartbeatMs + 5)
    }
    tick(5 * heartbeatMs, 9)
    expect(machine.snapshot().silent).not.toContain(id(777))
    expect(machine.snapshot().silent.size).toBe(998)
  })

  test('does not ask it where it knows already', () => {
    for (const decisive of [self, neighbours[8]!, id(50)]) {
      const { tick } = machineAmong(100, new Set([id(50)]), decisive)
      expect(tick(0, 9).map(({ to }) => to)).not.toContain(decisive)
    }
  })

  test('takes no late answer for a new one', () => {
    const { machine, tick, answer } = machineAmong(100)
    const asked = tick(0, 9)
    tick(heartbeatMs, 9)
    for (const effect of asked) answer(effect, heartbeatMs + 5)
    tick(2 * heartbeatMs, 9)
    expect(machine.snapshot().silent.size).toBe(99)
  })

  test('asks nobody to whom nobody listens, and holds them for silent with the others', () => {
    const unheard = new Set([id(50), id(51)])
    const { machine, tick } = machineAmong(60, unheard)
    const asked = tick(0, 9)
    expect(asked).toHaveLength(48)
    for (const { to } of asked) expect(unheard).not.toContain(to)
    tick(heartbeatMs, 9)
    expect(machine.snapshot().silent.size).toBe(59)
  })

  test('begins anew after it slept: the silence was its own', () => {
    const { machine, tick } = machineAmong(100)
    tick(0, 9)
    machine.step({ type: 'Overslept' }, 60_000)
    expect(machine.snapshot()).toEqual({ isInDoubt: false, silent: nobody })
    expect(tick(60_000, 0)).toEqual([])
  })
})

test('where it monitors all there is nobody else to ask', () => {
  const { machine, tick } = machineAmong(10)
  expect(tick(0, 9)).toEqual([])
  expect(machine.snapshot()).toEqual({ isInDoubt: false, silent: nobody })
})
