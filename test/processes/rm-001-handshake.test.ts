import { describe, expect, test } from 'vitest'
import { clusterForTest } from './harness/scene.ts'
import type { RemotingNode, RemotingNodeOptions } from './nodes/remoting-node.ts'

const remotingCluster = () => clusterForTest<RemotingNode, RemotingNodeOptions>('remoting')

describe('RM-001 handshake between processes', () => {
  test('an address that is not the one a node is known by: refused, and a dead letter', async () => {
    const cluster = remotingCluster()
    const [a, b] = await Promise.all([cluster.start('a', {}), cluster.start('b', {})])
    await b.call('listen', 'ear')
    const alias = (await cluster.addressOf('b')).replace('127.0.0.1', 'localhost')
    await a.call('tell', alias, '/user/ear', 'for an alias')
    await a.news.next('HandshakeFailed', { code: 'WRONG_ADDRESS' })
    await a.news.next('DeadLetter', { reason: 'connection-rejected', message: 'for an alias' })
    await b.news.next('HandshakeFailed', { code: 'WRONG_ADDRESS' })
    await a.call('tell', await cluster.addressOf('b'), '/user/ear', 'for you')
    expect(await b.call('heard', 'ear', 1)).toEqual(['for you'])
  })

  test('absent for longer than messages wait: they are dead letters, later ones arrive', async () => {
    const cluster = remotingCluster()
    const a = await cluster.start('a', { settings: { giveUpAfterMs: 200 } })
    const address = await cluster.addressOf('b')
    await a.call('tell', address, '/user/ear', 'too early')
    await a.news.next('DeadLetter', { reason: 'unreachable', message: 'too early' })
    const b = await cluster.start('b', {})
    await b.call('listen', 'ear')
    await a.call('tell', address, '/user/ear', 'in time')
    expect(await b.call('heard', 'ear', 1)).toEqual(['in time'])
  })

  test('absent for less than that: the very first message arrives', async () => {
    const cluster = remotingCluster()
    const a = await cluster.start('a', { settings: { giveUpAfterMs: 30_000 } })
    await a.call('tell', await cluster.addressOf('b'), '/user/post', {
      route: [await cluster.addressOf('a')],
      listener: 'ear',
      number: 1,
    })
    await a.call('listen', 'ear')
    await cluster.start('b', {})
    expect(await a.call('heard', 'ear', 1)).toEqual([1])
  })
})
