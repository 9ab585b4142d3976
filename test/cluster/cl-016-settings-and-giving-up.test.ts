import { afterEach, describe, expect, test } from 'vitest'
import {
  defaultClusterSettings,
  IncompatibleSettings,
  JoinFailed,
} from '../../src/cluster/index.ts'
import { agreementOf } from '../../src/cluster/cluster-settings.ts'
import { type ClusterNode, ClusterNodes, quickSettings } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

async function failure(node: ClusterNode): Promise<Error> {
  const error = await node.cluster.whenUp.then(
    () => new Error('it is Up'),
    (reason: unknown) => reason as Error,
  )
  await node.system.whenTerminated
  return error
}

const others = {
  monitoredByMembers: 4,
  foundingStillMs: 20_000,
  downing: { ...defaultClusterSettings.downing, role: 'core', stableAfterMs: 3_000 },
}
const differences = [
  'downing.role is core here and (any) in the cluster',
  'downing.stableAfterMs is 3000 here and by-size in the cluster',
  'foundingStillMs is 20000 here and 10000 in the cluster',
  'monitoredByMembers is 4 here and 9 in the cluster',
]

describe('CL-016 settings that must be equal are compared when a node joins', () => {
  test('equal ones join', async () => {
    await nodes.cluster(2)
  })

  test('others are refused, with all of them named, and the node ends', async () => {
    const [seed] = await nodes.cluster(1)
    const node = await nodes.start({ seeds: [seed!.address], cluster: others })
    const error = await failure(node)
    expect(error).toBeInstanceOf(IncompatibleSettings)
    expect((error as IncompatibleSettings).problems).toEqual(differences)
    expect(node.system.shutdown.reason).toEqual({ type: 'incompatible-config' })
    expect(seed!.cluster.state.members).toHaveLength(1)
  })

  test('one that is missing is a difference too, and so is one that the cluster does not know', async () => {
    const [seed] = await nodes.cluster(1)
    const stranger = await nodes.stranger()
    const { heartbeatIntervalMs: _, ...agreement } = agreementOf(quickSettings)
    stranger.say(seed!, { type: 'InitJoin', agreement: { ...agreement, 'downing.quorum': '3' } })
    expect(await stranger.hears()).toMatchObject({
      type: 'InitJoinAck',
      problems: [],
      differences: [
        'downing.quorum is 3 here and not set in the cluster',
        'heartbeatIntervalMs is not set here and 100 in the cluster',
      ],
    })
  })

  test('where it need not agree it joins, and the log names the differences', async () => {
    const [seed] = await nodes.cluster(1)
    const cluster = { ...others, mustAgreeOnSettings: false }
    const node = await nodes.start({ seeds: [seed!.address], cluster })
    await node.cluster.whenUp
    const warnings = node.logs.lines.filter(({ level }) => level === 'warn')
    const warning = warnings.find(({ fields }) => fields['differences'] !== undefined)
    expect(warning?.fields['differences']).toEqual(differences)
    expect(warning?.message).toContain('joins a cluster of other settings')
  })

  test('nothing but those is shown to a seed: no secret, no other setting', async () => {
    const secret = 'a secret of more than sixteen characters'
    const stranger = await nodes.stranger({ secret })
    await nodes.start({ seeds: [stranger.address], secret })
    const shown = await stranger.hears()
    const { agreement } = shown as { agreement: Record<string, string> }
    expect(agreement).toEqual(agreementOf(quickSettings))
    expect(Object.keys(agreement).sort()).toEqual([
      'acceptableHeartbeatPauseMs',
      'downing.indirectlyConnectedShareMax',
      'downing.role',
      'downing.stableAfterMs',
      'downing.strategy',
      'foundingStillMs',
      'gossip',
      'heartbeatIntervalMs',
      'monitoredByMembers',
    ])
    expect(JSON.stringify(shown)).not.toContain(secret)
  })
})

describe('CL-016 a node that finds nobody gives up', () => {
  test('after the time that was set, with a reason for each seed', async () => {
    const [one, two] = [await nodes.start(), await nodes.start()]
    const seeds = [one.address, two.address]
    await nodes.kill(one)
    await nodes.kill(two)
    const joinDeadlineMs = 1_200
    const begunMs = performance.now()
    const node = await nodes.start({ seeds, cluster: { joinDeadlineMs } })
    const error = await failure(node)
    expect(performance.now() - begunMs).toBeGreaterThanOrEqual(joinDeadlineMs - 50)
    expect(error).toBeInstanceOf(JoinFailed)
    expect((error as JoinFailed).reasons).toEqual(
      seeds.map((seed) => expect.stringContaining(`${seed} refused the connection`) as string),
    )
    expect(node.system.shutdown.reason).toEqual({ type: 'join-failed' })
  })
})
