/**
 * The network of one node: listens, speaks to other nodes, and gives refs to their actors. Start it before the actors
 * that use it; it stops by itself after the last actor of the system has.
 */
import { assert } from '../foundation/assert.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import type { ActorRef, ActorSystem } from '../actor/index.ts'
import type { InternalRef } from '../actor/internals.ts'
import { ValueCodec } from '../serialization/internals.ts'
import { Associations } from './associations.ts'
import { FailureReports } from './failure-reports.ts'
import type { HandshakeOptions, HandshakeRole } from './handshake/handshake-inputs.ts'
import type { Lane } from './lane.ts'
import { drawNonce } from './handshake/handshake-messages.ts'
import { InboundDelivery } from './link/inbound-delivery.ts'
import { InboundLink } from './link/inbound-link.ts'
import type { LinkWorld } from './link/link-owner.ts'
import { Listening } from './link/listening.ts'
import type { FrameHandler, PeerConnection } from './link/peer-connection.ts'
import {
  type Address,
  addressOf,
  addressOfNode,
  isNodeId,
  type NodeId,
  nodeIdOf,
} from '../foundation/node-id.ts'
import { AskTable } from './ref/ask-table.ts'
import { LaneChoice } from './ref/lane-choice.ts'
import { type Endpoint, LocalRecipients } from './ref/local-recipients.ts'
import { parseRefText, type RefText } from './ref/ref-text.ts'
import { RemoteRefCodec } from './ref/remote-ref-codec.ts'
import { RemoteQuestion } from './ref/remote-ref.ts'
import { InvalidActorAddress } from './remote-errors.ts'
import {
  problemsWithOptions,
  refuseInsecureBind,
  type RemotingOptions,
  secretsOf,
} from './remoting-options.ts'
import { type RemoteSettings, remoteSettingsTable, serializationOn } from './remote-settings.ts'
import type { Connection, ConnectionHandler, Listener } from './transport.ts'
import { MessageReader } from './wire/message-reader.ts'

export class Remoting {
  readonly address: Address
  readonly node: NodeId
  readonly #options: RemotingOptions
  readonly #listener: Listener
  readonly #listening: Listening
  readonly #world: LinkWorld
  readonly #recipients: LocalRecipients
  readonly #reports: FailureReports
  readonly #associations: Associations
  readonly #secrets: readonly string[]
  #stopped: Promise<void> | undefined

  /** Listens, and is ready to speak. Rejects with `PortTaken`, `HostNotOurs`, `InsecureBind` or `InvalidSettings`. */
  static async start(options: RemotingOptions): Promise<Remoting> {
    const settings = remoteSettingsTable.complete(options.settings)
    const problems = problemsWithOptions(options, settings)
    if (problems.length > 0) throw new InvalidSettings('The options of remoting', problems)
    refuseInsecureBind(options)
    // The port may be the system's choice, and who connects at once has to wait for the rest of us.
    let take: (connection: Connection) => ConnectionHandler = (connection) => {
      connection.destroy()
      return { opened() {}, received() {}, drained() {}, ready() {}, closed() {} }
    }
    const listener = await options.transport.listen(options.bind, (connection) => take(connection))
    const remoting = new Remoting(options, settings, listener)
    take = (connection) => remoting.#listening.accept(connection)
    return remoting
  }

  private constructor(options: RemotingOptions, settings: RemoteSettings, listener: Listener) {
    const { system, bind, advertised } = options
    const { host = bind.host, port = 0 } = advertised ?? {}
    this.#options = options
    this.#secrets = secretsOf(options.secret)
    this.#listener = listener
    this.address = addressOf(host, port === 0 ? listener.port : port)
    this.node = nodeIdOf(this.address, system.environment.random.uid())
    const asks = new AskTable()
    this.#recipients = new LocalRecipients(system, this.node, asks)
    this.#reports = new FailureReports(system)
    const refs = new RemoteRefCodec({
      self: this.node,
      runtime: system.runtime,
      asks,
      refTo: (text) => this.#refTo(text),
    })
    this.#world = {
      runtime: system.runtime,
      transport: options.transport,
      settings,
      handshakeFor: (role) => this.#handshakeFor(role),
      lanes: new LaneChoice(settings),
      makeCodec: (lane) =>
        new ValueCodec({ use: 'link', settings: serializationOn(lane, settings), refs }),
      registerAsk: (question) => void asks.register(question),
      onBadBytes: (bad) => this.#reports.badBytes(bad),
    }
    this.#associations = new Associations({
      world: this.#world,
      actorAt: (path) => this.#recipients.actorAt(path),
      onFailure: (failure, to) => this.#reports.outboundFailed(failure, to),
      onNeverReached: (peer) => this.#reports.neverReached(peer),
    })
    this.#listening = new Listening({
      world: this.#world,
      established: (peer, lane, connection) => this.#accepted(peer, lane, connection),
      failed: (failure, from) => this.#reports.inboundFailed(failure, from),
    })
    system.shutdown.addTask('actor-system-terminate', 'stop remoting', () => this.#stopLast(system))
  }

  // ---- refs

  /** The actor that this text names, as a ref prints itself: `sherd://shop@10.0.0.7:2552/user/cart`. */
  refTo(text: string): ActorRef<unknown> {
    const parsed = parseRefText(text)
    if (parsed === undefined) throw new InvalidActorAddress(text)
    return this.#refTo(parsed)
  }

  /**
   * Whoever lives under that path on that node, for those who know nobody there yet. With an address any incarnation is
   * meant, with a node id (which is an address with its incarnation) only that one.
   */
  refAt(where: Address, path: string): ActorRef<unknown> {
    const isNode = isNodeId(where)
    const address = isNode ? addressOfNode(where) : where
    const text = `sherd://${this.#options.system.name}@${address}${path}`
    const parsed = path.startsWith('/') ? parseRefText(text) : undefined
    if (parsed?.address !== address) throw new InvalidActorAddress(text)
    return this.#refTo({ ...parsed, nodeUid: isNode ? where.slice(-16) : undefined })
  }

  /**
   * @internal For rooms of the runtime: takes everything that is sent to names under `path`, without a mailbox. With the
   * lane control, this node also speaks to names under it on that lane: nodes serve alike.
   */
  serve(path: string, endpoint: Endpoint, lane: Exclude<Lane, 'large'> = 'data'): () => void {
    if (lane === 'control') this.#world.lanes.addControl(path)
    return this.#recipients.serve(path, endpoint)
  }

  #refTo(text: RefText): InternalRef {
    if (text.address === this.address) return this.#recipients.refTo(text)
    const association = this.#associations.with(text.address)
    const askNumber = RemoteQuestion.numberIn(text)
    if (askNumber === undefined || text.nodeUid === undefined) return association.refTo(text)
    const arrivedMs = association.runtime.environment.clock.monotonicMs()
    return association.questionOf(`${text.address}#${text.nodeUid}`, askNumber, arrivedMs)
  }

  // ---- peers

  /** The incarnation that lives at that address, as far as this node knows. */
  peerAt(address: Address): NodeId | undefined {
    return this.#associations.find(address)?.peer
  }

  /** Messages for that address that have not been handed to the network. */
  queuedFor(address: Address): number {
    return this.#associations.find(address)?.queued ?? 0
  }

  /** Messages for all peers together that have not been handed to the network. */
  get queued(): number {
    return this.#associations.queued
  }

  /** Peers that this node keeps in mind. */
  get peerCount(): number {
    return this.#associations.count
  }

  /** @internal That node is a member of the cluster: it is kept in mind before others, and awaited for longer. */
  nodeJoined(node: NodeId): void {
    this.#associations.nodeJoined(node)
  }

  /** @internal That node is gone for good: whoever watches an actor of it is told. */
  nodeRemoved(node: NodeId): void {
    this.#associations.nodeRemoved(node)
  }

  /**
   * @internal Resolves when what was sent to these nodes so far has come or is lost, or after `deathNoticeWaitMs`: so that the news
   * of this node's end does not overtake it.
   */
  settled(nodes: readonly NodeId[]): Promise<void> {
    const { timers } = this.#options.system.environment
    const peers = nodes.flatMap((node) => this.#associations.find(addressOfNode(node)) ?? [])
    return new Promise((resolve) => {
      let waiting = peers.length
      if (waiting === 0) return resolve()
      const patience = timers.after(this.#world.settings.deathNoticeWaitMs, () => {
        for (const takeBack of waits) takeBack()
        resolve()
      })
      const waits = peers.map((peer) =>
        peer.whenDataSettled(() => {
          if (--waiting > 0) return
          patience.cancel()
          resolve()
        }),
      )
    })
  }

  /** Gives that incarnation up for good: nothing is sent to it or taken from it any more. */
  quarantine(node: NodeId, reason: string): void {
    this.#associations.quarantine(node, reason)
  }

  // ---- connections

  #handshakeFor(role: HandshakeRole): HandshakeOptions {
    const { clusterName, certificates, system } = this.#options
    const nonce = drawNonce(system.environment.random)
    const objectionTo = this.#associations.objections(role.type === 'dialer')
    const proof = { secrets: this.#secrets, certificates, nonce }
    return { self: this.node, clusterName, ...proof, objectionTo, role }
  }

  #accepted(peer: NodeId, lane: Lane, connection: PeerConnection): FrameHandler {
    const association = this.#associations.find(addressOfNode(peer))
    assert(association !== undefined, 'who was not objected to has room')
    const { runtime, settings } = this.#world
    const delivery = new InboundDelivery(peer, association, this.#recipients, runtime)
    const link = new InboundLink({
      connection,
      reader: new MessageReader(this.#world.makeCodec(lane), delivery),
      serializedBytesMax: serializationOn(lane, settings).bytesMax,
      timers: runtime.environment.timers,
      confirmAfterMs: settings.confirmAfterMs,
      takeSystem: lane === 'control' ? (cursor) => association.takeSystem(cursor) : undefined,
      lastSystem: () => association.lastSystemTaken,
      onLost: (lost, reason) => {
        association.inboundLost(lane, lost)
        this.#reports.inboundLost(peer, lane, reason)
      },
    })
    association.accepted(lane, peer, link)
    return link
  }

  // ---- the end

  /** @internal Sends what waits, closes all connections and frees the port. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    const portFree = this.#listener.close()
    const { timers } = this.#options.system.environment
    await this.#associations.stop(timers, this.#world.settings.stopWaitMs)
    this.#associations.close()
    this.#listening.stop()
    await portFree
  }

  /** After the last actor, whose last words are to go out. */
  async #stopLast(system: ActorSystem): Promise<void> {
    await system.whenTerminated
    await this.stop()
  }
}
