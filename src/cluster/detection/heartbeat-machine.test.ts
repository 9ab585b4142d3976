import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import type { HeartbeatEffect } from './heartbeat-inputs.ts'
import { HeartbeatMachine } from './heartbeat-machine.ts'
import { receiversOf } from './heartbeat-ring.ts'

const names = ['aa', 'bb', 'cc', 'dd', 'ee', 'ff']
const nodes = names.map((name, index) => nodeIdOf(`${name}:1`, BigInt(index + 1)))
const id = (name: string): NodeId => nodes[names.indexOf(name)]!
const nobody: ReadonlySet<NodeId> = new Set()
/** As in V-14: the ring is in the order of the incarnations. */
const byUid = (node: NodeId) => Number(`0x${node.slice(-16)}`)
const settings = { ...defaultClusterSettings, monitoredByMembers: 3 }

describe('CL-017 V-14 the ring', () => {
  const unreachable = new Set(['aa', 'dd', 'ee'].map(id))

  test.each([
    ['aa', 'bb,cc,dd,ff'],
    ['bb', 'cc,dd,ee,ff'],
    ['cc', 'dd,ee,ff,bb'],
    ['dd', 'ee,ff,aa,bb,cc'],
    ['ee', 'ff,aa,bb,cc'],
    ['ff', 'aa,bb,cc'],
  ])('with three unreachable, %s monitors %s', (self, expected) => {
    const receivers = receiversOf(id(self), nodes, unreachable, 3, byUid)
    expect([...receivers].sort()).toEqual(expected.split(',').map(id).sort())
  })

  test.each([
    ['bb,cc', '', 'bb,cc'],
    ['bb,cc,dd,ee', '', 'bb,cc,dd'],
    ['bb,cc,dd,ee', 'cc', 'bb,cc,dd,ee'],
  ])('among %s, of whom %j cannot be reached, aa monitors %s', (others, cutOff, expected) => {
    const members = ['aa', ...others.split(',')].map(id)
    const unheard = new Set(cutOff === '' ? [] : [id(cutOff)])
    expect([...receiversOf(id('aa'), members, unheard, 3, byUid)].sort()).toEqual(
      expected.split(',').map(id),
    )
  })

  test('has three receivers for everybody when all are reachable, and all others when few', () => {
    for (const self of nodes) {
      const receivers = receiversOf(self, nodes, nobody, 3)
      expect(receivers.size).toBe(3)
      expect(receivers).not.toContain(self)
      for (const count of [5, 6, 7]) expect(receiversOf(self, nodes, nobody, count).size).toBe(5)
    }
    expect(receiversOf(id('aa'), [id('aa')], nobody, 3).size).toBe(0)
  })
})

function started(members: readonly NodeId[], more: Partial<typeof settings> = {}) {
  const machine = new HeartbeatMachine(id('aa'), { ...settings, ...more })
  machine.step({ type: 'MembersChanged', members: [id('aa'), ...members], unheard: nobody }, 0)
  return machine
}
const answer = (name: string) =>
  ({ type: 'HeartbeatResponse', from: id(name), sequence: 1 }) as const
const suspicions = (effects: readonly HeartbeatEffect[]) =>
  effects.flatMap((effect) =>
    effect.type === 'Send' ? [] : [`${effect.type} ${effect.node.slice(0, 2)}`],
  )

describe('HeartbeatMachine', () => {
  test('asks at once whom it begins to monitor, and then every interval, never in a burst', () => {
    const machine = new HeartbeatMachine(id('aa'), settings)
    const members = [id('aa'), id('bb')]
    const first = machine.step({ type: 'MembersChanged', members, unheard: nobody }, 0)
    expect(first).toEqual([
      { type: 'Send', to: id('bb'), message: { type: 'Heartbeat', from: id('aa'), sequence: 0 } },
    ])
    expect(machine.step({ type: 'Tick' }, 10)).toHaveLength(1)
    expect(machine.step({ type: 'Tick' }, 900)).toEqual([])
    expect(machine.step({ type: 'Tick' }, 4_000)).toHaveLength(1)
    expect(machine.step({ type: 'Tick' }, 4_250)).toEqual([])
  })

  test('answers a question with a sign of life', () => {
    const message = { type: 'Heartbeat', from: id('bb'), sequence: 7 } as const
    expect(started([]).step(message, 0)).toEqual([
      {
        type: 'Send',
        to: id('bb'),
        message: { type: 'HeartbeatResponse', from: id('aa'), sequence: 7 },
      },
    ])
  })

  test('suspects one that never answered, once, and trusts it when it does', () => {
    const machine = started([id('bb'), id('cc')])
    machine.step(answer('cc'), 6_000)
    expect(suspicions(machine.step({ type: 'Tick' }, 7_600))).toEqual(['Suspect bb'])
    expect(suspicions(machine.step({ type: 'Tick' }, 7_850))).toEqual([])
    expect(suspicions(machine.step(answer('bb'), 8_000))).toEqual(['Trust bb'])
  })

  test('suspects at once whom it monitors and whose address refuses connections, until it answers', () => {
    const machine = started(nodes.slice(1), { monitoredByMembers: 1 })
    const [monitored] = machine.snapshot().receivers
    for (const node of nodes.slice(1)) {
      const name = node.slice(0, 2)
      const refused = { type: 'ConnectionRefused', node } as const
      const isMonitored = node === monitored
      expect(suspicions(machine.step(refused, 10))).toEqual(isMonitored ? [`Suspect ${name}`] : [])
      const trust = isMonitored ? [`Trust ${name}`] : []
      expect(suspicions(machine.step(answer(name), 20))).toEqual(trust)
    }
    const stranger = nodeIdOf('zz:1', 9n)
    expect(machine.step({ type: 'ConnectionRefused', node: stranger }, 30)).toEqual([])
  })

  test('does not blame others for the time that it slept itself', () => {
    const machine = started([id('bb')])
    machine.step(answer('bb'), 100)
    machine.step({ type: 'Overslept', ms: 60_000 }, 60_200)
    expect(suspicions(machine.step({ type: 'Tick' }, 60_200))).toEqual([])
  })

  test('keeps asking a failing one that left its part of the ring, until it answers or is removed', () => {
    const few = [id('bb')]
    const machine = started(few, { monitoredByMembers: 1 })
    machine.step({ type: 'ConnectionRefused', node: id('bb') }, 10)
    const members = nodes
    machine.step({ type: 'MembersChanged', members, unheard: nobody }, 20)
    const asked = (now: number) =>
      machine
        .step({ type: 'Tick' }, now)
        .flatMap((effect) => (effect.type === 'Send' ? [effect.to] : []))
    expect(asked(1_000)).toContain(id('bb'))
    machine.step({ type: 'MembersChanged', members: [id('aa'), id('cc')], unheard: nobody }, 1_100)
    expect(asked(2_500)).toEqual([id('cc')])
  })

  test('never monitors the removed, never itself, and keeps the suspected (random operations)', () => {
    const operations = fc.array(fc.tuple(fc.nat(3), fc.nat(5), fc.subarray(nodes.slice(1))), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(operations, (list) => {
        const machine = started(nodes.slice(1))
        let members: readonly NodeId[] = nodes
        for (const [index, [kind, target, some]] of list.entries()) {
          const now = index * 700
          const node = nodes[target]!
          if (kind === 0) members = [id('aa'), ...some]
          if (kind === 0) machine.step({ type: 'MembersChanged', members, unheard: new Set() }, now)
          if (kind === 1) machine.step({ type: 'HeartbeatResponse', from: node, sequence: 0 }, now)
          if (kind === 2) machine.step({ type: 'ConnectionRefused', node }, now)
          const before = machine.snapshot().suspected
          if (kind === 3) machine.step({ type: 'Tick' }, now)
          const { receivers, suspected } = machine.snapshot()
          for (const watched of [...receivers, ...suspected]) expect(members).toContain(watched)
          expect(receivers).not.toContain(id('aa'))
          if (kind === 3) for (const former of before) expect(suspected).toContain(former)
        }
      }),
    )
  })
})
