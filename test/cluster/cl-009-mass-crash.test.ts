import { afterEach, expect, test } from 'vitest'
import { defaultDowningSettings } from '../../src/cluster/index.ts'
import { areUp, ClusterNodes, until } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

// Left to itself the survivor goes down rather than decide alone: `scenarios.test.ts`. Here an operator decides.
test('CL-009 five of six crash, each is found though each monitors two, and can be cleaned up', async () => {
  const downing = {
    ...defaultDowningSettings,
    stableAfterMs: 60_000,
    downAllWhenUnstableMs: Infinity,
    indirectlyConnectedShareMax: 1,
  }
  // A busy machine holds all six up for a while: to the survivor that must be no sleep, after which nobody is left to ask.
  const cluster = { monitoredByMembers: 2, heartbeatIntervalMs: 1_000, downing }
  const [survivor, ...others] = await nodes.cluster(6, { cluster })
  const { state } = survivor!.cluster
  expect(state.members).toHaveLength(6)
  survivor!.cluster.subscribe((event) => {
    if (event.type === 'UnreachableMember') survivor!.cluster.down(event.member.node)
  })
  await Promise.all(others.map((node) => nodes.kill(node)))
  // Silence may have frozen it before the last of them was given up: then it thaws by its next tick.
  const goesOn = () => areUp(survivor!, [survivor!]) && !survivor!.cluster.isFrozen
  await until([survivor!], 'alone, Up and not frozen', goesOn)
})
