import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, DeadLetter } from '../../src/actor/index.ts'
import { ConnectionFailed, HandshakeFailed } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { Authority } from './certificates.ts'
import { nextEvent, type TestNode, TestNodes, type TestNodeOptions } from './nodes.ts'
import { expectNoSecrets, secret, warnings } from './security-log.ts'

const authority = new Authority()
const stranger = new Authority('another authority')
const good = authority.credentials()

let nodes = new TestNodes('tcp')

afterEach(async () => {
  await nodes.stop()
  nodes = new TestNodes('tcp')
})

const refTo = (from: TestNode, port: number): ActorRef<string> =>
  from.remoting.refAt(`127.0.0.1:${port}`, '/user/probe')

describe('nodes with certificates of one cluster', () => {
  test.each<[string, TestNodeOptions]>([
    ['alone', {}],
    ['and a secret', { secret }],
  ])('%s speak with each other', async (_what, more) => {
    const a = await nodes.start({ tls: authority.credentials({ dnsNames: ['a.test'] }), ...more })
    const b = await nodes.start({ tls: authority.credentials({ dnsNames: ['test'] }), ...more })
    const probe = createTestProbe<string>(b.system, 'probe')
    refTo(a, b.port).tell('hello')
    await probe.expect('hello')
    expectNoSecrets(a, b)
  })

  test('speak when one was signed by an authority between', async () => {
    const between = new Authority('between', authority)
    const leaf = between.issue()
    const chained = { ca: authority.cert, cert: leaf.cert + between.cert, key: leaf.key }
    const [a, b] = [await nodes.start({ tls: chained }), await nodes.start({ tls: good })]
    const probe = createTestProbe<string>(b.system, 'probe')
    refTo(a, b.port).tell('hello')
    await probe.expect('hello')
  })

  test('T03 do not speak when their secrets differ', async () => {
    const a = await nodes.start({ tls: good, secret })
    const b = await nodes.start({ tls: good, secret: `${secret}!` })
    const probe = createTestProbe<string>(b.system, 'probe')
    const told = [nextEvent(a.system, HandshakeFailed), nextEvent(b.system, HandshakeFailed)]
    refTo(a, b.port).tell('hello')
    const codes = (await Promise.all(told)).map(({ error }) => error.code)
    expect(codes).toEqual(['WRONG_SECRET', 'WRONG_SECRET'])
    for (const { logs } of [a, b]) {
      await logs.expect(/has a different secret than this node\. Give every node/, {
        level: 'warn',
      })
    }
    expectNoSecrets(a, b)
    await probe.expectNo({ for: 20 })
  })
})

describe('T01 nodes that do not belong together', () => {
  test.each<[string, TestNodeOptions, TestNodeOptions, string, RegExp, RegExp]>([
    [
      'an authority that the other does not know',
      { tls: stranger.credentials() },
      { tls: good },
      'CERTIFICATE_UNTRUSTED',
      /shows a certificate that no CA in `tls\.ca` of this node has signed \([A-Z_]+\).*add its CA here/,
      /no CA in `tls\.ca` of this node has signed|does not trust the certificate of this node/,
    ],
    [
      'an authority that only one of them knows',
      { tls: { ...stranger.issue(), ca: [stranger.cert, authority.cert] } },
      { tls: good },
      'CERTIFICATE_UNTRUSTED',
      /does not trust the certificate of this node\. It must be signed by a CA that is in `tls\.ca` there/,
      /no CA in `tls\.ca` of this node has signed/,
    ],
    [
      'a certificate of another cluster',
      { tls: { ...authority.credentials({ dnsNames: ['a.warehouse'] }), name: ['warehouse'] } },
      { tls: good },
      'WRONG_CERTIFICATE_NAME',
      /shows a certificate of another cluster or program: it has node\.test, and not warehouse or \*\.warehouse/,
      /it has a\.warehouse, and not test or \*\.test|misses the name of the cluster/,
    ],
    [
      'a certificate that is not for the host of its node',
      {
        tls: {
          ...authority.credentials({ ipAddresses: ['127.0.0.2'] }),
          ...{ verifyHost: true, name: 'test' },
        },
      },
      { tls: { ...authority.credentials({ ipAddresses: ['127.0.0.1'] }), verifyHost: true } },
      'CERTIFICATE_REFUSED',
      /does not accept the certificate of this node/,
      /does not accept: it is for node\.test, 127\.0\.0\.2 only/,
    ],
    [
      'a certificate on a list of the other',
      { tls: good },
      { tls: { ...good, verify: ({ fingerprint256 }) => fingerprint256 === 'another' } },
      'CERTIFICATE_REFUSED',
      /does not accept the certificate of this node, by the rules of `tls` there/,
      /`tls\.verify` does not accept it/,
    ],
    [
      'no TLS at the one that calls',
      {},
      { tls: good },
      'TLS_MISSING',
      /speaks TLS and this node does not\. Give this node the option `tls`/,
      /does not speak TLS and this node demands it/,
    ],
    [
      'no TLS at the one that is called',
      { tls: good },
      {},
      'TLS_MISSING',
      /does not speak TLS and this node demands it.*give it the option `tls`/,
      /speaks TLS and this node does not/,
    ],
  ])(
    '%s: both ends say so once, with what to do',
    async (_what, ours, theirs, code, here, there) => {
      const [a, b] = [await nodes.start(ours), await nodes.start(theirs)]
      const probe = createTestProbe<string>(b.system, 'probe')
      const broken: unknown[] = []
      a.system.eventStream.subscribe(ConnectionFailed, (event) => broken.push(event))
      const told = [nextEvent(a.system, HandshakeFailed), nextEvent(b.system, HandshakeFailed)]
      const lost = nextEvent(a.system, DeadLetter)
      refTo(a, b.port).tell('hello')
      expect((await Promise.all(told)).map(({ error }) => error.code)).toEqual([code, code])
      expect(await lost).toMatchObject({ message: 'hello', reason: 'connection-rejected' })
      // Again and again: neither a line more nor a message.
      for (let attempt = 0; attempt < 3; attempt++) {
        const again = nextEvent(a.system, HandshakeFailed)
        refTo(a, b.port).tell('hello')
        await again
      }
      await a.logs.expect(here, { level: 'warn' })
      await b.logs.expect(there, { level: 'warn' })
      expect([warnings(a), warnings(b)]).toEqual([[code], [code]])
      expect(broken).toEqual([])
      expectNoSecrets(a, b)
      await probe.expectNo({ for: 20 })
    },
  )
})
