import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, DeadLetter } from '../../src/actor/index.ts'
import { decodeHandshake } from '../../src/remote/handshake/handshake-messages.ts'
import { type HandshakeError, HandshakeFailed } from '../../src/remote/index.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { noise } from '../fuzz/fuzz.ts'
import { recordSessions } from '../fuzz/sessions.ts'
import { freePort } from '../processes/harness/free-port.ts'
import { patienceMs } from '../processes/harness/patience.ts'
import { Authority, type Credentials } from './certificates.ts'
import { nextEvent, type TestNode, TestNodes, untilTurn } from './nodes.ts'
import { expectNoSecrets, warnings } from './security-log.ts'
import { answer, answerInTheClear, call, callInTheClear, stayInTheClear } from './tls-strangers.ts'

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

/** Another one of this machine: where it has no network, it is one on which all that begin with 127 are its own. */
function secondAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.2'
}

describe('T01 a stranger that calls', () => {
  interface Stranger {
    readonly shows: string
    readonly credentials: () => Credentials | undefined
    readonly code: string
    readonly reason: string
    /** What the log says. */
    readonly why: RegExp
  }

  const strangers: readonly Stranger[] = [
    {
      ...{ shows: 'no certificate', credentials: () => undefined },
      ...{ code: 'CERTIFICATE_MISSING', reason: 'certificate-missing' },
      why: /shows no certificate, and this node demands one/,
    },
    {
      shows: 'a certificate that has run out',
      credentials: () => authority.issue({ fromSeconds: -1_000, toSeconds: -10 }),
      ...{ code: 'CERTIFICATE_EXPIRED', reason: 'certificate-expired' },
      why: /has run out, or whose time has not come \(CERT_HAS_EXPIRED\)\. Renew it there/,
    },
    {
      shows: 'a certificate whose time has not come',
      credentials: () => authority.issue({ fromSeconds: 1_000 }),
      ...{ code: 'CERTIFICATE_EXPIRED', reason: 'certificate-expired' },
      why: /whose time has not come \(CERT_NOT_YET_VALID\).* set the clocks of both machines right/,
    },
    {
      shows: 'a certificate for servers only',
      credentials: () => authority.issue({ uses: ['serverAuth'] }),
      ...{ code: 'CERTIFICATE_UNTRUSTED', reason: 'certificate-untrusted' },
      why: /not for this use \(INVALID_PURPOSE\).* serverAuth and clientAuth/,
    },
    {
      shows: 'a certificate that it signed itself',
      credentials: () => new Authority('itself'),
      ...{ code: 'CERTIFICATE_UNTRUSTED', reason: 'certificate-untrusted' },
      // That it may only sign others is found first.
      why: /shows a certificate that is not for this use \(INVALID_PURPOSE\)/,
    },
    {
      shows: 'a certificate of another authority',
      credentials: () => stranger.issue(),
      ...{ code: 'CERTIFICATE_UNTRUSTED', reason: 'certificate-untrusted' },
      why: /no CA in `tls\.ca` of this node has signed .* or add its CA here/,
    },
    {
      shows: 'a name that only looks like ours',
      credentials: () =>
        authority.issue({ dnsNames: ['x, DNS:node.test', 'contest'], commonName: 'test' }),
      ...{ code: 'WRONG_CERTIFICATE_NAME', reason: 'certificate-name' },
      why: /of another cluster or program: it has contest, and not test or \*\.test/,
    },
  ]

  /** All that a node of the cluster says on the lane for messages, to the probe `target` among others. */
  async function session(port: number): Promise<Buffer> {
    const all = (await recordSessions(port)).map((each) => each.by(1))
    const words = all.find((bytes) => bytes.includes('/user/target'))
    expect(words).toBeDefined()
    return words as Buffer
  }

  test('as a node does, with its certificate, is heard: so the others could be', async () => {
    const b = await nodes.start({ tls: good })
    const probe = createTestProbe<unknown>(b.system, 'target')
    const ended = call(b.port, { credentials: authority.issue() }, await session(b.port))
    await probe.receive(20, { within: patienceMs })
    await b.kill()
    await ended
  })

  test.each(strangers)(
    'with $shows is refused and told why, and nothing of what it says arrives',
    async ({ credentials, code, reason, why }) => {
      const b = await nodes.start({ tls: good })
      const probe = createTestProbe<unknown>(b.system, 'target')
      const told = nextEvent(b.system, HandshakeFailed)
      const words = await session(b.port)
      const { bytes } = await call(b.port, { credentials: credentials() }, words)
      // All that it gets is the reason, and nothing that was said to it before.
      expect(decodeHandshake(bytes.subarray(4))).toEqual({ type: 'Refusal', reason })
      const { error, called } = await told
      expect([error.code, called]).toEqual([code, undefined])
      await b.logs.expect(why, { level: 'warn' })
      expect(warnings(b)).toEqual([code])
      expectNoSecrets(b)
      await probe.expectNo({ for: 20 })
    },
  )

  test('without a certificate gains nothing by taking up its session again', async () => {
    const b = await nodes.start({ tls: good })
    const first = await call(b.port, {})
    expect(first.session).toBeDefined()
    const told = nextEvent(b.system, HandshakeFailed)
    const { bytes } = await call(b.port, { session: first.session })
    expect(decodeHandshake(bytes.subarray(4))).toMatchObject({ reason: 'certificate-missing' })
    expect((await told).error.code).toBe('CERTIFICATE_MISSING')
  })

  test('T31 with an older version of TLS is refused', async () => {
    const b = await nodes.start({ tls: good })
    const probe = createTestProbe<unknown>(b.system, 'target')
    const told = nextEvent(b.system, HandshakeFailed)
    const older = { credentials: authority.issue(), version: 'TLSv1.2' } as const
    const { code } = await call(b.port, older, await session(b.port))
    expect(code).toMatch(/PROTOCOL_VERSION/)
    expect((await told).error.code).toBe('WRONG_TLS_VERSION')
    await b.logs.expect(/speaks 1\.3 and nothing older/, { level: 'warn' })
    await probe.expectNo({ for: 20 })
  })

  test.each<[string, (port: number) => Buffer | Promise<Buffer>]>([
    ['as another program would', () => Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['as a node would', session],
    // The first byte of TLS, and then nothing of the kind.
    [
      'with the first byte of TLS',
      async (port) => Buffer.from([0x16, 0x00, 0x00, 0x00, ...(await session(port))]),
    ],
  ])('T31 in the clear, %s, is told apart and hears no more than that', async (_what, words) => {
    const b = await nodes.start({ tls: good })
    const probe = createTestProbe<unknown>(b.system, 'target')
    const told = nextEvent(b.system, HandshakeFailed)
    const answered = await callInTheClear(b.port, await words(b.port))
    expect(answered.length).toBeLessThan(16)
    expect((await told).error.code).toBe('TLS_MISSING')
    await b.logs.expect(/does not speak TLS and this node demands it/, { level: 'warn' })
    await probe.expectNo({ for: 20 })
  })

  test('T31 in the clear is told apart also where it stays, and is closed by the deadline of a handshake', async () => {
    const b = await nodes.start({ tls: good, remote: { handshakeTimeoutMs: 200 } })
    const told: string[] = []
    b.system.eventStream.subscribe(HandshakeFailed, ({ error }) => told.push(error.code))
    const first = nextEvent(b.system, HandshakeFailed)
    open.push(stayInTheClear(b.port, await session(b.port)))
    await first
    // Whoever comes behind it and says nothing at all is closed later than that one.
    const next = nextEvent(b.system, HandshakeFailed)
    open.push(stayInTheClear(b.port, Buffer.alloc(0)))
    await next
    expect(told).toEqual(['TLS_MISSING', 'HANDSHAKE_TIMEOUT'])
  })

  test('T04 with bytes drawn at random harms nobody', async () => {
    const a = await nodes.start({ tls: good })
    const b = await nodes.start({ tls: good, remote: { handshakeTimeoutMs: 1_000 } })
    const random = new SeededRandom(7, 'noise')
    const begins = [[], [0x16], [0x16, 3, 1], [0x16, 3, 3, 0, 40, 1, 0, 0, 36, 3, 3]]
    const calls = Array.from({ length: 200 }, (_, round) => {
      const begin = Buffer.from(begins[round % begins.length] ?? [])
      return callInTheClear(b.port, Buffer.concat([begin, noise(random, 600)]))
    })
    await Promise.all(calls)
    const probe = createTestProbe<string>(b.system, 'probe')
    refTo(a, b.port).tell('hello')
    await probe.expect('hello', { within: '30s' })
  })

  test('from one port to two addresses of a node is two strangers', async () => {
    const bind = { host: '0.0.0.0', port: 0 }
    const b = await nodes.start({ tls: good, bind, advertised: { host: '127.0.0.1' } })
    const localPort = await freePort()
    const told: string[] = []
    b.system.eventStream.subscribe(HandshakeFailed, ({ error }) => told.push(error.code))
    const hosts = ['127.0.0.1', secondAddress()]
    const both = hosts.map((host) => call(b.port, { host, localPort }))
    for (const { bytes } of await Promise.all(both)) {
      expect(decodeHandshake(bytes.subarray(4))).toMatchObject({ reason: 'certificate-missing' })
    }
    expect(told).toEqual(['CERTIFICATE_MISSING', 'CERTIFICATE_MISSING'])
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
