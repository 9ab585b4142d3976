import { expect, test } from 'vitest'
import { ActorSystem, Behaviors } from '../../src/actor/index.ts'
import { Remoting } from '../../src/remote/index.ts'
import type { Connection, ConnectionHandler, Transport } from '../../src/remote/index.ts'
import { SeededRandom } from '../../src/simulation/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { TestNodes } from './nodes.ts'

const rounds = Number(process.env['SHERD_FUZZ_ROUNDS'] ?? 20_000)

/** Remembers every byte that one end wrote, connection by connection. */
function recording(transport: Transport, sessions: Buffer[][]): Transport {
  return {
    listen: (at, accept) => transport.listen(at, accept),
    connect: (to, handler, options) => {
      const connection = transport.connect(to, handler, options)
      const session: Buffer[] = []
      sessions.push(session)
      return {
        peer: connection.peer,
        get isIdle() {
          return connection.isIdle
        },
        write: (bytes) => {
          session.push(Buffer.from(bytes))
          return connection.write(bytes)
        },
        askForTurn: () => connection.askForTurn(),
        end: () => connection.end(),
        destroy: () => connection.destroy(),
      }
    },
  }
}

/** What a node without a secret says to another, on both lanes: the raw material. */
async function recordSessions(port: number): Promise<Buffer[]> {
  const sessions: Buffer[][] = []
  const nodes = new TestNodes('memory')
  const a = await nodes.start({ transport: recording(nodes.transport, sessions) })
  const b = await nodes.start({ port })
  b.system.spawn(
    Behaviors.receiveMessage<{ replyTo?: { tell(n: number): void } }>((message) =>
      message.replyTo?.tell(1),
    ),
    'target',
  )
  const target = a.remoting.refAt(b.remoting.address, '/user/target')
  const gone = a.system.whenStopped(a.remoting.refAt(b.remoting.address, '/user/nobody'))
  for (let n = 0; n < 20; n++) target.tell({ n, list: [1, 'two', { three: 3n }], ref: target })
  await target.ask((replyTo) => ({ replyTo }))
  await gone
  await nodes.stop()
  return sessions.map((session) => Buffer.concat(session))
}

/** A node that is spoken to by hand. */
async function victim(port: number) {
  let accept: ((connection: Connection) => ConnectionHandler) | undefined
  const transport: Transport = {
    listen: async (at, take) => {
      accept = take
      return { port: at.port, close: async () => undefined }
    },
    connect: (_to, handler) => {
      setImmediate(() => handler.closed({ type: 'refused', detail: '' }))
      const nothing = (): void => undefined
      const write = (): boolean => true
      return { peer: '', isIdle: true, write, askForTurn: nothing, end: nothing, destroy: nothing }
    },
  }
  const logs = new CapturedLogs()
  const system = new ActorSystem('victim', {
    environment: { logger: logs },
    settings: { hookSignals: false },
  })
  const bind = { host: '127.0.0.1', port }
  const remoting = await Remoting.start({ system, transport, clusterName: 'test', bind })
  let delivered = 0
  system.spawn(
    Behaviors.receiveMessage(() => void delivered++),
    'target',
  )
  const talk = (chunks: readonly Buffer[]): void => {
    let isClosed = false
    const end = (): void => void (isClosed = true)
    const handler = accept!({
      ...{ peer: 'fuzz', isIdle: true, write: () => true },
      ...{ askForTurn: () => undefined, end, destroy: end },
    })
    for (const chunk of chunks) if (!isClosed) handler.received(chunk)
    handler.closed({ type: 'reset', detail: '' })
  }
  return { system, remoting, logs, talk, deliveredCount: () => delivered }
}

function mutated(source: Buffer, random: SeededRandom): Buffer {
  const bytes = Buffer.from(source)
  const edits = random.below(4)
  // The handshake is long in comparison: most edits should come after it.
  const from = random.below(3) === 0 ? 0 : Math.min(bytes.length - 1, 120)
  for (let edit = 0; edit < edits; edit++) {
    const at = from + random.below(bytes.length - from)
    const kind = random.below(4)
    if (kind === 0) bytes[at] = random.below(256)
    else if (kind === 1) bytes[at] = bytes[at]! ^ (1 << random.below(8))
    else if (kind === 2) bytes.fill(random.below(2) * 0xff, at, Math.min(bytes.length, at + 8))
    else bytes.copy(bytes, at, random.below(bytes.length), bytes.length)
  }
  return random.below(5) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes
}

function chunked(bytes: Buffer, random: SeededRandom): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const count = 1 + random.below(random.below(3) === 0 ? 8 : 2_000)
    chunks.push(bytes.subarray(at, at + count))
    at += count
  }
  return chunks
}

/** Lets every actor that has something to do do it. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
}

test(`${rounds} mutated sessions: no crash, no hang, no growth past the limit`, async () => {
  const port = 4_711
  const sessions = await recordSessions(port)
  const random = new SeededRandom(20_260, 'fuzz')
  const { system, talk, logs, deliveredCount } = await victim(port)
  const crash: unknown[] = []
  const note = (error: unknown): void => void crash.push(error)
  process.on('uncaughtException', note)
  for (const session of sessions) talk([session])
  await rest()
  expect(deliveredCount()).toBe(21)
  const before = process.memoryUsage().rss
  for (let round = 0; round < rounds; round++) {
    const source = sessions[random.below(sessions.length)]!
    const isNoise = random.below(20) === 0
    const bytes = isNoise
      ? Buffer.from(Array.from({ length: random.below(400) }, () => random.below(256)))
      : mutated(source, random)
    talk(chunked(bytes, random))
    if (round % 500 === 0) await rest()
  }
  await rest()
  process.off('uncaughtException', note)
  expect(crash).toEqual([])
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect(deliveredCount()).toBeGreaterThan(21)
  expect(logs.matching(/Invariant broken|invariant is broken/)).toEqual([])
  expect((process.memoryUsage().rss - before) / 1_048_576).toBeLessThan(200)
  await system.terminate()
}, 120_000)

test('a peer that announces more than it sends makes this node reserve nothing', async () => {
  const { system, talk } = await victim(4_712)
  const before = process.memoryUsage().arrayBuffers
  for (let round = 0; round < 1_000; round++) talk([Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2])])
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000)
  await system.terminate()
})
