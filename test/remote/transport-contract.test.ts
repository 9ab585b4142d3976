import { describe, expect, test } from 'vitest'
import {
  type CloseReason,
  type Connection,
  type ConnectionHandler,
  tcpTransport,
  type Transport,
} from '../../src/remote/index.ts'
import { openTls } from '../../src/remote/internals.ts'
import { systemEnvironment } from '../../src/foundation/system-environment.ts'
import { Simulation } from '../../src/simulation/index.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { Authority } from './certificates.ts'
import { MemoryNetwork } from './memory-transport.ts'

/** Records what a connection tells, and lets a test wait for it. */
class Recorder implements ConnectionHandler {
  bytes = Buffer.alloc(0)
  isOpen = false
  drains = 0
  turns = 0
  reason: CloseReason | undefined
  #wake: (() => void)[] = []
  readonly #simulation: Simulation | undefined

  /** In a simulation, waiting is letting virtual time pass. */
  constructor(simulation?: Simulation) {
    this.#simulation = simulation
  }

  opened(): void {
    this.isOpen = true
    this.#tell()
  }
  received(bytes: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, bytes])
    this.#tell()
  }
  drained(): void {
    this.drains++
    this.#tell()
  }
  ready(): void {
    this.turns++
    this.#tell()
  }
  closed(reason: CloseReason): void {
    expect(this.reason).toBeUndefined()
    this.reason = reason
    this.#tell()
  }

  async until(isTrue: (recorder: this) => boolean): Promise<void> {
    if (this.#simulation !== undefined) return this.#simulation.runUntil(() => isTrue(this))
    while (!isTrue(this)) await new Promise<void>((resolve) => this.#wake.push(resolve))
  }

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

const memory = (): Transport =>
  new MemoryNetwork({
    random: new SeededRandom(4, 'contract'),
    schedule: (callback) => void setImmediate(callback),
  }).transport

interface Ground {
  readonly transport: Transport
  readonly simulation?: Simulation
}

const simulated = (): Ground => {
  const simulation = new Simulation({ seed: 4 })
  return { transport: simulation.node('a').transport, simulation }
}

const grounds: Record<'tcp' | 'tls' | 'memory' | 'simulated', () => Ground | Promise<Ground>> = {
  tcp: () => ({ transport: tcpTransport }),
  tls: async () => {
    const tls = new Authority().credentials()
    const environment = systemEnvironment()
    return openTls({ tls, clusterName: 'test', environment })
  },
  memory: () => ({ transport: memory() }),
  simulated,
}

/** Two ends that have heard from each other. */
async function connected(kind: keyof typeof grounds) {
  const { transport, simulation } = await grounds[kind]()
  const far = new Recorder(simulation)
  let accepted: Connection | undefined
  const listener = await transport.listen({ host: '127.0.0.1', port: 0 }, (connection) => {
    accepted = connection
    return far
  })
  const near = new Recorder(simulation)
  const at = { host: '127.0.0.1', port: listener.port }
  const connection = transport.connect(at, near, { timeoutMs: 5_000 })
  expect(near.isOpen).toBe(false)
  await near.until(({ isOpen }) => isOpen)
  connection.write(Buffer.from('!'))
  await far.until(({ bytes }) => bytes.length === 1)
  far.bytes = Buffer.alloc(0)
  return { transport, listener, near, far, connection, accepted: accepted!, at, simulation }
}

describe.each(['tcp', 'tls', 'memory', 'simulated'] as const)('the %s transport', (kind) => {
  test('carries bytes both ways, in order', async () => {
    const { near, far, connection, accepted, listener } = await connected(kind)
    for (let n = 0; n < 500; n++) connection.write(Buffer.from(`${n},`))
    accepted.write(Buffer.from('back'))
    const all = Array.from({ length: 500 }, (_, n) => `${n},`).join('')
    await far.until(({ bytes }) => bytes.length === all.length)
    await near.until(({ bytes }) => bytes.length === 4)
    expect(far.bytes.toString()).toBe(all)
    expect(near.bytes.toString()).toBe('back')
    connection.destroy()
    await far.until(({ reason }) => reason !== undefined)
    await listener.close()
  })

  test('asks to wait when too much is under way, and says when it is not', async () => {
    const { near, far, connection, listener } = await connected(kind)
    const chunk = Buffer.alloc(100_000, 7)
    let written = 0
    do written += chunk.length
    while (connection.write(chunk) && written < 100_000_000)
    expect(written).toBeLessThan(100_000_000)
    await near.until(({ drains }) => drains > 0)
    await far.until(({ bytes }) => bytes.length === written)
    expect(connection.isIdle).toBe(true)
    connection.destroy()
    await near.until(({ reason }) => reason !== undefined)
    await listener.close()
  })

  test('ends after what was written, and tells both ends once', async () => {
    const { near, far, connection, listener } = await connected(kind)
    connection.write(Buffer.from('last words'))
    connection.end()
    await far.until(({ reason }) => reason !== undefined)
    await near.until(({ reason }) => reason !== undefined)
    expect(far.bytes.toString()).toBe('last words')
    expect([near.reason?.type, far.reason?.type]).toEqual(['destroyed', 'ended'])
    expect(connection.write(Buffer.from('too late'))).toBe(false)
    await listener.close()
  })

  test('gives one turn per question, later', async () => {
    const { near, connection, listener } = await connected(kind)
    connection.askForTurn()
    connection.askForTurn()
    expect(near.turns).toBe(0)
    await near.until(({ turns }) => turns > 0)
    connection.askForTurn()
    await near.until(({ turns }) => turns > 1)
    expect(near.turns).toBe(2)
    connection.destroy()
    await near.until(({ reason }) => reason !== undefined)
    await listener.close()
  })

  test('says that nobody listens, or that somebody does already', async () => {
    const { transport, listener, at, near, connection, simulation } = await connected(kind)
    await expect(transport.listen(at, () => near)).rejects.toMatchObject({ code: 'PORT_TAKEN' })
    connection.destroy()
    await near.until(({ reason }) => reason !== undefined)
    await listener.close()
    const refused = new Recorder(simulation)
    transport.connect(at, refused, { timeoutMs: 5_000 })
    await refused.until(({ reason }) => reason !== undefined)
    expect(refused.reason?.type).toBe('refused')
    expect(refused.isOpen).toBe(false)
  })

  test('says later that a port nobody can have cannot be reached', async () => {
    const { transport, simulation } = await grounds[kind]()
    const failed = new Recorder(simulation)
    transport.connect({ host: '127.0.0.1', port: 70_000 }, failed, { timeoutMs: 5_000 })
    expect(failed.reason).toBeUndefined()
    await failed.until(({ reason }) => reason !== undefined)
    expect(failed.reason?.type).toMatch(/unreachable|refused/)
    expect(failed.isOpen).toBe(false)
  })
})
