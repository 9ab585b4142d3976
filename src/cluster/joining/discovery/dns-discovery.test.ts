import { describe, expect, test } from 'vitest'
import { type NameServers, dnsDiscovery } from './dns-discovery.ts'
import { lookUp } from './discovery.ts'
import { problemsWithDiscovery } from './discovery-options.ts'

/** Name servers with these records. */
function servers(records: Partial<Record<keyof NameServers, unknown>>): NameServers {
  const asked = (kind: keyof NameServers) => async (name: string) => {
    expect(name).toBe('shop.svc')
    const answer = records[kind]
    if (answer instanceof Error) throw answer
    return answer
  }
  return {
    resolve4: asked('resolve4'),
    resolve6: asked('resolve6'),
    resolveSrv: asked('resolveSrv'),
  } as unknown as NameServers
}

const failure = (code: string) => Object.assign(new Error(`query ${code} shop.svc`), { code })
const shop = { dns: 'shop.svc', requiredNodes: 2 }
const question = { type: 'LookUp', number: 3 } as const

describe('nodes by the records of a name', () => {
  test('A: addresses on the port of this node, or on the one that was given; each once, in order', async () => {
    const known = servers({ resolve4: ['10.0.0.9', '10.0.0.10', '10.0.0.9'] })
    const found = await lookUp(dnsDiscovery(shop, 2552, known), question)
    const addresses = ['10.0.0.10:2552', '10.0.0.9:2552']
    expect(found).toEqual({ type: 'Discovered', number: 3, addresses })
    expect(await dnsDiscovery({ ...shop, port: 1 }, 2552, known).lookUp()).toContain('10.0.0.9:1')
  })

  test('AAAA: in brackets, as such addresses are written', async () => {
    const known = servers({ resolve6: ['fd00::1'] })
    const discovery = dnsDiscovery({ ...shop, records: 'AAAA' }, 2552, known)
    expect(await lookUp(discovery, question)).toMatchObject({ addresses: ['[fd00::1]:2552'] })
  })

  test('SRV: names with ports of their own, without the dot at the end', async () => {
    const record = { name: 'Shop-0.shop.svc.', port: 4000, priority: 1, weight: 1 }
    const known = servers({ resolveSrv: [record] })
    const discovery = dnsDiscovery({ ...shop, records: 'SRV' }, 2552, known)
    expect(await lookUp(discovery, question)).toMatchObject({ addresses: ['shop-0.shop.svc:4000'] })
  })

  test.each(['ENOTFOUND', 'ENODATA'])('a name without records names nobody: %s', async (code) => {
    const discovery = dnsDiscovery(shop, 2552, servers({ resolve4: failure(code) }))
    expect(await lookUp(discovery, question)).toMatchObject({ type: 'Discovered', addresses: [] })
  })

  test.each(['ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED'])(
    'an error is no answer: %s',
    async (code) => {
      const discovery = dnsDiscovery(shop, 2552, servers({ resolve4: failure(code) }))
      const problem = `query ${code} shop.svc`
      expect(await lookUp(discovery, question)).toEqual({
        type: 'NotDiscovered',
        number: 3,
        problem,
      })
    },
  )
})

describe('what a look-up gives is checked', () => {
  test.each([
    [undefined, 'it gave undefined, and not a list of host:port'],
    [['10.0.0.1'], "it gave '10.0.0.1', which is not a host:port"],
    [[7], 'it gave 7, which is not a host:port'],
    [Array.from({ length: 5_001 }, () => 'a:1'), 'it gave 5001 addresses'],
  ])('%s', async (given, problem) => {
    const discovery = { name: 'mine', requiredNodes: 1, lookUp: async () => given as string[] }
    expect(await lookUp(discovery, question)).toMatchObject({ type: 'NotDiscovered', problem })
  })

  test('one that throws has failed, and nothing more', async () => {
    const lookUpOfMine = (): Promise<string[]> => {
      throw new Error('no\nnetwork')
    }
    const discovery = { name: 'mine', requiredNodes: 1, lookUp: lookUpOfMine }
    const answer = await lookUp(discovery, question)
    expect(answer).toMatchObject({ type: 'NotDiscovered', problem: String.raw`no\nnetwork` })
  })
})

describe('how a discovery is described', () => {
  test.each([
    { dns: 'shop.default.svc.cluster.local', requiredNodes: 2 },
    { dns: '_sherd._tcp.shop.default.svc.cluster.local', records: 'SRV', requiredNodes: 2 },
    { lookUp: async () => [], requiredNodes: 1 },
  ])('%o can be used', (given) => {
    expect(problemsWithDiscovery('discovery', given, 2552)).toEqual([])
  })

  test('the port is needed where neither records nor the node have one', () => {
    const given = { dns: 'shop', requiredNodes: 2 }
    expect(problemsWithDiscovery('discovery', given, 0)).toEqual([
      'discovery.port is needed: all nodes found by A or AAAA records listen on the same one',
    ])
    expect(problemsWithDiscovery('discovery', { ...given, records: 'SRV' }, 0)).toEqual([])
  })

  test('all that is wrong is told at once', () => {
    const given = { dns: 'a b', records: 'MX', port: 0, requiredNodes: 0, intervall: 1 }
    expect(problemsWithDiscovery('discovery', given, 2552)).toEqual([
      expect.stringContaining('discovery.dns must be the full name of a service in DNS'),
      "discovery.records must be 'A', 'AAAA' or 'SRV', not 'MX'",
      'discovery.port must be a whole number from 1 to 65535, not 0',
      expect.stringContaining('discovery.requiredNodes must be a whole number of at least 1'),
      expect.stringContaining('intervall'),
    ])
    expect(problemsWithDiscovery('discovery', 'shop', 2552)[0]).toContain('must be an object')
    const [missing] = problemsWithDiscovery('discovery', { dns: 'shop' }, 2552)
    expect(missing).toContain(
      'more than half of the nodes that are started together, not undefined',
    )
  })
})
