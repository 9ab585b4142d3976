/**
 * Certificates for tests and benchmarks, made on the spot: none can run out, and nothing beside Node is needed. A
 * certificate is a few nested values in DER (X.509 version 3); OpenSSL, which reads them, is the judge of that.
 */
import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign as signBytes,
} from 'node:crypto'

/** A certificate and its key, as PEM. */
export interface Credentials {
  readonly cert: string
  readonly key: string
}

export interface CertificateShape {
  readonly dnsNames?: readonly string[]
  readonly ipAddresses?: readonly string[]
  readonly uris?: readonly string[]
  readonly commonName?: string
  /** Seconds from now; negative ones have passed. */
  readonly fromSeconds?: number
  readonly toSeconds?: number
  /** What it may be used for; both when not given. */
  readonly uses?: readonly ('serverAuth' | 'clientAuth')[]
  /** May sign others. */
  readonly isAuthority?: boolean
}

const day = 86_400

/** Signs certificates. */
export class Authority {
  readonly cert: string
  readonly key: string
  readonly #name: Buffer
  readonly #privateKey: KeyObject

  /** Signs itself, unless another does. */
  constructor(commonName = 'test authority', issuer?: Authority, shape: CertificateShape = {}) {
    const { privateKey, publicKey } = newKeys()
    this.#name = nameOf(commonName)
    this.#privateKey = privateKey
    this.key = pemOf(privateKey)
    this.cert = certificate({
      ...{
        issuer: issuer === undefined ? this.#name : issuer.#name,
        subject: this.#name,
        publicKey,
      },
      ...{
        signer: issuer === undefined ? privateKey : issuer.#privateKey,
        shape: { ...shape, isAuthority: true },
      },
    })
  }

  /** For a node of the cluster `test`, when nothing else is said. */
  issue(shape: CertificateShape = {}): Credentials {
    const { privateKey, publicKey } = newKeys()
    const { commonName = 'node', dnsNames = ['node.test'], ...rest } = shape
    const cert = certificate({
      ...{ issuer: this.#name, subject: nameOf(commonName), publicKey },
      ...{ signer: this.#privateKey, shape: { dnsNames, ...rest } },
    })
    return { cert, key: pemOf(privateKey) }
  }

  /** What `startNode` takes as `tls`. */
  credentials(shape: CertificateShape = {}): Credentials & { readonly ca: string } {
    return { ca: this.cert, ...this.issue(shape) }
  }
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

interface Making {
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly shape: CertificateShape
}

function certificate({ issuer, subject, publicKey, signer, shape }: Making): string {
  const { fromSeconds = -day, toSeconds = 90 * day } = shape
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'))
  const contents = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    algorithm,
    issuer,
    sequence(time(fromSeconds), time(toSeconds)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensionsOf(shape, publicKey, signer))),
  )
  const signature = signBytes('sha256', contents, signer)
  const der = sequence(contents, algorithm, bits(signature))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/** IPv6 with all its eight parts. */
function bytesOfIp(ip: string): Buffer {
  if (!ip.includes(':')) return Buffer.from(ip.split('.').map(Number))
  const parts = ip.split(':').map((part) => part.padStart(4, '0'))
  return Buffer.from(parts.join(''), 'hex')
}

function extensionsOf(shape: CertificateShape, publicKey: KeyObject, signer: KeyObject): Buffer[] {
  const { dnsNames = [], ipAddresses = [], uris = [], uses = ['serverAuth', 'clientAuth'] } = shape
  const keyIds = [
    extension('2.5.29.14', value(0x04, keyIdOf(publicKey))),
    extension('2.5.29.35', sequence(value(0x80, keyIdOf(createPublicKey(signer))))),
  ]
  if (shape.isAuthority === true) {
    return [
      ...keyIds,
      critical('2.5.29.19', sequence(value(0x01, Buffer.from([0xff])))),
      critical('2.5.29.15', value(0x03, Buffer.from([1, 0x06]))),
    ]
  }
  const names = [
    ...dnsNames.map((name) => value(0x82, Buffer.from(name, 'latin1'))),
    ...uris.map((uri) => value(0x86, Buffer.from(uri, 'latin1'))),
    ...ipAddresses.map((ip) => value(0x87, bytesOfIp(ip))),
  ]
  const useIds = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' }
  return [
    ...keyIds,
    extension('2.5.29.37', sequence(...uses.map((use) => oid(useIds[use])))),
    ...(names.length > 0 ? [extension('2.5.29.17', sequence(...names))] : []),
  ]
}

/** Enough to tell the keys of a test apart. */
function keyIdOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' }).subarray(-20)
}

// ---- DER

function value(tag: number, contents: Buffer): Buffer {
  const { length } = contents
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), contents])
  const size = Buffer.from(length < 0x100 ? [length] : [length >> 8, length & 0xff])
  return Buffer.concat([Buffer.from([tag, 0x80 + size.length]), size, contents])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return value(0x30, Buffer.concat(parts))
}

function tagged(number: number, contents: Buffer): Buffer {
  return value(0xa0 + number, contents)
}

/** Positive ones only. */
function integer(bytes: Buffer): Buffer {
  const first = bytes[0] ?? 0
  return value(0x02, Buffer.concat([Buffer.from([first & 0x7f || 1]), bytes.subarray(1)]))
}

function bits(bytes: Buffer): Buffer {
  return value(0x03, Buffer.concat([Buffer.from([0]), bytes]))
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [40 * first + second]
  for (const number of rest) {
    const digits = [number & 0x7f]
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift(0x80 | (left & 0x7f))
    bytes.push(...digits)
  }
  return value(0x06, Buffer.from(bytes))
}

function time(secondsFromNow: number): Buffer {
  const at = new Date(Date.now() + secondsFromNow * 1_000).toISOString()
  return value(0x18, Buffer.from(`${at.replace(/[-:T]|\..*$/g, '')}Z`))
}

function nameOf(commonName: string): Buffer {
  const text = value(0x0c, Buffer.from(commonName))
  return sequence(value(0x31, sequence(oid('2.5.4.3'), text)))
}

function extension(id: string, contents: Buffer): Buffer {
  return sequence(oid(id), value(0x04, contents))
}

function critical(id: string, contents: Buffer): Buffer {
  return sequence(oid(id), value(0x01, Buffer.from([0xff])), value(0x04, contents))
}
