import { describe, expect, test } from 'vitest'
import { clusterForTest } from './harness/scene.ts'
import type { RemotingNode, RemotingNodeOptions } from './nodes/remoting-node.ts'

const remotingCluster = () => clusterForTest<RemotingNode, RemotingNodeOptions>('remoting')

describe('RM-002 a receiver that was restarted', () => {
  test('kill -9 and a new process on the same port: another incarnation, and messages flow', async () => {
    const cluster = remotingCluster()
    const [a, b] = await Promise.all([cluster.start('a', {}), cluster.start('b', {})])
    const address = await cluster.addressOf('b')
    await b.call('listen', 'ear')
    const oldRef = await a.call('refOf', address, '/user/ear')
    expect(await a.call('peerAt', address)).toBe(await b.call('node'))

    expect(await b.kill()).toMatchObject({ signal: 'SIGKILL' })
    await a.news.next('PeerDisconnected', { lane: 'data' })
    const again = await cluster.start('b', {})
    await again.call('listen', 'ear')
    await a.call('tell', address, '/user/ear', 'to whoever is there')
    expect(await again.call('heard', 'ear', 1)).toEqual(['to whoever is there'])
    const node = await again.call('node')
    expect(node).not.toBe(await a.news.next('PeerConnected').then((news) => news['node']))
    expect(await a.call('peerAt', address)).toBe(node)

    await a.call('tellRef', oldRef, 'to the dead')
    await a.news.next('DeadLetter', { reason: 'former-incarnation', message: 'to the dead' })
  })

  test('one that was given up learns it, is not spoken to, and does not stand in the way of the next', async () => {
    const cluster = remotingCluster()
    const [a, b] = await Promise.all([cluster.start('a', {}), cluster.start('b', {})])
    const address = await cluster.addressOf('b')
    await Promise.all([a.call('listen', 'ear'), b.call('listen', 'ear')])
    await a.call('tell', address, '/user/ear', 'hello')
    await b.call('heard', 'ear', 1)
    await b.call('tell', await cluster.addressOf('a'), '/user/ear', 'hello')
    await a.call('heard', 'ear', 1)

    await a.call('quarantine', await b.call('node'))
    await a.call('tell', address, '/user/ear', 'to the address')
    await a.news.next('DeadLetter', { reason: 'connection-rejected', message: 'to the address' })
    await a.call('tell', await b.call('node'), '/user/ear', 'to the node')
    await a.news.next('DeadLetter', { reason: 'quarantined', message: 'to the node' })
    await b.call('tell', await cluster.addressOf('a'), '/user/ear', 'still there?')
    await b.news.next('ThisNodeQuarantined', { by: await cluster.addressOf('a') })

    await b.kill()
    const again = await cluster.start('b', {})
    await again.call('listen', 'ear')
    await a.call('tell', address, '/user/ear', 'welcome')
    expect(await again.call('heard', 'ear', 1)).toEqual(['welcome'])
    await again.call('tell', await cluster.addressOf('a'), '/user/ear', 'thank you')
    expect(await a.call('heard', 'ear', 2)).toEqual(['hello', 'thank you'])
  })
})
