/** Programs that speak TLS and are no nodes: clients and servers with certificates that may be wrong. */
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Server as TcpServer,
} from 'node:net'
import {
  connect,
  type ConnectionOptions,
  createServer,
  type SecureVersion,
  type Server,
} from 'node:tls'
import { encodeHandshake, protocolVersion } from '../../src/remote/handshake/handshake-messages.ts'
import { nodeIdOf } from '../../src/foundation/node-id.ts'
import { within } from '../processes/harness/patience.ts'
import type { Credentials } from './certificates.ts'

export interface TlsStranger {
  readonly credentials?: Credentials | undefined
  readonly version?: SecureVersion
  readonly session?: Buffer | undefined
  /** Of a node with several addresses, and where to call it from. */
  readonly host?: string
  readonly localPort?: number
}

export interface Heard {
  /** All that came, in the clear. */
  readonly bytes: Buffer
  /** The code of the error it ended with, if it did. */
  readonly code: string | undefined
  /** With which TLS session it could come back. */
  readonly session: Buffer | undefined
}

/** Connects to a node, says this without waiting for an answer, and hears until the node closes. */
export function call(
  port: number,
  stranger: TlsStranger,
  words: Buffer = helloTo(port),
): Promise<Heard> {
  const { credentials, version, session, host = '127.0.0.1', localPort } = stranger
  const socket =
    localPort === undefined
      ? undefined
      : connectTcp({ host, port, localAddress: '127.0.0.1', localPort })
  const options: ConnectionOptions = {
    ...{ host, port, rejectUnauthorized: false, ...credentials },
    ...(socket !== undefined && { socket }),
    ...(version !== undefined && { minVersion: version, maxVersion: version }),
    ...(session !== undefined && { session }),
  }
  const done = new Promise<Heard>((resolve) => {
    const chunks: Buffer[] = []
    let code: string | undefined
    let ticket: Buffer | undefined
    const secure = connect(options, () => secure.write(words))
    secure.on('session', (given) => (ticket = given))
    secure.on('data', (bytes: Buffer) => chunks.push(bytes))
    secure.on('error', (error: NodeJS.ErrnoException) => (code = error.code))
    secure.on('close', () => resolve({ bytes: Buffer.concat(chunks), code, session: ticket }))
  })
  return within(done, 'the end of a connection to a node')
}

/** As a node of the cluster `test` says it. */
function helloTo(port: number): Buffer {
  return encodeHandshake({
    ...{ type: 'Hello', version: protocolVersion, lane: 'data', hasSecret: false },
    ...{ clusterName: 'test', from: nodeIdOf('127.0.0.1:1', 7n), to: `127.0.0.1:${port}` },
    nonce: Buffer.alloc(32),
  })
}

/** Says this in the clear, and hears until the other end closes. */
export function callInTheClear(port: number, words: Buffer): Promise<Buffer> {
  const done = new Promise<Buffer>((resolve) => {
    const chunks: Buffer[] = []
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(words))
    socket.on('data', (bytes) => chunks.push(bytes))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
  return within(done, 'the end of a connection in the clear')
}

/** Says something in the clear, hears the other end close, and stays. */
export function stayInTheClear(port: number, words: Buffer): { close(): void } {
  const socket = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
    socket.write(words),
  )
  socket.on('error', () => undefined)
  socket.resume()
  return { close: () => socket.destroy() }
}

export interface StrangerServer {
  readonly port: number
  /** Connections that got as far as TLS goes. */
  readonly count: () => number
  close(): void
}

/** Takes calls of nodes, and says nothing. */
export async function answer({ credentials, version }: TlsStranger): Promise<StrangerServer> {
  let count = 0
  const server = createServer({
    ...{ ...credentials, requestCert: true, rejectUnauthorized: false },
    ...(version !== undefined && { minVersion: version, maxVersion: version }),
  })
  server.on('secureConnection', (socket) => {
    count++
    socket.on('error', () => undefined)
    socket.resume()
  })
  server.on('tlsClientError', () => undefined)
  return listening(server, () => count)
}

/** Takes calls in the clear, and answers with this. */
export async function answerInTheClear(words: Buffer): Promise<StrangerServer> {
  let count = 0
  const server = createTcpServer((socket) => {
    count++
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(words))
  })
  return listening(server, () => count)
}

async function listening(server: Server | TcpServer, count: () => number): Promise<StrangerServer> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, count, close: () => server.close() }
}
