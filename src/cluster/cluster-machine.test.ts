import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../foundation/node-id.ts'
import type { ClusterInput } from './cluster-inputs.ts'
import { ClusterMachine } from './cluster-machine.ts'
import type { ClusterMessage } from './cluster-messages.ts'
import { agreementOf, defaultClusterSettings } from './cluster-settings.ts'
import { keepMajority } from './downing/keep-majority.ts'
import { type Gossip, memberOf } from './gossip/gossip.ts'

const a = nodeIdOf('a:1', 1n)
const b = nodeIdOf('b:1', 2n)
const settings = defaultClusterSettings
const random = { float: () => 0, below: () => 0, uid: () => 1n }

/** Only what the shell gives and performs: what the parts decide is tested beside them. */
function nodeA() {
  const machine = new ClusterMachine({
    ...{ self: a, roles: [], attributes: [], appVersion: '1.2.3', settings, random },
    strategy: keepMajority({ role: undefined }),
  })
  let now = 0
  const give = (input: ClusterInput) => machine.step(input, (now += 10))
  const hear = (message: ClusterMessage, waitedMs = 0) =>
    machine.step({ type: 'Received', message, receivedAtMs: (now += 10) - waitedMs }, now)
  give({ type: 'JoinNode', address: 'a:1' })
  return { machine, give, hear }
}

/** A node that has let b in, and knows that b has seen it. */
function withB() {
  const { machine, give, hear } = nodeA()
  hear({ type: 'InitJoin', from: b, agreement: agreementOf(settings) })
  hear({ type: 'Join', from: b, roles: [], attributes: [], appVersion: '1.2.3' })
  const seen = (gossip: Gossip): ClusterMessage => ({
    ...{ type: 'GossipEnvelope', from: b, to: a },
    gossip: { ...gossip, seen: [a, b] },
  })
  hear(seen(machine.gossip))
  hear(seen(machine.gossip))
  expect(machine.gossip.members.map(({ status }) => status)).toEqual(['Up', 'Up'])
  return { machine, give, hear, seen }
}

const isReachable = (machine: ClusterMachine, node: NodeId): boolean =>
  machine.gossip.reachability.every(({ rows }) => rows.every(({ subject }) => subject !== node))

describe('ClusterMachine', () => {
  test('refuses gossip that waited too long or counts too far, and says why', () => {
    const { machine, hear, seen } = withB()
    const { gossip } = machine
    const message = seen(gossip)
    expect(hear(message, 2_001)).toEqual([
      { type: 'Refuse', message, problem: 'it waited too long' },
    ])
    const summary = [0, 0, [], new Uint8Array()] as const
    const status = { type: 'GossipStatus', from: b, to: a, summary, isLost: false } as const
    expect(hear(status, 2_001)).toMatchObject([{ type: 'Refuse', message: status }])
    const far = seen({ ...gossip, lastUpNumber: 2 ** 31 - 2 })
    expect(hear(far)).toMatchObject([{ type: 'Refuse', message: far }])
    expect(machine.gossip).toBe(gossip)
    // Others may wait for as long as they like.
    expect(hear({ type: 'Heartbeat', from: b, sequence: 1 }, 60_000)).toMatchObject([
      { type: 'Send', to: b, message: { type: 'HeartbeatResponse' } },
    ])
  })

  test('holds a member for gone when another incarnation lives at its address, by fresh news only', () => {
    const { machine, give } = withB()
    const next = nodeIdOf('b:1', 3n)
    give({ type: 'Connected', node: b, latest: b })
    give({ type: 'Connected', node: next, latest: nodeIdOf('b:1', 4n) })
    give({ type: 'Connected', node: next, latest: undefined })
    expect(isReachable(machine, b)).toBe(true)
    give({ type: 'Connected', node: next, latest: next })
    expect(isReachable(machine, b)).toBe(false)
  })

  test('holds a member for gone when its address refuses connections, not when they fail otherwise', () => {
    const { machine, give } = withB()
    const failed = { type: 'NotConnected', address: 'b:1', text: 'x' } as const
    give({ ...failed, isRefused: false })
    expect(isReachable(machine, b)).toBe(true)
    give({ ...failed, isRefused: true })
    expect(isReachable(machine, b)).toBe(false)
  })

  test('keeps one in quarantine that was downed, before anybody hears of its removal', () => {
    const { machine, give } = withB()
    give({ type: 'Down', nodes: [b] })
    const text = 'refused the connection'
    const effects = give({ type: 'NotConnected', address: 'b:1', isRefused: true, text })
    expect(memberOf(machine.gossip, b)).toBeUndefined()
    const told = effects.filter(({ type }) => type === 'ForgetPeer' || type === 'Publish')
    expect(told.slice(-2)).toMatchObject([
      { type: 'ForgetPeer', node: b, isQuarantined: true },
      { type: 'Publish', event: { type: 'MemberRemoved', previousStatus: 'Down' } },
    ])
  })

  test('only forgets one that has left', () => {
    const { give, hear, seen, machine } = withB()
    give({ type: 'Leave', node: b })
    hear(seen(machine.gossip))
    const effects = hear({ type: 'ExitingConfirmed', from: b })
    expect(effects).toContainEqual({ type: 'ForgetPeer', node: b, isQuarantined: false })
  })
})
