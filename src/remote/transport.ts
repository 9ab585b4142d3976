/**
 * The port for the network: streams of bytes between processes, as TCP gives them. Bytes of one connection keep their
 * order; trouble is a stall or an end, never a gap. Chunks have no meaning: they are cut and joined at will.
 */

export interface Transport {
  /** Takes connections. Rejects with `PortTaken` or `HostNotOurs`. Port 0 lets the system choose. */
  listen(at: HostAndPort, accept: (connection: Connection) => ConnectionHandler): Promise<Listener>
  /** Begins to connect and answers at once; the handler hears how it went, never synchronously. */
  connect(to: HostAndPort, handler: ConnectionHandler, options: ConnectOptions): Connection
}

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

export interface ConnectOptions {
  /** After this the handler hears `closed` with `timed-out`. */
  readonly timeoutMs: number
}

export interface Listener {
  readonly port: number
  /** Takes no more connections; those it has taken live on. Resolves when the port is free. */
  close(): Promise<void>
}

export interface Connection {
  /** Where the other end is, for people. */
  readonly peer: string
  /** Nothing written is held here any more: buffers that were given to `write` may be used again. */
  readonly isIdle: boolean
  /**
   * Sends these bytes after all earlier ones; they must not change while the connection is not idle. False asks to
   * write no more until `drained`. Ignored after the end.
   */
  write(bytes: Buffer): boolean
  /** Asks for one call of `ready`, when this round of reading is over: what is written then shares few packets. */
  askForTurn(): void
  /** Sends what was written, then closes. */
  end(): void
  /** Closes now. */
  destroy(): void
}

/** What a connection tells its owner. Must not throw. */
export interface ConnectionHandler {
  /**
   * The connection is encrypted: once, before all else, and never on a network in the clear. Whoever wraps a handler and
   * does not pass this on gets no connection where encryption is demanded.
   */
  secured?(channel: SecureChannel): void
  /** It never will be: the other end is being told, and closed when it has read that or takes too long. */
  notSecured?(reason: CloseReason): void
  /** The connection that was asked for stands. Not called for accepted ones: they stand from the start. */
  opened(): void
  /** The bytes are the handler's to keep. */
  received(bytes: Buffer): void
  drained(): void
  /** The turn that was asked for; not after the end. */
  ready(): void
  /** Once, and last, whoever closed. */
  closed(reason: CloseReason): void
}

/** What encryption shows about a connection. Nothing is decided by it yet. */
export interface SecureChannel {
  /** Bytes that the two ends of this very connection can compute, and nobody else. */
  readonly binding: Buffer
  /** What the other end has shown, and proved to have the key of; undefined when nothing. */
  readonly certificate: PeerCertificate | undefined
  /** Why that certificate is not to be trusted; undefined when an authority of ours has signed it, for now and for this use. */
  readonly distrust: CertificateDistrust | undefined
}

export interface CertificateDistrust {
  /** `expired` is also one whose time has not come. */
  readonly type: 'expired' | 'untrusted'
  /** As OpenSSL names it, such as CERT_HAS_EXPIRED. */
  readonly code: string
}

/** What a certificate says of the node that shows it. */
export interface PeerCertificate {
  /** Its subject alternative names, by kind. Names with characters that no host name has are left out. */
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  readonly uris: readonly string[]
  /** In hexadecimal, as `openssl x509 -serial` prints it. */
  readonly serialNumber: string
  /** SHA-256 over all of it, as `openssl x509 -fingerprint -sha256` prints it. */
  readonly fingerprint256: string
  /** As text, such as `CN=node`. */
  readonly subject: string
  readonly issuer: string
  readonly validFromMs: number
  /** When it runs out. */
  readonly validToMs: number
}

export interface CloseReason {
  readonly type:
    /** Somebody is there and says that nobody listens. */
    | 'refused'
    | 'timed-out'
    /** The name of the host cannot be resolved. */
    | 'unknown-host'
    /** There is no way to that host. */
    | 'unreachable'
    /** It broke. */
    | 'reset'
    /** The other end closed it. */
    | 'ended'
    /** This end closed it. */
    | 'destroyed'
    /** The other end does not speak TLS where this one does, or not a version that is spoken here, or it went wrong. */
    | 'no-tls'
    | 'tls-version'
    | 'tls-failed'
  readonly detail: string
}
