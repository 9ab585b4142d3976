import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { HandshakeFailed, PeerDisconnected } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { freePort } from '../processes/harness/free-port.ts'
import { Authority } from './certificates.ts'
import { nextEvent, TestNodes, type TestNodeOptions } from './nodes.ts'
import { callInTheClear } from './tls-strangers.ts'

const secret = 'correct horse battery staple'
const authority = new Authority()

let nodes = new TestNodes('tcp')
let ear: Ear | undefined

afterEach(async () => {
  await nodes.stop()
  ear?.close()
  nodes = new TestNodes('tcp')
})

/** Between two nodes: passes everything on, and remembers what the one that called has said. */
class Ear {
  readonly said: Buffer[][] = []
  targetPort = 0
  /** Changes what it passes on. */
  bend: (bytes: Buffer) => Buffer = (bytes) => bytes
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor() {
    this.#server = createServer((near) => {
      const words: Buffer[] = []
      this.said.push(words)
      const far = connect(this.targetPort, '127.0.0.1')
      near.on('data', (bytes) => {
        words.push(bytes)
        far.write(this.bend(bytes))
      })
      far.on('data', (bytes) => near.write(bytes))
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => other.destroy())
      }
    })
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () =>
        resolve((this.#server.address() as AddressInfo).port),
      )
    })
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** A node that is reached by way of somebody who listens, and one that has said something to it. */
async function overheard(options: TestNodeOptions) {
  const between = new Ear()
  ear = between
  const port = await between.listen()
  between.targetPort = await freePort()
  const b = await nodes.start({ ...options, port: between.targetPort, advertised: { port } })
  const a = await nodes.start(options)
  const probe = createTestProbe<string>(b.system, 'probe')
  const target = a.remoting.refAt(b.remoting.address, '/user/probe') as ActorRef<string>
  return { between, a, b, probe, target }
}

const networks: readonly [string, () => TestNodeOptions, string][] = [
  ['with a secret, in the clear', () => ({ secret }), 'WRONG_SECRET'],
  ['encrypted', () => ({ tls: authority.credentials() }), 'TLS_FAILED'],
  ['encrypted, with a secret', () => ({ secret, tls: authority.credentials() }), 'TLS_FAILED'],
]

describe.each(networks)('T03 T32 somebody between two nodes, %s', (_what, options, code) => {
  test('gains nothing by playing again what was said', async () => {
    const { between, a, b, probe, target } = await overheard(options())
    target.tell('pay 100')
    await probe.expect('pay 100')
    // The living node is gone, and nobody can object to the one who plays it.
    await a.kill()
    const said = Buffer.concat(between.said[0] ?? [])
    expect(said.length).toBeGreaterThan(100)
    expect(said.includes(secret)).toBe(false)
    const told = nextEvent(b.system, HandshakeFailed)
    await callInTheClear(between.targetPort, said)
    const { error } = await told
    expect(error.code).toBe(code)
    await b.logs.expect(error.message, { level: 'warn' })
    expect(JSON.stringify(b.logs.lines)).not.toContain(secret)
    await probe.expectNo({ for: 20 })
  })

  test('cannot change the first words unnoticed', async () => {
    const { between, b, probe, target } = await overheard(options())
    const told = nextEvent(b.system, HandshakeFailed)
    let isFirst = true
    between.bend = (bytes) => {
      if (!isFirst) return bytes
      isFirst = false
      const bent = Buffer.from(bytes)
      const last = bent.length - 1
      bent[last] = (bent[last] ?? 0) ^ 1
      return bent
    }
    target.tell('pay 100')
    expect((await told).error.code).toMatch(/WRONG_SECRET|TLS_FAILED/)
    await probe.expectNo({ for: 20 })
  })
})

describe('T32 encrypted, somebody between two nodes', () => {
  test('cannot read what is said, nor change it unnoticed', async () => {
    const { between, a, b, probe, target } = await overheard({ tls: authority.credentials() })
    target.tell('the number is 4711')
    await probe.expect('the number is 4711')
    expect(Buffer.concat(between.said.flat()).includes('4711')).toBe(false)
    const ended = nextEvent(a.system, PeerDisconnected)
    between.bend = (bytes) => {
      const bent = Buffer.from(bytes)
      bent[bent.length - 1] = (bent[bent.length - 1] ?? 0) ^ 1
      return bent
    }
    target.tell('the number is 4712')
    await ended
    await b.logs.expect(/Something between the two nodes has changed what was sent/, {
      level: 'warn',
    })
    between.bend = (bytes) => bytes
    target.tell('the number is 4713')
    const heard = await probe.fish((text) => (text.endsWith('3') ? 'done' : 'take'), {
      within: '30s',
    })
    expect(heard).toEqual(['the number is 4713'])
  })
})
