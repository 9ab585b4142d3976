import { afterEach, describe, expect, test } from 'vitest'
import { ping, type SingletonNode, SingletonNodes } from './singleton-nodes.ts'

describe('SG-003 leaving, one node after the other', () => {
  let nodes = new SingletonNodes()

  afterEach(async () => {
    await nodes.stop()
    nodes = new SingletonNodes()
  })

  const expectOrderly = async ({ label }: SingletonNode): Promise<void> => {
    const { story } = nodes
    await story.has(`${label}: proxy ended`)
    const lines = ['stop message', 'post-stop', 'removed', 'proxy ended']
    const expected = lines.map((line) => `${label}: ${line}`)
    expect(story.order(...expected)).toEqual(expected)
  }

  test('stop message, post-stop, removal, end of the proxy; the next oldest goes on', async () => {
    const { story } = nodes
    const first = await nodes.start('first')
    const second = await nodes.start('second', { seed: first })
    const third = await nodes.start('third', { seed: first })
    const proxies = [first, second, third].map((node) => nodes.startPonger(node))
    for (const proxy of proxies) expect(await ping(proxy)).toBe('first')

    first.cluster.leave()
    await expectOrderly(first)
    await story.has('second: started')
    for (const proxy of proxies.slice(1)) expect(await ping(proxy)).toBe('second')

    await second.system.terminate()
    await expectOrderly(second)
    await story.has('third: started')
    expect(await ping(proxies[2]!)).toBe('third')

    third.cluster.leave()
    await expectOrderly(third)
    await third.system.whenTerminated
    for (const { logs } of [first, second, third]) {
      expect([...logs.matching('', 'warn'), ...logs.matching('', 'error')]).toEqual([])
    }
    expect(story.order('first: post-stop', 'second: started')).toEqual([
      'first: post-stop',
      'second: started',
    ])
    expect(story.order('second: post-stop', 'third: started')).toEqual([
      'second: post-stop',
      'third: started',
    ])
  })

  test('at the default pace: stopped within 10 s of the wish, started elsewhere within 30 s', async () => {
    const first = await nodes.start('first', { clusterSettings: {} })
    const second = await nodes.start('second', { seed: first, clusterSettings: {} })
    const proxies = [first, second].map((node) => nodes.startPonger(node))
    expect(await ping(proxies[1]!)).toBe('first')
    const beganMs = performance.now()
    void first.system.terminate()
    await nodes.story.has('first: post-stop', 30_000)
    const stoppedMs = performance.now() - beganMs
    await nodes.story.has('second: started', 30_000)
    const startedMs = performance.now() - beganMs
    expect(await ping(proxies[1]!)).toBe('second')
    console.info(`SG-003: stopped after ${stoppedMs | 0} ms, started after ${startedMs | 0} ms`)
    expect(startedMs).toBeLessThan(30_000)
  })
})
