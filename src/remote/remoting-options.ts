/** What a node must say to have a network, and what is wrong with it. */
import type { ActorSystem } from '../actor/index.ts'
import type { Chosen } from '../foundation/chosen.ts'
import type { Logger } from '../foundation/logger.ts'
import { show } from '../foundation/show.ts'
import { isWellFormed, utf8Length } from '../foundation/text.ts'
import { addressOf, isAddress } from '../foundation/node-id.ts'
import { InsecureBind } from './remote-errors.ts'
import {
  type ChosenRemoteSettings,
  type RemoteSettings,
  remoteSettingsTable,
} from './remote-settings.ts'
import type { CertificateRules } from './tls/certificate-rules.ts'
import type { HostAndPort, Transport } from './transport.ts'

export interface RemotingOptions {
  readonly system: ActorSystem
  readonly transport: Transport
  /** Nodes of other names are refused: two clusters on one network cannot mix. */
  readonly clusterName: string
  /** Where to listen; port 0 lets the system choose. */
  readonly bind: HostAndPort
  /** How others reach this node when that differs from `bind`: behind a proxy, or when bound to 0.0.0.0. */
  readonly advertised?: Chosen<HostAndPort>
  /** The same on every node of the cluster, at least 16 characters; or several, of which the first is used. Never travels. */
  readonly secret?: Secret | undefined
  /** Demands that connections are encrypted, and says which certificates are accepted. For a transport that does so. */
  readonly certificates?: CertificateRules | undefined
  /** Allows a bind that other machines can reach without secret or certificates. Whoever reaches it is in the cluster. */
  readonly insecure?: boolean
  readonly settings?: ChosenRemoteSettings
}

/** One, or while it is replaced several: nodes prove themselves by the first, and accept all. */
export type Secret = string | readonly string[]

const secretCharactersMin = 16
const clusterNameBytesMax = 256

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithOptions(options: RemotingOptions, settings: RemoteSettings): string[] {
  const { clusterName, bind, advertised, secret } = options
  const problems = remoteSettingsTable.problemsWith(settings)
  const isName = typeof clusterName === 'string' && clusterName !== '' && isWellFormed(clusterName)
  if (!isName || utf8Length(clusterName) > clusterNameBytesMax) {
    problems.push(`clusterName must be a text of 1 to ${clusterNameBytesMax} bytes`)
  }
  problems.push(...problemsWithPlace('bind', bind))
  problems.push(...problemsWithSecret('secret', secret))
  return [...problems, ...problemsWithAdvertised(bind.host, advertised)]
}

/** Nothing of it is shown, whatever it is. */
export function problemsWithSecret(name: string, given: unknown): string[] {
  if (given === undefined) return []
  const isList = Array.isArray(given)
  const all: readonly unknown[] = isList ? given : [given]
  const areLong = all.every(
    (each) => typeof each === 'string' && each.length >= secretCharactersMin,
  )
  if (all.length > 0 && areLong) return []
  const list = isList ? ', each in a list of one or more' : ''
  return [`${name} must have at least ${secretCharactersMin} characters${list}; draw it at random`]
}

/** Empty when there is none. */
export function secretsOf(secret: Secret | undefined): readonly string[] {
  if (secret === undefined) return []
  return typeof secret === 'string' ? [secret] : secret
}

/** What is wrong with the way by which others are to reach a node that listens on this host. */
export function problemsWithAdvertised(
  bindHost: string,
  advertised: Chosen<HostAndPort> | undefined,
): string[] {
  const unreachable = problemWithReach(bindHost, advertised)
  const problems = problemsWithPlace('advertised', advertised)
  return unreachable === undefined ? problems : [...problems, unreachable]
}

/** A node that listens on all addresses has none that others could use. */
export function problemWithReach(
  bindHost: string,
  advertised: Chosen<HostAndPort> | undefined,
): string | undefined {
  const host = advertised?.host ?? bindHost
  return host === '0.0.0.0' || host === '::'
    ? `others cannot reach ${host}: give advertised.host, the name or address they use`
    : undefined
}

/** What says who may join; whether there is TLS is all that counts of it here. */
interface Guards extends Pick<RemotingOptions, 'bind' | 'secret' | 'insecure'> {
  readonly certificates?: unknown
}

/** Unguarded, only this machine may reach the node, unless somebody takes the blame. Throws `InsecureBind`. */
export function refuseInsecureBind(guards: Guards): void {
  if (isOpen(guards) && guards.insecure !== true) throw new InsecureBind(guards.bind.host)
}

/** For the log of a node that was told to start all the same. */
export function warnOfOpenBind(guards: Guards, logger: Logger): void {
  const { host } = guards.bind
  if (!isOpen(guards)) return
  logger.warn(
    { host },
    `This node listens on ${host} without secret or TLS (\`insecure: true\`): whoever reaches that port can join the cluster, call everything in it and read all traffic. Is the network guarded?`,
  )
}

/** Others can reach it, and nothing keeps them out. */
function isOpen({ bind, secret, certificates }: Guards): boolean {
  return secret === undefined && certificates === undefined && !isLoopback(bind.host)
}

function problemsWithPlace(name: string, place: Chosen<HostAndPort> | undefined): string[] {
  const problems: string[] = []
  if (place !== undefined && (typeof place !== 'object' || place === null)) {
    return [`${name} must have a host, a port or both`]
  }
  const { host, port } = place ?? {}
  const isPort = port === undefined || (Number.isInteger(port) && port >= 0 && port <= 65_535)
  if (!isPort) problems.push(`${name}.port must be a whole number from 0 to 65535, not ${port}`)
  if (host !== undefined && (typeof host !== 'string' || !isAddress(addressOf(host, 1)))) {
    problems.push(`${name}.host must be a host name or an IP address, not ${show(host)}`)
  }
  return problems
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
