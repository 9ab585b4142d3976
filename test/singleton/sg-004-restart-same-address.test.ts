import { afterEach, describe, expect, test } from 'vitest'
import { ping, SingletonNodes } from './singleton-nodes.ts'

describe('SG-004 a node restarts on the same host and port', () => {
  let nodes = new SingletonNodes()

  afterEach(async () => {
    await nodes.stop()
    nodes = new SingletonNodes()
  })

  test('after a shutdown: one instance, first on the other node, then on the one that came back', async () => {
    const first = await nodes.start('first')
    const second = await nodes.start('second', { seed: first })
    const proxies = [first, second].map((node) => nodes.startPonger(node))
    expect(await ping(proxies[1]!)).toBe('first')

    await first.system.terminate()
    const third = await nodes.start('third', { seed: second, port: first.port })
    const proxy = nodes.startPonger(third)
    expect(await ping(proxy)).toBe('second')
    expect(await ping(proxies[1]!)).toBe('second')

    second.cluster.leave()
    await nodes.story.has('third: started')
    expect(await ping(proxy)).toBe('third')
    const starts = nodes.story.lines.filter((line) => line.endsWith(': started'))
    expect(starts).toEqual(['first: started', 'second: started', 'third: started'])
  })

  test('after a crash: the new incarnation proves the old one dead', async () => {
    const first = await nodes.start('first')
    const second = await nodes.start('second', { seed: first })
    const proxies = [first, second].map((node) => nodes.startPonger(node))
    expect(await ping(proxies[1]!)).toBe('first')

    await first.remoting.stop()
    const third = await nodes.start('third', { seed: second, port: first.port })
    const proxy = nodes.startPonger(third)
    expect(await ping(proxy)).toBe('second')
    expect(await ping(proxies[1]!)).toBe('second')
  })
})
