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
  readonly detail: string
}
