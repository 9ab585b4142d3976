import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import { describedDataCenter } from '../gossip/data-center.ts'
import { type Gossip, emptyGossip, putMember, withObservation } from '../gossip/gossip.ts'
import { asUp, joiningMember, withStatus } from '../gossip/member.ts'
import type { FarHeartbeatEffect, FarHeartbeatInput } from './far-heartbeat-inputs.ts'
import { FarHeartbeatMachine } from './far-heartbeat-machine.ts'

const id = (name: string): NodeId => nodeIdOf(`${name}:1`, 1n)

/** Two data centers, each oldest first. */
function view(ours: string, theirs: string, exiting = ''): Gossip {
  let gossip = emptyGossip
  let age = 0
  for (const [names, center] of [
    [ours, 'one'],
    [theirs, 'two'],
  ] as const) {
    for (const name of names) {
      const up = asUp(joiningMember(id(name), describedDataCenter(center)), ++age)
      const member = exiting.includes(name) ? withStatus(withStatus(up, 'Leaving'), 'Exiting') : up
      gossip = putMember(gossip, member)
    }
  }
  return gossip
}

class OneMachine {
  readonly machine: FarHeartbeatMachine
  now = 0

  constructor(self: string) {
    const settings = { ...defaultClusterSettings, crossDataCenterConnections: 2 }
    this.machine = new FarHeartbeatMachine(id(self), settings)
  }

  step(input: FarHeartbeatInput): string[] {
    return this.machine.step(input, this.now).map(inWords)
  }

  sees(gossip: Gossip): string[] {
    return this.step({ type: 'ViewChanged', gossip })
  }

  tickAt(now: number): string[] {
    this.now = now
    return this.step({ type: 'Tick' })
  }

  answer(name: string): string[] {
    return this.step({ type: 'HeartbeatResponse', from: id(name), sequence: 1 })
  }

  get watched(): string {
    return this.machine
      .snapshot()
      .watched.map((node) => node[0])
      .join('')
  }
}

function inWords(effect: FarHeartbeatEffect): string {
  return effect.type === 'Send' ? `ask ${effect.to[0]}` : `${effect.type} ${effect.node[0]}`
}

describe('CL-019 heartbeats between data centers', () => {
  test('the oldest few ask the oldest few of the other; a younger one asks nobody', () => {
    const oldest = new OneMachine('a')
    expect(oldest.sees(view('abc', 'xyz'))).toEqual(['ask x', 'ask y'])
    expect(oldest.tickAt(0)).toEqual(['ask x', 'ask y'])
    expect(oldest.tickAt(2_000)).toEqual([])
    expect(oldest.tickAt(3_000)).toEqual(['ask x', 'ask y'])
    const young = new OneMachine('c')
    expect(young.sees(view('abc', 'xyz'))).toEqual([])
    expect(young.tickAt(3_000)).toEqual([])
  })

  test('with one data center nobody asks', () => {
    const machine = new OneMachine('a')
    expect(machine.sees(view('abc', ''))).toEqual([])
    expect(machine.tickAt(10_000)).toEqual([])
  })

  test('who is silent for interval and pause is suspected until it answers', () => {
    const machine = new OneMachine('a')
    machine.sees(view('ab', 'xy'))
    machine.now = 10_000
    machine.answer('x')
    expect(machine.tickAt(12_999)).toEqual(['ask x', 'ask y'])
    expect(machine.tickAt(13_000)).toEqual(['Suspect y'])
    expect(machine.tickAt(16_000)).toEqual(['ask x', 'ask y'])
    expect(machine.answer('y')).toEqual(['Trust y'])
    expect(machine.answer('y')).toEqual([])
  })

  test('the time of a sleep of this node is forgiven, and a refused connection is not waited for', () => {
    const machine = new OneMachine('a')
    machine.sees(view('ab', 'xy'))
    machine.now = 60_000
    machine.step({ type: 'Overslept', ms: 60_000 })
    expect(machine.tickAt(60_000)).toEqual(['ask x', 'ask y'])
    expect(machine.step({ type: 'ConnectionRefused', node: id('x') })).toEqual(['Suspect x'])
    expect(machine.step({ type: 'ConnectionRefused', node: id('b') })).toEqual([])
  })

  test('when one of them leaves the next oldest takes its place, on both sides', () => {
    const machine = new OneMachine('a')
    machine.sees(view('abc', 'xyz'))
    expect(machine.sees(view('abc', 'xyz', 'x'))).toEqual(['ask z'])
    expect(machine.watched).toBe('yz')
    const third = new OneMachine('c')
    third.sees(view('abc', 'xyz'))
    expect(third.sees(view('abc', 'xyz', 'b'))).toEqual(['ask x', 'ask y'])
    // And the one whose turn it is no longer is silent again, and takes back what it said.
    third.tickAt(20_000)
    expect(third.sees(view('abc', 'xyz'))).toEqual(['Trust x', 'Trust y'])
    expect(third.watched).toBe('')
  })

  test('who takes over says of those that others could not reach the same, until they answer', () => {
    const machine = new OneMachine('b')
    const cut = withObservation(view('ab', 'xy'), id('a'), id('x'), 'Unreachable')
    expect(machine.sees(cut)).toEqual(['ask x', 'Suspect x', 'ask y'])
    expect(machine.answer('x')).toEqual(['Trust x'])
  })
})
