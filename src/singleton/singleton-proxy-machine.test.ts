import { describe, expect, test } from 'vitest'
import type { ActorRef } from '../actor/index.ts'
import type { Member, MemberStatus } from '../cluster/index.ts'
import { nodeIdOf } from '../foundation/node-id.ts'
import { SingletonProxyMachine } from './singleton-proxy-machine.ts'

const a = nodeIdOf('a:1', 1n)
const b = nodeIdOf('b:1', 2n)
const c = nodeIdOf('c:1', 3n)
const upNumbers: Readonly<Record<string, number>> = { [a]: 1, [b]: 2, [c]: 3 }
// Never told anything: the machine only passes it on.
const instance = { path: 'instance' } as unknown as ActorRef<unknown>

const member = (node: string, status: MemberStatus = 'Up'): Member => ({
  node,
  status,
  roles: [],
  attributes: [],
  appVersion: '1.0.0',
  upNumber: upNumbers[node] ?? 9,
})
const seen = (...members: readonly Member[]) => ({ type: 'MembersChanged', members }) as const
const here = (from: string, term: number) =>
  ({ type: 'InstanceIsHere', from, term, instance }) as const
const ask = (to: string, term: number) => [
  { type: 'Send', to, message: { type: 'WhereIsInstance', from: c, term } },
  { type: 'StartTimer', delayMs: 1_000 },
]
const use = (term: number) => ({ type: 'Use', instance, term })

function searching(): SingletonProxyMachine {
  const machine = new SingletonProxyMachine({ self: c, hosts: {}, retryIntervalMs: 1_000 })
  expect(machine.step(seen(member(a), member(b), member(c)))).toEqual(ask(a, 0))
  return machine
}

function found(): SingletonProxyMachine {
  const machine = searching()
  expect(machine.step(here(a, 11))).toEqual([use(11), { type: 'CancelTimer' }])
  return machine
}

describe('SingletonProxyMachine', () => {
  test('asks the oldest again until it answers', () => {
    const machine = searching()
    expect(machine.step({ type: 'AskAgain' })).toEqual(ask(a, 0))
    machine.step(here(a, 11))
    expect(machine.snapshot()).toEqual({ host: a, term: 11 })
  })

  test('searches anew when the instance ended and its node is still the oldest', () => {
    const machine = found()
    const over = machine.step({ type: 'TargetTerminated', term: 11 })
    expect(over).toEqual([{ type: 'Forget' }, ...ask(a, 11)])
    expect(machine.step(here(a, 11))).toEqual([])
    expect(machine.step(here(a, 12))).toContainEqual(use(12))
  })

  test('keeps the instance of a leaving node until it stops, and asks the next meanwhile', () => {
    const machine = found()
    const leaving = seen(member(a, 'Exiting'), member(b), member(c))
    expect(machine.step(leaving)).toEqual(ask(b, 10))
    const stops = machine.step({ type: 'InstanceStops', from: a, term: 11 })
    expect(stops).toEqual([{ type: 'Forget' }, ...ask(b, 11)])
    expect(machine.step(here(b, 21))).toEqual([use(21), { type: 'CancelTimer' }])
  })

  test('never goes back to an earlier life', () => {
    const machine = found()
    machine.step(seen(member(a, 'Exiting'), member(b), member(c)))
    machine.step(here(b, 21))
    expect(machine.step(here(a, 11))).toEqual([])
    expect(machine.step({ type: 'InstanceStops', from: a, term: 11 })).toEqual([])
  })

  test('forgets what lived on a removed node', () => {
    expect(found().step(seen(member(b), member(c)))).toEqual([{ type: 'Forget' }, ...ask(b, 11)])
  })

  test('finds the next instance also when its term is not above that of a node that was removed', () => {
    const machine = found()
    const next = nodeIdOf('a:1', 4n)
    const removed = machine.step(seen(member(next), member(c)))
    expect(removed).toEqual([{ type: 'Forget' }, ...ask(c, 11)])
    expect(machine.step(here(next, 11))).toContainEqual(use(11))
    expect(machine.step({ type: 'InstanceStops', from: next, term: 11 })).toContainEqual({
      type: 'Forget',
    })
    expect(machine.step(here(next, 11))).toEqual([])
    expect(machine.step(here(next, 12))).toContainEqual(use(12))
  })

  test('does not believe a node that is no member', () => {
    expect(searching().step(here(nodeIdOf('a:1', 99n), 50))).toEqual([])
  })

  test('closes when its own node is removed', () => {
    expect(found().step(seen(member(a), member(b)))).toEqual([{ type: 'Close' }])
  })

  test('a term that cannot be is not passed on, and is forgotten with the node that said it', () => {
    const machine = searching()
    machine.step({ type: 'InstanceStops', from: b, term: 2 ** 52 - 1 })
    expect(machine.step({ type: 'AskAgain' })).toEqual(ask(a, 0))
    expect(machine.step(here(a, 11))).toEqual([])
    machine.step(seen(member(a), member(c)))
    expect(machine.step(here(a, 11))).toContainEqual(use(11))
  })
})
