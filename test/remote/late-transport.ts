/**
 * A transport around another one that holds the end of each handshake up: from when the dialer has proved itself, either
 * what it says or what it hears waits here, and the end of the connection behind it, until it is released.
 */
import type {
  Connection,
  ConnectionHandler,
  HostAndPort,
  Transport,
} from '../../src/remote/index.ts'

export class LateTransport implements Transport {
  readonly #inner: Transport
  readonly #held: (() => void)[] = []
  #late: 'proof' | 'answer' | undefined

  /** `proof`: what the dialer says is late; `answer`: what it hears. */
  constructor(inner: Transport, late: 'proof' | 'answer') {
    this.#inner = inner
    this.#late = late
  }

  get holds(): boolean {
    return this.#held.length > 0
  }

  /** What waits arrives, and nothing is late from now on. */
  release(): void {
    this.#late = undefined
    for (const arrive of this.#held.splice(0)) arrive()
  }

  listen(...args: Parameters<Transport['listen']>): ReturnType<Transport['listen']> {
    return this.#inner.listen(...args)
  }

  connect(
    to: HostAndPort,
    handler: ConnectionHandler,
    options: Parameters<Transport['connect']>[2],
  ): Connection {
    let written = 0
    /** The first thing that is written is the Hello, the second the proof. */
    const later = (late: 'proof' | 'answer', act: () => void): void => {
      if (written >= 2 && this.#late === late) this.#held.push(act)
      else act()
    }
    const inner = this.#inner.connect(
      to,
      {
        opened: () => handler.opened(),
        received: (bytes) => later('answer', () => handler.received(bytes)),
        drained: () => handler.drained(),
        ready: () => handler.ready(),
        closed: (reason) => later('answer', () => handler.closed(reason)),
      },
      options,
    )
    return {
      peer: inner.peer,
      isIdle: true,
      write: (bytes) => {
        written++
        later('proof', () => void inner.write(bytes))
        return true
      },
      askForTurn: () => inner.askForTurn(),
      end: () => later('proof', () => inner.end()),
      destroy: () => later('proof', () => inner.destroy()),
    }
  }
}
