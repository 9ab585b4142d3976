import { afterEach, describe, expect, test } from 'vitest'
import { IncompatibleSettings, JoinFailed } from '../../src/cluster/index.ts'
import { type ClusterNode, ClusterNodes } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

const secret = 'a secret of more than sixteen characters'

/** The error of a node that does not get in, once its system has ended. */
async function failure(node: ClusterNode): Promise<Error> {
  const error = await node.cluster.whenUp.then(
    () => new Error('it is Up'),
    (reason: unknown) => reason as Error,
  )
  await node.system.whenTerminated
  return error
}

describe('a node that does not get in says why, and ends', () => {
  test('when no seed answers in time', async () => {
    const gone = await nodes.start()
    await nodes.kill(gone)
    const cluster = { joinDeadlineMs: 1_200 }
    const node = await nodes.start({ seeds: [gone.address], cluster })
    const error = await failure(node)
    expect(error).toBeInstanceOf(JoinFailed)
    expect(error).toMatchObject({ code: 'JOIN_FAILED', seeds: [gone.address] })
    expect(error.message).toContain(`${gone.address} refused the connection`)
    expect(error.message).toMatch(
      new RegExp(
        `start it again\\. When .* only the first seed founds one: start ${gone.address}\\.$`,
      ),
    )
    expect(node.system.shutdown.reason).toEqual({ type: 'join-failed' })
  })

  test('when the seeds are no cluster themselves', async () => {
    const idle = await nodes.start()
    const cluster = { joinDeadlineMs: 1_200 }
    const error = await failure(await nodes.start({ seeds: [idle.address], cluster }))
    expect(error.message).toContain(`${idle.address} is not in a cluster itself`)
  })

  test.each([
    ['the secret is another', { secret: `${secret}!` }, 'has a different secret'],
    ['it has no secret', {}, 'demands a secret'],
    ['the name of the cluster is another', { secret, clusterName: 'other' }, 'a different cluster'],
  ])('at once when %s', async (_, options, text) => {
    const seed = await nodes.start({ secret, seeds: ['self'] })
    await seed.cluster.whenUp
    const node = await nodes.start({ ...options, seeds: [seed.address] })
    const error = await failure(node)
    expect(error).toBeInstanceOf(JoinFailed)
    expect(error.message).toContain(text)
    expect(error.message).not.toContain('founds')
    expect(seed.cluster.state.members).toHaveLength(1)
  })

  test('but not while one seed may still let it in', async () => {
    const wrong = await nodes.start({ secret: `${secret}!`, seeds: ['self'] })
    const late = await nodes.start({ secret })
    const node = await nodes.start({ secret, seeds: [wrong.address, late.address] })
    await node.logs.expect(/a different secret/)
    late.cluster.join(late.address)
    await node.cluster.whenUp
    expect(node.cluster.state.members).toHaveLength(2)
  })

  test('when its settings differ from those of the cluster', async () => {
    const seed = await nodes.start({ seeds: ['self'] })
    const cluster = { acceptableHeartbeatPauseMs: 2_500 }
    const node = await nodes.start({ seeds: [seed.address], cluster })
    const error = await failure(node)
    expect(error).toBeInstanceOf(IncompatibleSettings)
    expect(error).toMatchObject({
      problems: ['acceptableHeartbeatPauseMs is 2500 here and 2000 in the cluster'],
    })
    expect(node.system.shutdown.reason).toEqual({ type: 'incompatible-config' })
  })
})
