import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, DeadLetter } from '../../src/actor/index.ts'
import { decodeHandshake } from '../../src/remote/handshake/handshake-messages.ts'
import { ConnectionFailed, type HandshakeError, HandshakeFailed } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { Authority, type Credentials } from './certificates.ts'
import { nextEvent, type TestNode, TestNodes, type TestNodeOptions, untilTurn } from './nodes.ts'
import { answer, answerInTheClear, call, callInTheClear, helloTo } from './tls-strangers.ts'

const secret = 'correct horse battery staple'
const authority = new Authority()
const stranger = new Authority('another authority')
const good = authority.credentials()

let nodes = new TestNodes('tcp')
const open: { close(): void }[] = []

afterEach(async () => {
  await nodes.stop()
  for (const server of open.splice(0)) server.close()
  nodes = new TestNodes('tcp')
})

const refTo = (from: TestNode, port: number): ActorRef<string> =>
  from.remoting.refAt(`127.0.0.1:${port}`, '/user/probe')

/** The reasons it was told of, as the log has them. */
function warnings(node: TestNode): string[] {
  return node.logs.lines
    .filter(({ level }) => level === 'warn')
    .map(({ fields }) => (fields['err'] as HandshakeError | undefined)?.code ?? 'another line')
}

/** Nothing that must not be known stands in the log: neither a key nor a secret, nor what was shown. */
function expectNoSecrets(...all: readonly TestNode[]): void {
  const said = all.flatMap(({ logs }) => logs.lines).map((line) => JSON.stringify(line))
  expect(said.join()).not.toContain(secret)
  expect(said.join()).not.toMatch(/BEGIN|PRIVATE|CERTIFICATE-----/)
}

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
    const told = [nextEvent(a.system, HandshakeFailed), nextEvent(b.system, HandshakeFailed)]
    refTo(a, b.port).tell('hello')
    const codes = (await Promise.all(told)).map(({ error }) => error.code)
    expect(codes).toEqual(['WRONG_SECRET', 'WRONG_SECRET'])
    expectNoSecrets(a, b)
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

describe('T01 a stranger that calls', () => {
  const shownBy: readonly [string, () => Credentials | undefined, string, string][] = [
    ['no certificate', () => undefined, 'CERTIFICATE_MISSING', 'certificate-missing'],
    [
      'a certificate that has run out',
      () => authority.issue({ fromSeconds: -1_000, toSeconds: -10 }),
      'CERTIFICATE_EXPIRED',
      'certificate-expired',
    ],
    [
      'a certificate whose time has not come',
      () => authority.issue({ fromSeconds: 1_000 }),
      'CERTIFICATE_EXPIRED',
      'certificate-expired',
    ],
    [
      'a certificate for servers only',
      () => authority.issue({ uses: ['serverAuth'] }),
      'CERTIFICATE_UNTRUSTED',
      'certificate-untrusted',
    ],
    [
      'a certificate that it signed itself',
      () => new Authority('itself'),
      'CERTIFICATE_UNTRUSTED',
      'certificate-untrusted',
    ],
    [
      'a name that only looks like ours',
      () => authority.issue({ dnsNames: ['x, DNS:node.test', 'contest'], commonName: 'test' }),
      'WRONG_CERTIFICATE_NAME',
      'certificate-name',
    ],
  ]

  test.each(shownBy)('with %s is refused and told why', async (_what, show, code, reason) => {
    const b = await nodes.start({ tls: good })
    const told = nextEvent(b.system, HandshakeFailed)
    const { bytes } = await call(b.port, { credentials: show() })
    // All that it gets is the reason, and nothing that was said to it before.
    expect(decodeHandshake(bytes.subarray(4))).toEqual({ type: 'Refusal', reason })
    const { error, called } = await told
    expect([error.code, called]).toEqual([code, undefined])
    expectNoSecrets(b)
  })

  test('without a certificate gains nothing by taking up its session again', async () => {
    const b = await nodes.start({ tls: good })
    const { session } = await call(b.port, {})
    expect(session).toBeDefined()
    const told = nextEvent(b.system, HandshakeFailed)
    const { bytes } = await call(b.port, { session })
    expect(decodeHandshake(bytes.subarray(4))).toMatchObject({ reason: 'certificate-missing' })
    expect((await told).error.code).toBe('CERTIFICATE_MISSING')
  })

  test('T31 with an older version of TLS is refused', async () => {
    const b = await nodes.start({ tls: good })
    const told = nextEvent(b.system, HandshakeFailed)
    const { code } = await call(b.port, { credentials: authority.issue(), version: 'TLSv1.2' })
    expect(code).toMatch(/PROTOCOL_VERSION/)
    expect((await told).error.code).toBe('WRONG_TLS_VERSION')
    await b.logs.expect(/speaks 1\.3 and nothing older/, { level: 'warn' })
  })

  test.each<[string, (port: number) => Buffer]>([
    ['as another program would', () => Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['as a node would', helloTo],
    // The first byte of TLS, and then nothing of the kind.
    ['with the first byte of TLS', () => Buffer.from([0x16, 0x00, 0x00, 0x00, ...helloTo(1)])],
  ])('T31 in the clear, %s, is told apart and hears no more than that', async (_what, words) => {
    const b = await nodes.start({ tls: good })
    const told = nextEvent(b.system, HandshakeFailed)
    const answered = await callInTheClear(b.port, words(b.port))
    expect(answered.length).toBeLessThan(16)
    expect((await told).error.code).toBe('TLS_MISSING')
  })

  test('cannot fill the log', async () => {
    const b = await nodes.start({ tls: good })
    const told: string[] = []
    b.system.eventStream.subscribe(HandshakeFailed, ({ error }) => told.push(error.code))
    for (let n = 0; n < 20; n++) {
      await call(b.port, {})
      await call(b.port, { credentials: stranger.issue({ dnsNames: [`host-${n}`] }) })
      await callInTheClear(b.port, Buffer.from(`GET /${n} HTTP/1.1\r\n\r\n`))
    }
    await untilTurn('sixty strangers are told of', () => told.length === 60)
    expect(warnings(b)).toEqual(['CERTIFICATE_MISSING', 'CERTIFICATE_UNTRUSTED', 'TLS_MISSING'])
  })
})

describe('T01 a stranger that is called', () => {
  const failureOf = async (a: TestNode, port: number): Promise<HandshakeError> => {
    const told = nextEvent(a.system, HandshakeFailed)
    const lost = nextEvent(a.system, DeadLetter)
    refTo(a, port).tell('hello')
    expect(await lost).toMatchObject({ reason: 'connection-rejected' })
    return (await told).error
  }

  test.each<[string, Credentials, string]>([
    [
      'a certificate that has run out',
      authority.issue({ fromSeconds: -1_000, toSeconds: -10 }),
      'CERTIFICATE_EXPIRED',
    ],
    [
      'a certificate for clients only',
      authority.issue({ uses: ['clientAuth'] }),
      'CERTIFICATE_UNTRUSTED',
    ],
    ["a stranger's certificate", stranger.issue(), 'CERTIFICATE_UNTRUSTED'],
  ])('and shows %s is told nothing', async (_what, credentials, code) => {
    const server = await answer({ credentials })
    open.push(server)
    const a = await nodes.start({ tls: good })
    expect((await failureOf(a, server.port)).code).toBe(code)
  })

  test('T31 and speaks an older version of TLS, or none, is refused', async () => {
    const older = await answer({ credentials: authority.issue(), version: 'TLSv1.2' })
    const none = await answerInTheClear(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'))
    open.push(older, none)
    const a = await nodes.start({ tls: good })
    expect((await failureOf(a, older.port)).code).toBe('WRONG_TLS_VERSION')
    expect((await failureOf(a, none.port)).code).toBe('TLS_MISSING')
  })

  test('is not called again and again', async () => {
    const server = await answer({ credentials: stranger.issue() })
    open.push(server)
    const a = await nodes.start({
      tls: good,
      remote: { reconnectMinMs: 1, reconnectMaxMs: 60_000 },
    })
    await failureOf(a, server.port)
    // By as many messages as there are turns, with a first pause of a millisecond.
    for (let turn = 0; turn < 200; turn++) {
      refTo(a, server.port).tell('hello')
      await new Promise(setImmediate)
    }
    expect(server.count()).toBe(1)
  })
})
