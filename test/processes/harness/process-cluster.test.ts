import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { RemotingNode, RemotingNodeOptions } from '../nodes/remoting-node.ts'
import { ProcessCluster } from './process-cluster.ts'
import { clusterForTest } from './scene.ts'

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('leaves no process and no folder behind, not even one that sleeps', async () => {
  const cluster = new ProcessCluster<RemotingNode, RemotingNodeOptions>('remoting')
  const [a, b] = await Promise.all([cluster.start('a', {}), cluster.start('b', {})])
  b.pause()
  const pending = b.call('node').catch((error: unknown) => String(error))
  await cluster.dispose()
  expect([a.pid, b.pid].map(isAlive)).toEqual([false, false])
  expect(existsSync(cluster.folder)).toBe(false)
  expect(await pending).toContain('b ended with SIGKILL during node')
})

test('says what failed where: a method that throws, a node that is gone, news that does not come', async () => {
  const cluster = clusterForTest<RemotingNode, RemotingNodeOptions>('remoting')
  const a = await cluster.start('a', {})
  await expect(a.call('heard', 'nobody', 1)).rejects.toThrow(
    'a.heard: Error: there is no listener nobody',
  )
  await expect(a.news.next('Never', {}, { withinMs: 10 })).rejects.toThrow(
    'a did not tell Never: waited 10 ms',
  )
  const never = a.news.next('Never')
  const [exit] = await Promise.all([
    a.terminate(),
    expect(never).rejects.toThrow('a did not tell Never: a ended with 0'),
  ])
  expect(exit).toMatchObject({ code: 0, signal: null })
  await expect(a.call('node')).rejects.toThrow('a had ended before node')
})
