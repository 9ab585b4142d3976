import { afterEach, expect, test } from 'vitest'
import { within } from '../processes/harness/patience.ts'
import { areUp, type ClusterNode, ClusterNodes, story, until } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

/** In which a restarted node must be in again, on a machine that does much else. */
const rejoinMs = 55_000
const timeout = 4 * rejoinMs
/** A killed node is noticed by its closed port; what is held up by a busy machine must not be taken for dead. */
const patient = { cluster: { heartbeatIntervalMs: 400, acceptableHeartbeatPauseMs: 8_000 } }

/** Killed and started again on the same address at once. */
async function restart(node: ClusterNode, roles: string[], seeds: string[]): Promise<ClusterNode> {
  await nodes.kill(node)
  return nodes.start({ port: node.port, roles, seeds, ...patient })
}

test(
  'CL-012 a node restarts on its address three times without waiting, and is in again each time',
  async () => {
    const stable = await nodes.cluster(3, patient)
    // One that is not there stands in the list.
    const seeds = ['127.0.0.1:1', stable[0]!.address, stable[1]!.address]
    let restarting = await nodes.start({ roles: ['round-0'], seeds, ...patient })
    await restarting.cluster.whenUp
    for (const round of ['round-1', 'round-2', 'round-3']) {
      const former = restarting.id
      const enter = async (): Promise<ClusterNode> => {
        const again = await restart(restarting, [round], seeds)
        const all = [...stable, again]
        await until(all, round, () => all.every((node) => areUp(node, all)))
        return again
      }
      restarting = await within(enter(), `the node of ${round} Up everywhere`, rejoinMs)
      expect(restarting.id).not.toBe(former)
      for (const { cluster } of stable) {
        expect(cluster.state.members.find(({ node }) => node === restarting.id)?.roles).toEqual([
          round,
        ])
      }
      expect(story(stable[2]!, former).at(-1)).toBe('MemberRemoved(Down)')
    }
  },
  timeout,
)

test(
  'CL-012 the first seed restarts and joins the cluster there is',
  async () => {
    const [first, second, third] = await nodes.cluster(3, patient)
    const again = await restart(first!, [], ['self', second!.address, third!.address])
    const all = [second!, third!, again]
    await until(all, 'one cluster', () => all.every((node) => areUp(node, all)))
    const own = again.cluster.state.members.find(({ node }) => node === again.id)
    expect(own?.upNumber).toBeGreaterThan(1)
  },
  timeout,
)
