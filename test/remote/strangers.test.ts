import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, ActorSystem, DeadLetter } from '../../src/actor/index.ts'
import { encodeHandshake, protocolVersion } from '../../src/remote/handshake/handshake-messages.ts'
import { nodeIdOf } from '../../src/foundation/node-id.ts'
import {
  type HandshakeError,
  HandshakeFailed,
  PeerQuarantined,
  tcpTransport,
  ThisNodeQuarantined,
} from '../../src/remote/index.ts'
import { Remoting } from '../../src/remote/internals.ts'
import { MessageWriter } from '../../src/remote/wire/message-writer.ts'
import { ByteBuffer, ValueCodec } from '../../src/serialization/internals.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes, type TestNodeOptions } from './nodes.ts'

const secret = 'correct horse battery staple'

let nodes = new TestNodes('tcp')

afterEach(async () => {
  await nodes.stop()
  nodes = new TestNodes('tcp')
})

function listenWith(take: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => take(socket))
    })
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

/** Resolves when the node has closed the connection by which it got these bytes. */
function closedAfter(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('error', () => undefined)
    socket.on('data', () => undefined)
    socket.on('close', () => resolve())
  })
}

const refTo = (from: TestNode, to: TestNode): ActorRef<string> =>
  from.remoting.refAt(to.remoting.address, '/user/probe')

describe('nodes that do not belong together', () => {
  test.each<[string, TestNodeOptions, TestNodeOptions, string, RegExp, RegExp]>([
    [
      'other cluster name',
      { clusterName: 'shop' },
      { clusterName: 'warehouse' },
      'WRONG_CLUSTER_NAME',
      /belongs to a different cluster than "shop"\. Give both nodes the same cluster name \(option `name` of startNode\)/,
      /belongs to a different cluster than "warehouse"/,
    ],
    [
      'wrong secret',
      { secret },
      { secret: `${secret}!` },
      'WRONG_SECRET',
      /has a different secret than this node\. Give every node of the cluster the same one/,
      /has a different secret than this node/,
    ],
    [
      'no secret',
      {},
      { secret },
      'SECRET_MISSING',
      /demands a secret and this node has none\. Give this node the secret/,
      /has no secret and this node demands one\. Give it the secret/,
    ],
    [
      'a secret nobody asked for',
      { secret },
      {},
      'SECRET_MISSING',
      /has no secret and this node demands one/,
      /demands a secret and this node has none/,
    ],
  ])('%s: both ends are told what to do', async (_what, ours, theirs, code, here, there) => {
    const [a, b] = [await nodes.start(ours), await nodes.start(theirs)]
    const failed = [nextEvent(a.system, HandshakeFailed), nextEvent(b.system, HandshakeFailed)]
    const lost = nextEvent(a.system, DeadLetter)
    refTo(a, b).tell('hello')
    expect((await Promise.all(failed)).map(({ error }) => error.code)).toEqual([code, code])
    expect(await lost).toMatchObject({ reason: 'connection-rejected' })
    await a.logs.expect(here, { level: 'warn' })
    await b.logs.expect(there, { level: 'warn' })
    const said = [...a.logs.lines, ...b.logs.lines].map((line) => JSON.stringify(line)).join()
    expect(said).not.toContain(secret)
  })

  test('with the same secret they speak', async () => {
    const [a, b] = [await nodes.start({ secret }), await nodes.start({ secret })]
    const probe = createTestProbe<string>(b.system, 'probe')
    refTo(a, b).tell('hello')
    await probe.expect('hello')
  })

  test('another program on the port is told apart, and tells this node nothing', async () => {
    const b = await nodes.start({ secret })
    const failed = nextEvent(b.system, HandshakeFailed)
    const answer = await new Promise<Buffer>((resolve) => {
      const chunks: Buffer[] = []
      const socket = connect(b.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n\r\n'))
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(Buffer.concat(chunks)))
    })
    expect(answer.length).toBeLessThan(16)
    expect((await failed).error.message).toMatch(/broke off the handshake|does not speak/)
  })

  test('RM-002 messages before any handshake reach nobody, and end the connection', async () => {
    const b = await nodes.start()
    const probe = createTestProbe<string>(b.system, 'probe')
    const frames = new ByteBuffer(64)
    const writer = new MessageWriter(new ValueCodec({ use: 'link' }))
    writer.add({ wireText: '/user/probe', askNumber: -1, tableSlot: -1 }, 'from nobody')
    writer.writeInto(frames)
    const failed = nextEvent(b.system, HandshakeFailed)
    await new Promise<void>((resolve) => {
      const socket = connect(b.port, '127.0.0.1', () =>
        socket.write(frames.bytes.subarray(0, frames.position)),
      )
      socket.on('error', () => undefined)
      socket.on('data', () => undefined)
      socket.on('close', () => resolve())
    })
    expect((await failed).error.code).toBe('WRONG_PROTOCOL')
    await probe.expectNo({ for: 20 })
  })

  test('strangers cannot fill the log, whatever they send and whoever they say they are', async () => {
    const b = await nodes.start({ secret })
    const told: unknown[] = []
    b.system.eventStream.subscribe(HandshakeFailed, (event) => void told.push(event))
    const hello = (n: number): Buffer =>
      encodeHandshake({
        ...{ type: 'Hello', version: protocolVersion, lane: 'data', hasSecret: false },
        ...{ clusterName: 'test', from: nodeIdOf(`host-${n}:1`, 1n), to: b.remoting.address },
        nonce: Buffer.alloc(32),
      })
    for (let n = 0; n < 50; n++) {
      await closedAfter(b.port, Buffer.from('GET / HTTP/1.1\r\n\r\n'))
      await closedAfter(b.port, hello(n))
    }
    expect(told).toHaveLength(100)
    const codes = b.logs.lines
      .filter(({ level }) => level === 'warn')
      .map(({ fields }) => (fields['err'] as HandshakeError).code)
    expect(codes).toEqual(['HANDSHAKE_BROKEN', 'SECRET_MISSING'])
  })

  test('whoever merely sits on the port cannot make this node believe that it was given up', async () => {
    const a = await nodes.start({ secret })
    const believed: unknown[] = []
    a.system.eventStream.subscribe(ThisNodeQuarantined, (event) => believed.push(event))
    a.system.eventStream.subscribe(PeerQuarantined, (event) => believed.push(event))
    const refusal = encodeHandshake({ type: 'Refusal', reason: 'quarantined' })
    const stranger = await listenWith((socket) => socket.end(refusal))
    const { port } = stranger.address() as AddressInfo
    const target = a.remoting.refAt(`127.0.0.1:${port}`, '/user/probe') as ActorRef<string>
    target.tell('hello')
    await a.logs.expect(/refuses this node \(quarantined\) without proof/, { level: 'warn' })
    await new Promise((closed) => stranger.close(closed))
    const b = await nodes.start({ secret, port })
    const probe = createTestProbe<string>(b.system, 'probe')
    await probe.expect('hello', { within: '10s' })
    expect(believed).toEqual([])
  })

  test('strangers that say nothing are closed in time, and do not keep others out', async () => {
    const b = await nodes.start({ remote: { handshakeTimeoutMs: 300, handshakesMax: 50 } })
    const closed = Array.from(
      { length: 200 },
      () =>
        new Promise<void>((resolve) => {
          const socket = connect(b.port, '127.0.0.1', () => socket.write(Buffer.from([1, 0, 0])))
          socket.on('error', () => undefined)
          socket.on('data', () => undefined)
          socket.on('close', () => resolve())
        }),
    )
    await Promise.all(closed)
    const a = await nodes.start()
    const probe = createTestProbe<string>(b.system, 'probe')
    refTo(a, b).tell('hello')
    await probe.expect('hello')
  })
})

describe('a crowd of strangers', () => {
  let crowd = new Set<Socket>()
  afterEach(() => {
    const over = crowd
    crowd = new Set()
    for (const socket of over) socket.destroy()
  })

  /** So many connections that say this, or nothing, and stay; whichever is closed is opened again. */
  async function gather(port: number, words: Buffer | undefined): Promise<void> {
    const own = crowd
    const open = (standing?: () => void): void => {
      const socket = connect(port, '127.0.0.1', () => {
        if (words !== undefined) socket.write(words)
        standing?.()
      })
      own.add(socket)
      socket.on('error', () => undefined)
      socket.on('data', () => undefined)
      socket.on('close', () => void (own.delete(socket) && own === crowd && open()))
    }
    const opened = Array.from({ length: 300 }, () => new Promise<void>((resolve) => open(resolve)))
    await Promise.all(opened)
  }

  const halfHello = Buffer.from([1, 0, 0])

  test.each<[string, Buffer | undefined]>([
    ['says nothing', undefined],
    ['begins to speak', halfHello],
  ])('that %s does not keep a node out, and is told of', async (_what, words) => {
    const b = await nodes.start({ secret, remote: { handshakeTimeoutMs: 60_000 } })
    await gather(b.port, words)
    await b.logs.expect(/ 256 of them from 127\.0\.0\.1: .* Let only nodes of the cluster reach/, {
      level: 'warn',
    })
    const a = await nodes.start({ secret })
    const probe = createTestProbe<string>(b.system, 'probe')
    refTo(a, b).tell('hello')
    await probe.expect('hello', { within: '10s' })
  })
})

describe('starting', () => {
  const start = async (options: Partial<Parameters<typeof Remoting.start>[0]>): Promise<string> => {
    const system = new ActorSystem('x', { settings: { hookSignals: false } })
    const bind = { host: '127.0.0.1', port: 0 }
    try {
      const all = { system, transport: tcpTransport, clusterName: 'c', bind, ...options }
      const remoting = await Remoting.start(all)
      return `started on ${remoting.address}`
    } catch (error) {
      return String(error)
    } finally {
      await system.terminate()
    }
  }

  test('a port that is taken says so', async () => {
    const b = await nodes.start()
    const text = await start({ bind: { host: '127.0.0.1', port: b.port } })
    expect(text).toContain(
      `PortTaken: Cannot listen on 127.0.0.1:${b.port}: another process listens there; is this node already running? Choose another port, or 0 for any free one.`,
    )
  })

  test('a host that is not ours says so', async () => {
    const text = await start({ bind: { host: '203.0.113.7', port: 0 }, secret })
    expect(text).toMatch(/HostNotOurs: .*no network interface of this machine has the address/)
  })

  test.each(['0.0.0.0', '192.168.1.10', 'node-1.example'])(
    'a bind to %s without a secret is refused',
    async (host) => {
      const text = await start({ bind: { host, port: 0 }, advertised: { host: 'node-1' } })
      expect(text).toMatch(/InsecureBind: .*Give every node the same `secret`.*insecure: true/)
    },
  )

  test('the same bind with a secret, or said to be insecure, starts', async () => {
    const bind = { host: '0.0.0.0', port: 0 }
    const advertised = { host: '127.0.0.1' }
    expect(await start({ bind, advertised, secret })).toMatch(/^started on 127\.0\.0\.1:/)
    expect(await start({ bind, advertised, insecure: true })).toMatch(/^started on 127/)
  })

  test('everything that is wrong is said at once', async () => {
    const text = await start({
      clusterName: '',
      bind: { host: '0.0.0.0', port: 70_000 },
      secret: 'short',
      settings: { giveUpAfterMs: -1, queueMessagesMax: 0, reconnectMinMs: 10, reconnectMaxMs: 5 },
    })
    for (const part of [
      'clusterName must be',
      'bind.port must be',
      'secret must have at least 16 characters',
      'others cannot reach 0.0.0.0: give advertised.host',
      'giveUpAfterMs must be a positive number',
      'queueMessagesMax must be a whole number',
      'reconnectMinMs (10) must be at most reconnectMaxMs (5)',
    ]) {
      expect(text).toContain(part)
    }
  })
})
