import { afterEach, describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { type Ping, ping as pingFor, SingletonNodes } from './singleton-nodes.ts'

/** In which every ping must be answered. */
const pingMs = 5_000
const ping = (proxy: ActorRef<Ping>): Promise<string> => pingFor(proxy, pingMs)

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
    await nodes.story.has('third: started', pingMs)
    expect(await ping(proxy)).toBe('third')
    const starts = nodes.story.lines.filter((line) => line.endsWith(': started'))
    expect(starts).toEqual(['first: started', 'second: started', 'third: started'])
  })

  test('after a crash: the new incarnation proves the old one dead', async () => {
    const first = await nodes.start('first')
    const second = await nodes.start('second', { seed: first })
    const proxies = [first, second].map((node) => nodes.startPonger(node))
    expect(await ping(proxies[1]!)).toBe('first')

    await nodes.kill(first)
    const third = await nodes.start('third', { seed: second, port: first.port })
    const proxy = nodes.startPonger(third)
    expect(await ping(proxy)).toBe('second')
    expect(await ping(proxies[1]!)).toBe('second')
  })

  test('as the only one with its role: whoever called the former instance finds the next', async () => {
    const gateway = await nodes.start('gateway')
    const role = 'bank'
    const proxy = gateway.singletons.proxy<Ping>('ponger', role)
    const bank = { seed: gateway, roles: [role] }
    const first = await nodes.start('first', bank)
    nodes.startPonger(first, role)
    expect(await ping(proxy)).toBe('first')

    await first.system.terminate()
    await nodes.story.has(`gateway: sees ${first.cluster.self} removed`)
    // Nobody else became a member meanwhile, so it is counted as the former one was.
    const second = await nodes.start('second', { ...bank, port: first.port })
    nodes.startPonger(second, role)
    expect(await ping(proxy)).toBe('second')
  })
})
