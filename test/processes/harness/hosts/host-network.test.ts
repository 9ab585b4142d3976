/**
 * Hosts in namespaces need root and `nft`, which some who run the tests do not have: then they are not asked for, as the scenarios of
 * `npm run chaos` that need them are not played. What can be tested without is tested beside this.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { compiledFile } from '../compiled.ts'
import { HostNetwork } from './host-network.ts'
import { missingForHosts } from './host-tools.ts'
import { leftovers, namespaces, removeLeftovers } from './leftovers.ts'

test('takes for left over what belongs to processes that are gone, and nothing of others', () => {
  const names = [
    'sherd-7-1-a',
    'sherd-8-1-store',
    'sherd-7-2-store',
    'sherd',
    'other-7-1-a',
    'blue',
  ]
  expect(leftovers(names, (pid) => pid === 8)).toEqual(['sherd-7-1-a', 'sherd-7-2-store'])
})

test('says all that is missing', () => {
  const nothing = { platform: 'linux', uid: 1000, finds: () => undefined } as const
  expect(missingForHosts(nothing)).toEqual([
    'It needs root, to make network namespaces.',
    'It needs ip, tc, nsenter, nft: install iproute2, util-linux, nftables.',
  ])
  expect(missingForHosts({ ...nothing, uid: 0, finds: (name) => name })).toEqual([])
  expect(missingForHosts({ ...nothing, platform: 'darwin' })).toEqual([
    'It needs Linux, for network namespaces.',
  ])
})

const ofNetwork = (owner: number): string[] =>
  namespaces().filter((name) => name.startsWith(`sherd-${owner}-`))

/** A process with a network of two hosts that waits for its end. */
async function ownerOfNetwork(): Promise<ChildProcess & { pid: number }> {
  const file = compiledFile(new URL('./host-network.ts', import.meta.url))
  const program = `import { HostNetwork } from '${file}'
    new HostNetwork(['a', 'b'])
    setInterval(() => undefined, 60_000)
    console.log('made')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child as typeof child & { pid: number }
}

/** What becomes of a connection to a port where nobody listens: refused, or nothing within a while. */
function dial(network: HostNetwork, from: string, to: string): string {
  const program = `import { connect } from 'node:net'
    connect(9, '${network.seatOf(to).host}').on('error', ({ code }) => end(code))
    setTimeout(() => end('nothing'), 500)
    const end = (what) => { console.log(what); process.exit() }`
  const [enter, ...args] = network.seatOf(from).enter
  const words = [...args, process.execPath, '--input-type=module', '-e', program]
  return spawnSync(enter, words, { encoding: 'utf8' }).stdout.trim()
}

const describeHosts = () =>
  describe('a network of hosts', () => {
    test.each(['SIGTERM', 'SIGINT'] as const)('is gone when %s ends its owner', async (signal) => {
      const owner = await ownerOfNetwork()
      expect(ofNetwork(owner.pid)).toHaveLength(3)
      owner.kill(signal)
      expect(await once(owner, 'exit')).toEqual([null, signal])
      expect(ofNetwork(owner.pid)).toEqual([])
    })

    test('is left over by kill -9, and removed by the next run', async () => {
      const owner = await ownerOfNetwork()
      expect(ofNetwork(owner.pid)).toHaveLength(3)
      owner.kill('SIGKILL')
      await once(owner, 'exit')
      removeLeftovers()
      expect(ofNetwork(owner.pid)).toEqual([])
    })

    test('carries packets between hosts, and loses them in the direction that is cut', () => {
      const network = new HostNetwork(['a', 'b'])
      onTestFinished(() => network.dispose())
      expect(dial(network, 'a', 'b')).toBe('ECONNREFUSED')
      network.cutOneWay(['b'], ['a'])
      expect(dial(network, 'a', 'b')).toBe('nothing')
      expect(dial(network, 'b', 'store')).toBe('ECONNREFUSED')
      expect(network.lost).toBeGreaterThan(0)
      network.heal()
      expect(dial(network, 'a', 'b')).toBe('ECONNREFUSED')
      const { host } = network.seatOf('b')
      network.newAddress('b')
      expect(network.seatOf('b').host).not.toBe(host)
      expect(dial(network, 'a', 'b')).toBe('ECONNREFUSED')
    })
  })

if (missingForHosts().length === 0) describeHosts()
