import { describe, expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { namedHost } from '../../foundation/process-identity.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import { type Member, asUp, joiningMember, withStatus } from '../gossip/member.ts'
import {
  attributeOfProcess,
  lookAtProcesses,
  neighboursOf,
  processOf,
} from './process-of-member.ts'
import type { ProcessWatchEffect } from './process-watch-inputs.ts'
import { ProcessWatchMachine } from './process-watch-machine.ts'

const [a, b, c] = [1n, 2n, 3n].map((uid) => nodeIdOf(`n${uid}:1`, uid)) as [string, string, string]
const settings = { ...defaultClusterSettings, processLookIntervalMs: 1_000, exitedLingerMs: 500 }

const member = (node: string, process?: string): Member => {
  const attributes = process === undefined ? [] : [attributeOfProcess(process)]
  return asUp(joiningMember(node, { attributes }), 1)
}

const all = [member(a, 'here 1 10'), member(b, 'here 2 20'), member(c, 'there 2 20')]

/** A machine on `a` that has seen b running. */
function watching(members: readonly Member[] = all) {
  const machine = new ProcessWatchMachine({ identity: 'here 1 10', settings })
  const change = (unreachable: readonly string[], now: number, now_members = members) =>
    machine.step(
      { type: 'MembersChanged', members: now_members, unreachable: new Set(unreachable) },
      now,
    )
  const seen = (nodes: readonly string[], now: number) =>
    machine.step({ type: 'ProcessesSeen', ended: [], running: nodes, unknown: [] }, now)
  const hidden = (nodes: readonly string[], now: number) =>
    machine.step({ type: 'ProcessesSeen', ended: [], running: [], unknown: nodes }, now)
  const ended = (nodes: readonly string[], now: number) =>
    machine.step({ type: 'ProcessesSeen', ended: nodes, running: [], unknown: [] }, now)
  const lost = (node: string, now: number) => machine.step({ type: 'ConnectionLost', node }, now)
  return { machine, change, seen, hidden, ended, lost }
}

const looked = (effects: readonly ProcessWatchEffect[]): string[] =>
  effects.flatMap((effect) =>
    effect.type === 'LookAtProcesses' ? [...effect.processes.values()] : [],
  )

const pauses = (effects: readonly ProcessWatchEffect[]): number[] =>
  effects.flatMap((effect) => (effect.type === 'LookAgain' ? [effect.afterMs] : []))

describe('the neighbours of a process', () => {
  test('are members on the same host, in another process', () => {
    const here = [...all, member('x:1', 'here 1 10'), member('y:1')]
    expect([...neighboursOf('here 1 10', here)]).toEqual([[b, 'here 2 20']])
    expect(processOf(member('y:1'))).toBe(undefined)
  })

  test('are none where the host is known by its name alone', () => {
    const named = [member(b, `${namedHost}laptop 2 20`)]
    expect([...neighboursOf(`${namedHost}laptop 1 10`, named)]).toEqual([])
  })
})

describe('a neighbour', () => {
  test('is looked at once when it is new, and then not while all is well', () => {
    const { change, seen, machine } = watching()
    expect(looked(change([], 0))).toEqual(['here 2 20'])
    expect(seen([b], 0)).toEqual([])
    expect(machine.snapshot()).toEqual({ seen: [b], suspected: [] })
    for (const now of [1, 1_000, 10_000]) expect(machine.step({ type: 'Tick' }, now)).toEqual([])
    expect(change([], 11_000)).toEqual([])
  })

  test('is dead when its connection broke and its process has ended', () => {
    const { change, seen, ended, lost, machine } = watching()
    change([], 0)
    seen([b], 0)
    expect(looked(lost(b, 50))).toEqual(['here 2 20'])
    expect(ended([b], 50)).toEqual([{ type: 'Died', nodes: [b] }])
    // Once.
    expect([...lost(b, 60), ...change([b], 70), ...machine.step({ type: 'Tick' }, 9_000)]).toEqual(
      [],
    )
  })

  test('is looked at in quick succession after a loss, less and less often, and then left alone', () => {
    const { change, seen, lost, machine } = watching()
    change([], 0)
    seen([b], 0)
    let now = 100
    let effects = lost(b, now)
    const waits: number[] = []
    while (pauses(effects).length > 0) {
      seen([b], now)
      const [afterMs = 0] = pauses(effects)
      waits.push(afterMs)
      now += afterMs
      effects = machine.step({ type: 'LookDue' }, now)
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_000])
    expect(machine.snapshot().suspected).toEqual([])
  })

  test('is looked at as long as somebody cannot reach it', () => {
    const { change, seen, machine } = watching()
    change([], 0)
    seen([b], 0)
    expect(looked(change([b, c], 0))).toEqual(['here 2 20'])
    let looks = 0
    for (let now = 250; now <= 60_000; now += 250) {
      looks += looked(machine.step({ type: 'Tick' }, now)).length
      seen([b], now)
    }
    expect(looks).toBeGreaterThanOrEqual(58)
    expect(looks).toBeLessThanOrEqual(65)
  })

  test('that was never found proves nothing: two hosts may have been made to look the same', () => {
    const { change, ended, lost } = watching()
    change([], 0)
    expect(ended([b], 0)).toEqual([])
    expect([...lost(b, 10), ...change([b], 20), ...ended([b], 20)]).toEqual([])
  })

  test('of which nobody can tell was not seen: its absence proves nothing, and it is looked at later', () => {
    const { change, seen, hidden, ended, lost, machine } = watching()
    change([], 0)
    expect(hidden([b], 0)).toEqual([])
    expect(machine.snapshot().seen).toEqual([])
    expect([...lost(b, 10), ...change([b], 20), ...machine.step({ type: 'Tick' }, 999)]).toEqual([])
    expect(looked(machine.step({ type: 'Tick' }, 1_000))).toEqual(['here 2 20'])
    expect(ended([b], 1_000)).toEqual([])
    expect([...seen([b], 1_001), ...lost(b, 1_002)]).toEqual([])
  })

  test('that is found later was seen from then on', () => {
    const { change, seen, hidden, machine } = watching()
    change([], 0)
    hidden([b], 0)
    machine.step({ type: 'Tick' }, 1_000)
    seen([b], 1_000)
    expect(machine.snapshot()).toEqual({ seen: [b], suspected: [] })
  })

  test('is seen running, has ended, or nobody can tell', () => {
    const host = { isGone: (of: string) => of === 'gone', isRunning: (of: string) => of === 'runs' }
    const identities = ['gone', 'runs', 'hidden'].map((each) => [each, each] as const)
    const look = { type: 'LookAtProcesses', processes: new Map(identities) } as const
    expect(lookAtProcesses(host, look)).toEqual({
      ...{ type: 'ProcessesSeen', ended: ['gone'], running: ['runs'], unknown: ['hidden'] },
    })
  })

  test('that is unreachable when it is first seen is looked at again at once', () => {
    const { change, seen, ended } = watching()
    change([b], 0)
    expect(looked(seen([b], 3))).toEqual(['here 2 20'])
    expect(ended([b], 3)).toEqual([{ type: 'Died', nodes: [b] }])
  })

  test('that is Exiting may have been removed: it is dead when this node has not heard so in time', () => {
    const exiting = [all[0]!, withStatus(withStatus(all[1]!, 'Leaving'), 'Exiting')]
    const { change, seen, ended, lost, machine } = watching(exiting)
    change([], 0)
    seen([b], 0)
    lost(b, 100)
    expect(ended([b], 100)).toEqual([])
    expect(machine.step({ type: 'Tick' }, 599)).toEqual([])
    expect(machine.step({ type: 'Tick' }, 600)).toEqual([{ type: 'Died', nodes: [b] }])
  })

  test('that was removed is forgotten, and what was seen of it', () => {
    const { change, seen, lost, ended, machine } = watching()
    change([], 0)
    seen([b], 0)
    lost(b, 10)
    change([], 20, [all[0]!])
    expect(ended([b], 20)).toEqual([])
    expect(machine.snapshot()).toEqual({ seen: [], suspected: [] })
  })

  test('on another host is never looked at', () => {
    const { change, lost } = watching([all[0]!, all[2]!])
    expect([...change([c], 0), ...lost(c, 10)]).toEqual([])
  })
})
