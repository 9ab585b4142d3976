/** What can be tuned about the network between nodes, and what each choice costs. */
import { minutes, seconds } from '../foundation/duration.ts'
import { unknownSettings } from '../foundation/invalid-settings.ts'
import { show } from '../foundation/show.ts'
import {
  defaultSerializationSettings,
  problemsWithSerializationSettings,
  type SerializationSettings,
} from '../serialization/index.ts'
import type { Lane } from './handshake/handshake-messages.ts'
import { isLargeMessagePath } from './ref/lane-choice.ts'

export interface RemoteSettings {
  /** How long a connection may take to come about. Longer hides a dead host, shorter fails over slow networks. */
  readonly connectTimeoutMs: number
  /** How long both ends may take to agree who they are; after it the connection is closed. */
  readonly handshakeTimeoutMs: number
  /** The first pause after a failed connection; it doubles with each further failure. Shorter burdens a starting peer. */
  readonly reconnectMinMs: number
  /** The longest such pause: how late a node that came back may be noticed. */
  readonly reconnectMaxMs: number
  /** How long messages wait for a node that cannot be reached; then they become dead letters. */
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
  /** How long the news of a death waits for messages sent before it. Longer delays a watcher behind a slow link. */
  readonly deathNoticeWaitMs: number
  /** System messages (watch, unwatch, deaths) without confirmation; one more and the peer is quarantined. */
  readonly systemMessagesMax: number
  /** How long one of them may stay without confirmation before the peer is quarantined. */
  readonly systemGiveUpAfterMs: number
  /** Connections accepted at once; more are closed at once. Two per peer are used, or three with large messages. */
  readonly connectionsMax: number
  /** Of these, how many may be strangers: what a flood of half-open connections may cost. For one more another goes. */
  readonly handshakesMax: number
  /** Refs of one peer's actors that are kept, so that equal refs are `===`. */
  readonly refsMax: number
  /** Peers that are kept in mind; beyond, those that are not spoken with are forgotten. */
  readonly peersMax: number
  /** How long stopping waits for what was sent to leave this node. */
  readonly stopWaitMs: number
  /** Actors under these paths are spoken to on the control lane, which user data cannot hold up. For small messages. */
  readonly controlPaths: readonly string[]
  /**
   * Actors under `/user` that this node sends large messages to, by a lane of their own, so that small ones to others do
   * not wait behind them. Paths such as `/user/images`, with `*` for one name and `**` at the end for one or more.
   * The sender decides: other nodes may have other paths, or none.
   */
  readonly largeMessagePaths: readonly string[]
  /** Bytes of one message on that lane, instead of `serialization.bytesMax`. The same on every node. */
  readonly largeMessageBytesMax: number
  /** Limits of one message. The same on every node. */
  readonly serialization: SerializationSettings
}

export const defaultRemoteSettings: RemoteSettings = {
  connectTimeoutMs: seconds(5),
  handshakeTimeoutMs: seconds(5),
  reconnectMinMs: 100,
  reconnectMaxMs: seconds(5),
  giveUpAfterMs: seconds(20),
  queueMessagesMax: 200_000,
  largeQueueMessagesMax: 256,
  queueBytesMax: 32 * 1024 * 1024,
  idleAfterMs: minutes(5),
  confirmAfterMs: 500,
  deathNoticeWaitMs: seconds(3),
  systemMessagesMax: 20_000,
  systemGiveUpAfterMs: minutes(360),
  connectionsMax: 4_096,
  handshakesMax: 256,
  refsMax: 65_536,
  peersMax: 4_096,
  stopWaitMs: seconds(1),
  controlPaths: ['/system/cluster', '/system/singletons', '/system/sharding'],
  largeMessagePaths: [],
  largeMessageBytesMax: 64 * 1024 * 1024,
  serialization: defaultSerializationSettings,
}

/** What can be chosen, each name alone. */
export interface ChosenRemoteSettings extends Partial<Omit<RemoteSettings, 'serialization'>> {
  readonly serialization?: Partial<SerializationSettings>
}

/** What was chosen, with defaults for the rest. */
export function remoteSettings(chosen: ChosenRemoteSettings = {}): RemoteSettings {
  const serialization = { ...defaultSerializationSettings, ...chosen.serialization }
  return { ...defaultRemoteSettings, ...chosen, serialization }
}

const times = [
  'connectTimeoutMs',
  'handshakeTimeoutMs',
  'reconnectMinMs',
  'reconnectMaxMs',
  'giveUpAfterMs',
  'idleAfterMs',
  'confirmAfterMs',
  'deathNoticeWaitMs',
  'systemGiveUpAfterMs',
  'stopWaitMs',
] as const

const counts = [
  'queueMessagesMax',
  'largeQueueMessagesMax',
  'queueBytesMax',
  'systemMessagesMax',
  'connectionsMax',
  'handshakesMax',
  'refsMax',
  'peersMax',
] as const

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithRemoteSettings(settings: RemoteSettings): string[] {
  const problems = unknownSettings(settings, defaultRemoteSettings)
  for (const problem of problemsWithSerializationSettings(settings.serialization)) {
    problems.push(`serialization.${problem}`)
  }
  for (const name of times) {
    const value = settings[name]
    if (!(typeof value === 'number' && value > 0 && value < Infinity)) {
      problems.push(`${name} must be a positive number of milliseconds, not ${String(value)}`)
    }
  }
  for (const name of counts) {
    const value = settings[name]
    if (!Number.isSafeInteger(value) || value < 1) {
      problems.push(`${name} must be a whole number of at least 1, not ${String(value)}`)
    }
  }
  if (settings.reconnectMinMs > settings.reconnectMaxMs) {
    problems.push('reconnectMinMs must not be longer than reconnectMaxMs')
  }
  const { controlPaths } = settings
  const arePaths =
    Array.isArray(controlPaths) &&
    controlPaths.every((path) => /^\/(system|user)(\/|$)/.test(String(path)))
  if (!arePaths) {
    problems.push('controlPaths must be paths such as /system/cluster')
  }
  return [...problems, ...problemsWithLargeMessages(settings)]
}

function problemsWithLargeMessages(settings: RemoteSettings): string[] {
  const { largeMessagePaths: paths, largeMessageBytesMax: bytesMax, serialization } = settings
  const problems: string[] = []
  if (!Array.isArray(paths)) problems.push('largeMessagePaths must be a list of paths')
  else {
    for (const path of paths) {
      if (isLargeMessagePath(path)) continue
      problems.push(
        `largeMessagePaths: ${show(path)} is no path such as /user/images, /user/*/upload or /user/images/**`,
      )
    }
  }
  const alone = { ...defaultSerializationSettings, bytesMax }
  const isInRange = problemsWithSerializationSettings(alone).length === 0
  if (!isInRange || bytesMax < serialization.bytesMax) {
    problems.push(
      `largeMessageBytesMax must be a whole number from serialization.bytesMax (${serialization.bytesMax}) to 256 MiB, not ${String(bytesMax)}`,
    )
  }
  return problems
}

/** The limits of one message on that lane. */
export function serializationOn(lane: Lane, settings: RemoteSettings): SerializationSettings {
  const { serialization, largeMessageBytesMax } = settings
  return lane === 'large' ? { ...serialization, bytesMax: largeMessageBytesMax } : serialization
}
