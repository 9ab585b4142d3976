/**
 * A node with actors and a network and nothing above: what tests of remoting between processes are made of. Its actors
 * are listeners, which keep what they hear, and a post office, which passes letters on.
 */
import {
  type ActorRef,
  ActorSystem,
  Behaviors,
  DeadLetter,
  Dropped,
} from '../../../src/actor/index.ts'
import {
  HandshakeFailed,
  PeerConnected,
  PeerDisconnected,
  PeerQuarantined,
  type RemoteSettings,
  tcpTransport,
  ThisNodeQuarantined,
} from '../../../src/remote/index.ts'
import { Remoting } from '../../../src/remote/internals.ts'
import { parent } from '../harness/control-server.ts'
import type { Place } from '../harness/process-cluster.ts'

export interface RemotingNodeOptions {
  readonly settings?: Partial<RemoteSettings>
}

/** Goes round by these addresses, and is kept by the listener named last. */
interface Letter {
  readonly route: readonly string[]
  readonly listener: string
  readonly number: number
}

interface Question {
  readonly question: true
  readonly replyTo: ActorRef<unknown>
}

/** Fast enough for tests that wait for a second attempt. */
const quick: Partial<RemoteSettings> = { reconnectMinMs: 20, reconnectMaxMs: 200 }

export class RemotingNode {
  readonly #system: ActorSystem
  readonly #remoting: Remoting
  readonly #listeners = new Map<string, Listener>()
  readonly #refs: ActorRef<unknown>[] = []
  /** Names of listeners, one for each message heard. */
  readonly #order: string[] = []

  static async start(options: Place & RemotingNodeOptions): Promise<RemotingNode> {
    const { port, advertisedPort, settings } = options
    const system = new ActorSystem('proc', { settings: { exitProcess: true } })
    const remoting = await Remoting.start({
      system,
      transport: tcpTransport,
      clusterName: 'processes',
      bind: { host: '127.0.0.1', port },
      ...(advertisedPort !== undefined && { advertised: { port: advertisedPort } }),
      settings: { ...quick, ...settings },
    })
    return new RemotingNode(system, remoting)
  }

  private constructor(system: ActorSystem, remoting: Remoting) {
    this.#system = system
    this.#remoting = remoting
    this.#tellNews()
    system.spawn(
      Behaviors.receiveMessage<Letter>((letter) => this.#passOn(letter)),
      'post',
    )
  }

  /** Address and incarnation. */
  node(): string {
    return this.#remoting.node
  }

  // ---- listeners

  /** Starts an actor `/user/<name>` that keeps what it hears. One that ended may be followed by another. */
  listen(name: string): void {
    const listener = new Listener()
    this.#listeners.set(name, listener)
    listener.ref = this.#system.spawn(
      Behaviors.setup<unknown>((context) =>
        Behaviors.receiveMessage((message) => {
          if (message === stopWord) return Behaviors.stopped()
          if (isQuestion(message)) message.replyTo.tell({ self: context.self })
          else {
            this.#order.push(name)
            listener.hear(message)
          }
          return undefined
        }),
      ),
      name,
    )
  }

  /** Ends it, and answers when it is gone. */
  async endListener(name: string): Promise<void> {
    const ref = this.#listener(name).ref
    if (ref === undefined) return
    ref.tell(stopWord)
    await this.#system.whenStopped(ref)
  }

  /** What it has heard, when it has heard so much. */
  heard(name: string, count: number): Promise<unknown[]> {
    return this.#listener(name).heard(count)
  }

  /** Which listener heard something, one name per message, in the order of hearing. */
  order(): readonly string[] {
    return this.#order
  }

  // ---- sending

  tell(address: string, path: string, ...messages: readonly unknown[]): void {
    const ref = this.#remoting.refAt(address, path)
    for (const message of messages) ref.tell(message)
  }

  /** As many actors as told send so many numbered messages each, their turns mixed. */
  tellNumbered(address: string, path: string, senders: number, count: number): void {
    const to = this.#remoting.refAt(address, path)
    for (let sender = 0; sender < senders; sender++) {
      const name = `${this.#remoting.address}/${sender}`
      const sending = this.#system.spawn(
        Behaviors.receiveMessage<number>((number) => {
          to.tell({ sender: name, number })
          if (number + 1 < count) sending.tell(number + 1)
        }),
      )
      sending.tell(0)
    }
  }

  /** So many texts of that length, handed over at once. */
  tellLong(address: string, path: string, count: number, length: number): void {
    const to = this.#remoting.refAt(address, path)
    const text = 'x'.repeat(length)
    for (let number = 0; number < count; number++) to.tell({ number, text })
  }

  /** A function, which has no meaning in another process. */
  tellUnsendable(address: string, path: string): void {
    this.#remoting.refAt(address, path).tell({ deep: [() => undefined] })
  }

  /** Sends letters on their way; each comes to the post office of every address in turn. */
  sendLetters(route: readonly string[], listener: string, count: number): void {
    for (let number = 0; number < count; number++) this.#passOn({ route, listener, number })
  }

  /** Asks an actor for its own ref and keeps that; answers a handle. */
  async refOf(address: string, path: string): Promise<number> {
    const to = this.#remoting.refAt(address, path)
    const answer = await to.ask((replyTo: ActorRef<unknown>) => ({ question: true, replyTo }), {
      timeout: '10s',
    })
    return this.#refs.push((answer as { self: ActorRef<unknown> }).self) - 1
  }

  tellRef(handle: number, message: unknown): void {
    this.#refs[handle]?.tell(message)
  }

  // ---- peers

  peerAt(address: string): string | undefined {
    return this.#remoting.peerAt(address)
  }

  /** Answers when it keeps so many in mind. */
  async whenPeersAre(count: number): Promise<void> {
    while (this.#remoting.peerCount !== count) {
      await new Promise((resolve) => void setImmediate(resolve))
    }
  }

  quarantine(node: string): void {
    this.#remoting.quarantine(node, 'a test wants it')
  }

  /** As when it has left the cluster in good order. */
  nodeRemoved(node: string): void {
    this.#remoting.nodeRemoved(node)
  }

  /** Answers when that actor is known to be gone. */
  whenGone(address: string, path: string): Promise<void> {
    return this.#system.whenStopped(this.#remoting.refAt(address, path))
  }

  #passOn(letter: Letter): void {
    const [next, ...route] = letter.route
    if (next === undefined) return this.#listener(letter.listener).hear(letter.number)
    this.#remoting.refAt(next, '/user/post').tell({ ...letter, route })
  }

  #listener(name: string): Listener {
    const listener = this.#listeners.get(name)
    if (listener === undefined) throw new Error(`there is no listener ${name}`)
    return listener
  }

  #tellNews(): void {
    const { eventStream } = this.#system
    eventStream.subscribe(PeerConnected, ({ type, node, lane }) =>
      parent.tell({ type, node, lane }),
    )
    eventStream.subscribe(PeerDisconnected, ({ type, node, lane, reason }) =>
      parent.tell({ type, node, lane, reason }),
    )
    eventStream.subscribe(PeerQuarantined, ({ type, node }) => parent.tell({ type, node }))
    eventStream.subscribe(ThisNodeQuarantined, ({ type, by }) => parent.tell({ type, by }))
    eventStream.subscribe(HandshakeFailed, ({ type, error }) =>
      parent.tell({ type, code: error.code }),
    )
    const tellLost = ({ type, reason, message }: DeadLetter | Dropped): void =>
      parent.tell({ type, reason, message: typeof message === 'string' ? message : '' })
    eventStream.subscribe(DeadLetter, tellLost)
    eventStream.subscribe(Dropped, tellLost)
  }
}

const stopWord = 'stop'

/** What one listener heard, and who waits for it to hear more. */
class Listener {
  ref: ActorRef<unknown> | undefined
  readonly #heard: unknown[] = []
  #waiting: (() => void)[] = []

  hear(message: unknown): void {
    this.#heard.push(message)
    const waiting = this.#waiting
    this.#waiting = []
    for (const look of waiting) look()
  }

  async heard(count: number): Promise<unknown[]> {
    while (this.#heard.length < count) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    return [...this.#heard]
  }
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'question' in message
}
