import { describe, expect, test } from 'vitest'
import { id, membersIn } from '../../../test/cluster/split-views.ts'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { emptyGossip, putMember } from '../gossip/gossip.ts'
import { joiningMember } from '../gossip/member.ts'
import type { RemovalEffect, RemovalInput, Remove } from './removal-inputs.ts'
import { RemovalMachine } from './removal-machine.ts'

const [a, b, c, d] = [id('A'), id('B'), id('C'), id('D')]
const beatMs = 1_000

/** Node A, with these members. */
function nodeA(members: string, { keepsRecord = true } = {}) {
  const settings = { heartbeatIntervalMs: beatMs }
  const machine = new RemovalMachine({ self: a, settings, keepsRecord })
  const see = (seen: string, now = 0) => step(viewOf(seen), now)
  const step = (input: RemovalInput, now = 0): RemovalEffect[] => machine.step(input, now)
  const remove = (nodes: readonly NodeId[], how: Partial<Remove> = {}, now = 0) =>
    step({ type: 'Remove', nodes, as: 'Down', isLasting: false, ...how }, now)
  const shown = (number: number, nodes: readonly NodeId[] | undefined, now = 0) =>
    step({ type: 'RecordShown', number, nodes }, now)
  see(members)
  return { machine, step, see, remove, shown }
}

function viewOf(members: string) {
  const gossip = { ...emptyGossip, members: membersIn(members), lastUpNumber: 9 }
  return { type: 'ViewChanged', gossip } as const
}

const asked = (number: number, ...nodes: NodeId[]): RemovalEffect => ({
  type: 'RecordGivenUp',
  number,
  nodes,
})
const down = (...nodes: NodeId[]): RemovalEffect => ({ type: 'Down', nodes })
const died = (...nodes: NodeId[]): RemovalEffect => ({ type: 'Died', nodes })

describe('nobody is removed who does not stand in the record', () => {
  test('whatever tells that it has to be', () => {
    const { remove, shown, see } = nodeA('ABC')
    expect(remove([b])).toEqual([asked(1, b)])
    expect(shown(1, [b])).toEqual([down(b)])
    see('ABdC')
    expect(remove([c], { as: 'Died', isLasting: true })).toEqual([asked(2, c)])
    expect(shown(2, [b, c])).toEqual([died(c)])
  })

  test('and this node goes last, when it is to go with them', () => {
    const { remove, shown } = nodeA('ABC')
    expect(remove([b, a])).toEqual([asked(1, b)])
    expect(shown(1, [b])).toEqual([down(b, a)])
  })

  test('whoever stands there itself goes, and removes nobody else', () => {
    const { remove, shown } = nodeA('AB')
    remove([b], { as: 'Died', isLasting: true })
    expect(shown(1, [a])).toEqual([down(a)])
  })

  test('who stands there by the word of others goes as well', () => {
    const { remove, shown } = nodeA('ABC')
    remove([b])
    expect(shown(1, [id('E'), c, b])).toEqual([down(b, c)])
  })

  test('but without a record, in other data centers, and before anybody was Up', () => {
    expect(nodeA('AB', { keepsRecord: false }).remove([b, a])).toEqual([down(b, a)])
    expect(nodeA('AjBjCj').remove([b], { as: 'Died' })).toEqual([died(b)])
    const { step, remove } = nodeA('AB')
    const { gossip, type } = viewOf('AB')
    const far = { ...joiningMember(d), dataCenter: 'far' }
    step({ type, gossip: putMember(gossip, far) })
    expect(remove([d])).toEqual([down(d)])
    expect(remove([a])).toEqual([down(a)])
    expect(remove([b])).toEqual([asked(1, b)])
  })

  test('by a node that was never in service, which waits', () => {
    const { remove, see } = nodeA('AjB')
    expect(remove([b], { as: 'Died', isLasting: true })).toEqual([])
    expect(see('AB', 9_000)).toEqual([asked(1, b)])
  })
})

describe('while the record does not answer', () => {
  test('what is proved is asked again, and a verdict is not: the picture may be another one by then', () => {
    const { remove, shown, step } = nodeA('ABC')
    expect(remove([b, a])).toEqual([asked(1, b)])
    remove([c], { as: 'Died', isLasting: true })
    expect(shown(1, undefined, 200)).toEqual([])
    expect(step({ type: 'Tick' }, 200 + beatMs - 1)).toEqual([])
    expect(step({ type: 'Tick' }, 200 + beatMs)).toEqual([asked(2, c)])
    expect(shown(2, [c], 2_000)).toEqual([died(c)])
  })

  test('what may have been written all the same is looked up, and carried out', () => {
    const { remove, shown, step } = nodeA('AB')
    remove([b])
    shown(1, undefined)
    expect(step({ type: 'Tick' }, beatMs)).toEqual([asked(2)])
    expect(shown(2, [b], beatMs)).toEqual([down(b)])
  })

  test('a verdict that waited behind another question for too long is none any more', () => {
    const { remove, shown } = nodeA('ABC')
    remove([b], { as: 'Died', isLasting: true })
    remove([c])
    expect(shown(1, [b], beatMs + 1)).toEqual([died(b)])
  })

  test('who is gone meanwhile is forgotten, and one question waits at a time', () => {
    const { remove, shown, see } = nodeA('ABC')
    remove([b], { as: 'Died', isLasting: true })
    expect(remove([c], { as: 'Died', isLasting: true })).toEqual([])
    see('ABdC')
    expect(shown(1, undefined)).toEqual([])
    expect(shown(1, [b])).toEqual([])
    expect(see('ABC', beatMs)).toEqual([asked(2, c)])
  })
})

describe('a node looks whether it was given up', () => {
  test('when it hears that somebody else was, unless it knows', () => {
    const { step, shown } = nodeA('ABC')
    expect(step({ type: 'Downed', node: b })).toEqual([asked(1)])
    expect(shown(1, [b])).toEqual([down(b)])
    expect(step({ type: 'Downed', node: b })).toEqual([])
  })

  test('when it slept or was cut off, by a look that began after that', () => {
    const { step, shown, machine } = nodeA('AB')
    expect(step({ type: 'Doubted' })).toEqual([asked(1)])
    expect(step({ type: 'Doubted' })).toEqual([])
    expect(shown(1, [])).toEqual([asked(2)])
    expect(machine.snapshot().isDoubting).toBe(true)
    expect(shown(2, [])).toEqual([{ type: 'ShownByStore' }])
    expect(machine.snapshot().isDoubting).toBe(false)
  })

  test('and it goes when it was', () => {
    const { step, shown } = nodeA('AB')
    step({ type: 'Doubted' })
    expect(shown(1, [a])).toEqual([down(a)])
  })

  test('but not where there is no record', () => {
    const { step } = nodeA('AB', { keepsRecord: false })
    expect(step({ type: 'Doubted' })).toEqual([])
    expect(step({ type: 'Downed', node: b })).toEqual([])
  })
})

test('former lives at the address of a newcomer have to be removed before it', () => {
  const { machine, see } = nodeA('ABC')
  const next = nodeIdOf('b:1', 2n)
  expect(machine.formerLivesOf(next)).toEqual([b])
  expect(machine.formerLivesOf(id('D'))).toEqual([])
  see('ABdC')
  expect(machine.formerLivesOf(next)).toEqual([])
})
