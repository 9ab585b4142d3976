/** What can be tuned about the network between nodes, and what each choice costs. */
import { minutes, seconds } from '../foundation/duration.ts'
import { count, listOf, milliseconds, section } from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'
import type { SerializationSettings } from '../serialization/index.ts'
import { BYTES_MAX_MAX, serializationSettingsTable } from '../serialization/internals.ts'
import type { Lane } from './lane.ts'
import { isLargeMessagePath } from './ref/lane-choice.ts'
import { type CertificateSettings, certificateSettingsTable } from './tls/certificate-settings.ts'

export interface RemoteSettings {
  /** How long a connection may take to come about. Longer hides a dead host, shorter fails over slow networks. */
  readonly connectTimeoutMs: number
  /** How long both ends may take to agree who they are; after it the connection is closed. */
  readonly handshakeTimeoutMs: number
  /** The first pause after a failed connection; it doubles with each further failure. Shorter burdens a starting peer. */
  readonly reconnectMinMs: number
  /** The longest such pause: how late a node that came back may be noticed. */
  readonly reconnectMaxMs: number
  /**
   * How long messages wait for a node that cannot be reached; then they become dead letters. As long is a node awaited whose
   * actors are watched, if it is no member of the cluster; then who watches them is told that they are gone.
   */
  readonly giveUpAfterMs: number
  /**
   * Messages that wait for one node on one lane, not yet handed to the network; the next is dropped. Fewer than are sent
   * at once to a node that is not connected yet refuses some of them, though that node has nothing to do.
   */
  readonly queueMessagesMax: number
  /** The same for the lane of large messages. */
  readonly largeQueueMessagesMax: number
  /** The same in bytes: what a slow or silent peer may cost this node in memory, per lane. */
  readonly queueBytesMax: number
  /** A connection without traffic for so long is closed; the next message opens it again. */
  readonly idleAfterMs: number
  /** How late a receiver may say what it has. Longer makes the count of possibly lost messages less exact. */
  readonly confirmAfterMs: number
  /**
   * How long the news of a death waits for messages sent before it. Longer delays a watcher behind a slow link. When more
   * than `systemMessagesMax` wait, the oldest is told at once.
   */
  readonly deathNoticeWaitMs: number
  /**
   * System messages (watch, unwatch, deaths) without confirmation; one more and the peer is quarantined. So it is when more of its
   * actors are watched than this, it is no member, and it could not be reached for `giveUpAfterMs`: each watch has to be taken back.
   */
  readonly systemMessagesMax: number
  /**
   * How long one of them may stay without confirmation before the peer is quarantined: a network that is broken for longer
   * costs both nodes each other. For a peer that is no member and was never reached, `giveUpAfterMs` is enough.
   */
  readonly systemGiveUpAfterMs: number
  /** Connections accepted at once; more are closed at once. Two per peer are used, or three with large messages. */
  readonly connectionsMax: number
  /** Of these, how many may be strangers: what a flood of half-open connections may cost. For one more another goes. */
  readonly handshakesMax: number
  /** Refs of one peer's actors that are kept, so that equal refs are `===`. */
  readonly refsMax: number
  /**
   * A peer with whom nothing was under way for so long, at most for twice as long, is forgotten, quarantined or not; not one with
   * whom watches have passed, while it lives. Which of its incarnations are over is remembered, of the last of some ten thousand
   * peers: a member that was removed, and with whom watches had passed, is refused when it calls after that. A ref that is made
   * then is not `===` to one made before. Shorter frees memory sooner.
   */
  readonly forgetAfterMs: number
  /**
   * Peers that are kept in mind. Beyond, those that are not spoken with are forgotten, then those that were named and never
   * reached, with what waits for them. Fewer than the cluster has members makes messages between them dead letters.
   */
  readonly peersMax: number
  /** How long stopping waits for what was sent to leave this node. */
  readonly stopWaitMs: number
  /**
   * Actors under these paths are spoken to on the control lane, beside those of the runtime: user data cannot hold it up.
   * For small messages.
   */
  readonly controlPaths: readonly string[]
  /**
   * Actors under `/user` that this node sends large messages to, by a lane of their own, so that small ones to others do
   * not wait behind them. Paths such as `/user/images`, with `*` for one name and `**` at the end for one or more.
   * The sender decides: other nodes may have other paths, or none.
   */
  readonly largeMessagePaths: readonly string[]
  /** Bytes of one message on that lane, instead of `serialization.bytesMax`. The same on every node. */
  readonly largeMessageBytesMax: number
  /** Of the node's own certificates, where it has the option `tls`. */
  readonly certificates: CertificateSettings
  /** Limits of one message. The same on every node. */
  readonly serialization: SerializationSettings
}

/** What can be chosen, each name alone. */
export interface ChosenRemoteSettings extends Partial<
  Omit<RemoteSettings, 'certificates' | 'serialization'>
> {
  readonly certificates?: Partial<CertificateSettings>
  readonly serialization?: Partial<SerializationSettings>
}

export const remoteSettingsTable = new SettingsTable<RemoteSettings>(
  {
    connectTimeoutMs: milliseconds(seconds(5)),
    handshakeTimeoutMs: milliseconds(seconds(5)),
    reconnectMinMs: milliseconds(100),
    reconnectMaxMs: milliseconds(seconds(5)),
    giveUpAfterMs: milliseconds(seconds(20)),
    queueMessagesMax: count(200_000, 'messages'),
    largeQueueMessagesMax: count(256, 'messages'),
    queueBytesMax: count(32 * 1024 * 1024, 'bytes'),
    idleAfterMs: milliseconds(minutes(5)),
    confirmAfterMs: milliseconds(500),
    deathNoticeWaitMs: milliseconds(seconds(3)),
    systemMessagesMax: count(20_000, 'messages'),
    systemGiveUpAfterMs: milliseconds(minutes(360)),
    connectionsMax: count(4_096, 'connections'),
    handshakesMax: count(256, 'connections'),
    refsMax: count(65_536, 'refs'),
    forgetAfterMs: milliseconds(minutes(60)),
    peersMax: count(4_096, 'peers'),
    stopWaitMs: milliseconds(seconds(1)),
    controlPaths: listOf([], 'a path such as /user/urgent', (path) =>
      /^\/(system|user)(\/|$)/.test(String(path)),
    ),
    largeMessagePaths: listOf(
      [],
      'a path such as /user/images, /user/*/upload or /user/images/**',
      isLargeMessagePath,
    ),
    largeMessageBytesMax: count(64 * 1024 * 1024, 'bytes', { max: BYTES_MAX_MAX }),
    certificates: section(certificateSettingsTable),
    serialization: section(serializationSettingsTable),
  },
  [
    '{reconnectMinMs} must be at most {reconnectMaxMs}',
    '{largeMessageBytesMax} must be at least {serialization.bytesMax}',
  ],
)

export const defaultRemoteSettings = remoteSettingsTable.defaults

/** The limits of one message on that lane. */
export function serializationOn(lane: Lane, settings: RemoteSettings): SerializationSettings {
  const { serialization, largeMessageBytesMax } = settings
  return lane === 'large' ? { ...serialization, bytesMax: largeMessageBytesMax } : serialization
}
