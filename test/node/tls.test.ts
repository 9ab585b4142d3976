import { describe, expect, test } from 'vitest'
import { JoinFailed } from '../../src/cluster/index.ts'
import type { NodeOptions, SherdNode } from '../../src/node/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { tcpTransport } from '../../src/remote/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Authority } from '../remote/certificates.ts'
import { Counter, nodeFor, refusalOf, whenAll } from './nodes.ts'

const authority = new Authority()
const tls = authority.credentials({ dnsNames: ['a.shop'] })
const anywhere = { host: '0.0.0.0', advertised: { host: '127.0.0.1' } }

describe('a cluster on TLS', () => {
  test('takes calls on every node, where other machines can reach it', async () => {
    const logs = new CapturedLogs()
    const common: NodeOptions = {
      ...{ name: 'shop', entities: [Counter], store: new MemoryJournal(), ...anywhere },
      environment: { logger: logs },
    }
    const a = await nodeFor({ ...common, tls })
    const join = (): Promise<SherdNode> =>
      nodeFor({ ...common, tls: authority.credentials({ dnsNames: ['shop'] }), seeds: [a.address] })
    const [b, c] = [await join(), await join()]
    await whenAll([a, b, c], ({ cluster }) => cluster.state.members.length === 3)
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`)
    for (const node of [a, b, c]) {
      await Promise.all(ids.map((id) => node.entity(Counter, id, { timeout: '30s' }).increment(1)))
    }
    const counts = await Promise.all(ids.map((id) => a.entity(Counter, id).get()))
    expect(new Set(counts)).toEqual(new Set([3]))
    expect(logs.matching(/insecure|whoever reaches/)).toEqual([])
  })

  test.each<[string, NodeOptions, RegExp]>([
    [
      "a stranger's certificate",
      { tls: new Authority().credentials({ dnsNames: ['shop'] }) },
      /no CA in `tls\.ca` of this node has signed/,
    ],
    ['no TLS', {}, /speaks TLS and this node does not\. Give this node the option `tls`/],
    [
      'a certificate of another cluster',
      { tls: { ...authority.credentials({ dnsNames: ['b.depot'] }), name: 'depot' } },
      /shows a certificate of another cluster/,
    ],
  ])('is not joined with %s, and who tries hears why at once', async (_what, options, why) => {
    const a = await nodeFor({ name: 'shop', tls })
    // Nothing but another certificate could help, so that the time for joining is not waited for.
    const settings = { cluster: { joinDeadlineMs: 600_000 } }
    const error = await refusalOf({ name: 'shop', seeds: [a.address], settings, ...options })
    expect(error).toBeInstanceOf(JoinFailed)
    expect(error.message).toMatch(why)
  })
})

describe('the options of a node', () => {
  test('T01 a bind that others can reach needs TLS, a secret, or somebody to take the blame', async () => {
    const refusal = await refusalOf({ ...anywhere })
    expect(refusal).toMatchObject({ code: 'INSECURE_BIND' })
    expect(refusal.message).toMatch(/`secret`.* or `tls` with a certificate of the cluster/)
    const logs = new CapturedLogs()
    await nodeFor({ ...anywhere, insecure: true, environment: { logger: logs } })
    await logs.expect(/listens on 0\.0\.0\.0 without secret or TLS .* whoever reaches/, {
      level: 'warn',
    })
  })

  test('T01 a node whose own certificate has run out does not start', async () => {
    const expired = authority.credentials({ fromSeconds: -100, toSeconds: -10 })
    expect(await refusalOf({ tls: expired })).toMatchObject({ code: 'OWN_CERTIFICATE_EXPIRED' })
  })

  test('a node whose certificate others would refuse does not start', async () => {
    expect(await refusalOf({ name: 'depot', tls })).toMatchObject({
      code: 'TLS_UNUSABLE',
      problems: [expect.stringContaining('tls.cert has a.shop, and not depot or *.depot')],
    })
  })

  test('TLS is for the network of Sherd alone', async () => {
    const { message } = await refusalOf({ name: 'shop', tls, transport: tcpTransport })
    expect(message).toContain('a transport of your own encrypts by itself')
  })

  test('T27 every problem is told at once, and nothing of a key or a secret', async () => {
    const canary = 'canary'
    const { message } = await refusalOf({
      tls: { ca: [], cert: '', key: { canary }, colour: canary } as never,
      secret: [canary],
    })
    for (const problem of ['tls.ca must', 'tls.cert must', 'tls.key must', 'secret must have at']) {
      expect(message).toContain(problem)
    }
    expect(message).toContain('tls.colour is not an option')
    expect(message).not.toContain(canary)
  })
})
