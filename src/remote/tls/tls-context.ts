/**
 * Keys and certificates as OpenSSL has them. Before they are used, a connection is made with them from here to here, so
 * that a node which others would refuse finds that out itself.
 */
import { Duplex } from 'node:stream'
import {
  connect,
  createSecureContext,
  createServer,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls'
import { inNobodysContext } from '../../foundation/async-context.ts'
import type { CertificateDistrust } from '../transport.ts'
import type { TlsMaterial } from './tls-material.ts'

export interface TlsContext {
  /** For servers, which make a context of it themselves. */
  readonly options: SecureContextOptions
  readonly context: SecureContext
}

/** Throws when the texts are none, or do not go together. */
export function contextOf(
  { ca, cert, key }: TlsMaterial,
  passphrase: string | undefined,
): TlsContext {
  const options: SecureContextOptions = {
    ...{ ca: [...ca], cert, key, minVersion: 'TLSv1.3' },
    ...(passphrase !== undefined && { passphrase }),
  }
  return { options, context: createSecureContext(options) }
}

/**
 * Both ends are asked for a certificate, and judged by us: Node itself would close the connection without a word, and the
 * other end would not learn why.
 */
export const judgedByUs = {
  requestCert: true,
  rejectUnauthorized: false,
} as const

/** Undefined when an authority of ours has signed what the other end shows, for now and for this use. */
export function distrustOf(socket: TLSSocket): CertificateDistrust | undefined {
  if (socket.authorized) return undefined
  // An error by its type, and a text in fact.
  const code = String(socket.authorizationError)
  const isOfTime = code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID'
  return { type: isOfTime ? 'expired' : 'untrusted', code }
}

/** Why other nodes with the same authorities would refuse it, in either role; undefined when they would not. */
export function rehearse({ options, context }: TlsContext): Promise<string | undefined> {
  return inNobodysContext(
    () =>
      new Promise((resolve) => {
        const [near, far] = duplexPair()
        const server = createServer({ ...options, ...judgedByUs })
        const codes: (string | undefined)[] = []
        const heard = (code: string | undefined): void => {
          codes.push(code)
          if (codes.length < 2 && code === undefined) return
          near.destroy()
          far.destroy()
          resolve(codes.find((each) => each !== undefined))
        }
        const failed = (error: NodeJS.ErrnoException): void => heard(error.code ?? error.message)
        server.once('secureConnection', (socket) => {
          socket.once('error', failed)
          heard(distrustOf(socket)?.code)
        })
        server.once('tlsClientError', failed)
        const socket = connect({ socket: near, secureContext: context, ...asDialer })
        socket.once('error', failed)
        socket.once('secureConnect', () => heard(distrustOf(socket)?.code))
        server.emit('connection', far)
      }),
  )
}

/** For one who calls: names are looked at by us, once both ends can be told why not. */
export const asDialer = {
  ...judgedByUs,
  checkServerIdentity: () => undefined,
}

/** Two streams of which each reads what is written to the other. */
function duplexPair(): [Duplex, Duplex] {
  const make = (other: () => Duplex): Duplex =>
    new Duplex({
      read: () => undefined,
      write: (bytes, _encoding, done) => {
        other().push(bytes)
        done()
      },
      final: (done) => {
        other().push(null)
        done()
      },
    })
  const near: Duplex = make(() => far)
  const far: Duplex = make(() => near)
  return [near, far]
}
