/** Whole conversations between two nodes as bytes, and a node that can be spoken to by hand. */
import { type ActorRef, ActorSystem, Behaviors } from '../../src/actor/index.ts'
import { isRef } from '../../src/actor/internals.ts'
import type { Connection, ConnectionHandler, Transport } from '../../src/remote/index.ts'
import { Remoting } from '../../src/remote/internals.ts'
import { CapturedLogs, createTestProbe } from '../../src/testkit/index.ts'
import { TestNodes } from '../remote/nodes.ts'

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

/** Messages that a recorded session delivers. */
export const deliveredBySession = 26

/** What a node said on one connection. */
export class Session {
  readonly #bytes: Buffer
  /** Where the number of its incarnation stands. */
  readonly #uidAt: readonly number[]
  /** Where its port stands, and that of an address that it names. */
  readonly #portAt: readonly number[]

  constructor(bytes: Buffer, { address, uid }: { readonly address: string; readonly uid: string }) {
    this.#bytes = bytes
    this.#uidAt = placesOf(uid, bytes)
    this.#portAt = [address, foreignAddress].flatMap((text) =>
      placesOf(text, bytes).map((at) => at + text.length - portLength),
    )
  }

  /** As said by another incarnation: one that was replaced would not be listened to. With a port by one of another address. */
  by(incarnation: number, port?: number): Buffer {
    const bytes = Buffer.from(this.#bytes)
    const uid = incarnation.toString(16).padStart(uidLength, '0')
    for (const at of this.#uidAt) bytes.write(uid, at, 'latin1')
    if (port !== undefined) for (const at of this.#portAt) bytes.write(`${port}`, at, 'latin1')
    return bytes
  }
}

const uidLength = 16
/** Of all that stand in sessions. */
const portLength = 4
const foreignAddress = '10.0.0.3:1000'

function placesOf(text: string, bytes: Buffer): number[] {
  const found: number[] = []
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) found.push(at)
  return found
}

/** What a node without a secret says to another that listens at this port, on every lane: the raw material. */
export async function recordSessions(port: number): Promise<Session[]> {
  const sessions: Buffer[][] = []
  const nodes = new TestNodes('memory')
  const a = await nodes.start({
    transport: recording(nodes.transport, sessions),
    remote: { largeMessagePaths: ['/user/bulk'] },
  })
  const b = await nodes.start({ port })
  b.system.spawn(
    Behaviors.receiveMessage<{ replyTo?: { tell(n: number): void } }>((message) =>
      message.replyTo?.tell(1),
    ),
    'target',
  )
  const bulk = createTestProbe<unknown>(b.system, 'bulk')
  const toBulk = a.remoting.refAt(b.remoting.address, '/user/bulk')
  const target = a.remoting.refAt(b.remoting.address, '/user/target')
  const gone = a.system.whenStopped(a.remoting.refAt(b.remoting.address, '/user/nobody'))
  const foreign = a.remoting.refAt(foreignAddress, '/user/foreign')
  for (let n = 0; n < 20; n++) {
    target.tell({ n, list: [1, 'two', { three: 3n }], ref: target, foreign })
  }
  for (let n = 0; n < 5; n++) toBulk.tell({ n, text: 'large'.repeat(100) })
  await bulk.receive(5)
  await target.ask((replyTo) => ({ replyTo }))
  await gone
  await nodes.stop()
  const { address, node } = a.remoting
  const uid = node.slice(-uidLength)
  return sessions.map((session) => new Session(Buffer.concat(session), { address, uid }))
}

/** Of the victim, per peer and lane. */
export const queueMessagesMax = 1_000
export const peersMax = 64

/** Whom a message names. */
interface Named {
  readonly replyTo?: unknown
  readonly foreign?: unknown
}

/** A node that is spoken to by hand, and reaches nobody itself. */
export async function startVictim(port: number) {
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
  const settings = { queueMessagesMax, peersMax }
  const remoting = await Remoting.start({ system, transport, clusterName: 'test', bind, settings })
  let delivered = 0
  const count = Behaviors.receiveMessage((message: Named | undefined) => {
    delivered++
    // Nobody can be reached, so answers wait.
    const { replyTo, foreign } = message ?? {}
    if (isRef(replyTo)) (replyTo as ActorRef<number>).tell(delivered)
    if (!isRef(foreign)) return
    ;(foreign as ActorRef<number>).tell(delivered)
    void system.whenStopped(foreign)
  })
  for (const name of ['target', 'bulk']) system.spawn(count, name)
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

/** Lets every actor that has something to do do it. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
}
