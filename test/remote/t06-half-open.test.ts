import { connect, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, TLSSocket } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import type { RemoteSettings, TlsOptions } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { cases } from '../how-long.ts'
import { patienceMs, within } from '../processes/harness/patience.ts'
import { Authority } from './certificates.ts'
import { TestNodes, untilTurn } from './nodes.ts'

const authority = new Authority()
const tls = authority.credentials()
const secureContext = createSecureContext(tls)
/** So short that a short run is short. */
const handshakeTimeoutMs = cases({ short: 300, full: 1_000 })
/** Long enough for all of a flood to be there at once. */
const roomyTimeoutMs = cases({ short: 1_000, full: 5_000 })
/** A busy machine is late; for ever is later. */
const lateMs = 10_000

let nodes = new TestNodes('tcp')
const sockets = new Set<Socket>()

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await nodes.stop()
  nodes = new TestNodes('tcp')
})

interface Way {
  readonly what: string
  readonly count: number
  readonly network: TlsOptions | undefined
  /** One connection that stops somewhere on its way. */
  readonly stop: (port: number) => Socket
}

const sayNothing = (port: number): Socket => connect(port, '127.0.0.1')

/** The first record of TLS, as far as its length. */
function beginTls(port: number): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from([22, 3, 1, 2, 0])))
  return socket
}

const agreeOnTls = (port: number): Socket =>
  connectTls({ port, host: '127.0.0.1', secureContext, rejectUnauthorized: false })

const many = cases({ short: 500, full: 5_000 })
const ways: readonly Way[] = [
  { what: 'say nothing, on TCP', count: many, network: undefined, stop: sayNothing },
  { what: 'say nothing, where TLS is spoken', count: many, network: tls, stop: sayNothing },
  { what: 'begin with TLS and go no further', count: many, network: tls, stop: beginTls },
  {
    ...{ what: 'agree on TLS and say nothing', network: tls, stop: agreeOnTls },
    // Both ends are here, and to agree takes each of them a millisecond.
    count: cases({ short: 100, full: 5_000 }),
  },
]

/** Lets all come, a node join among them, and all go; says how long the last one stayed. */
async function flood(
  { count, network, stop }: Way,
  remote: Partial<RemoteSettings>,
): Promise<{ readonly longestMs: number; readonly mostOpen: number }> {
  const options = network === undefined ? {} : { tls: network }
  const b = await nodes.start({ remote: { handshakeTimeoutMs, ...remote }, ...options })
  const probe = createTestProbe<string>(b.system, 'probe')
  const a = await nodes.start(options)
  const target = a.remoting.refAt(b.remoting.address, '/user/probe') as ActorRef<string>
  let [opened, arrived, closed, mostOpen, longestMs] = [0, 0, 0, 0, 0]
  let allClosed: (() => void) | undefined
  const end = new Promise<void>((resolve) => (allClosed = resolve))
  for (let n = 0; n < count; n++) {
    const socket = stop(b.port)
    let openedMs = performance.now()
    let hasArrived = false
    const arrive = (): void => {
      if (!hasArrived) arrived++
      hasArrived = true
    }
    sockets.add(socket)
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', arrive)
    socket.once('connect', () => {
      opened++
      openedMs = performance.now()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      closed++
      arrive()
      longestMs = Math.max(longestMs, performance.now() - openedMs)
      sockets.delete(socket)
      if (closed === count) allClosed?.()
    })
    socket.resume()
    // As fast as they can be taken, and no more than a listening socket lets wait.
    if (n % 100 === 99) await untilTurn('they have arrived', () => arrived > n - 100)
    mostOpen = Math.max(mostOpen, opened - closed)
    if (n === count >> 1) target.tell('hello')
  }
  await probe.expect('hello', { within: patienceMs })
  await within(end, `the end of all ${count} connections`)
  target.tell('again')
  await probe.expect('again', { within: patienceMs })
  return { longestMs, mostOpen }
}

describe.each(ways)('T06 $count connections that $what', (way) => {
  test('are closed by their deadline, and a node joins meanwhile', async () => {
    const { longestMs } = await flood(way, {})
    expect(longestMs).toBeLessThan(handshakeTimeoutMs + lateMs)
  })
})

test('T06 as many as there is room for go by their deadline alone', async () => {
  const way = ways[1]!
  const room = { handshakesMax: 2 * way.count, connectionsMax: 2 * way.count }
  const settings = { ...room, handshakeTimeoutMs: roomyTimeoutMs }
  const { longestMs, mostOpen } = await flood(way, settings)
  expect(mostOpen).toBeGreaterThan(way.count / 2)
  expect(longestMs).toBeLessThan(roomyTimeoutMs + lateMs)
})
