/**
 * Actors on other nodes: the same refs, asks and watches, over connections that may stall, break and come back.
 *
 * Reading order: `remoting.ts` (the door), `transport.ts` (the port), `handshake/` (who may speak to whom), `tls/` (the port
 * encrypted, and whose certificates count), `wire/` (how
 * messages stand in bytes), `link/` (one lane to, or from, one peer), `ref/` (addresses across nodes), `watch/` (deaths
 * across nodes), `association.ts` (all of this for one peer), `incarnations.ts`.
 *
 * Promises: at most once, in order per sender and receiver; nothing is taken from a node that has not proved itself, and
 * nothing is delivered to, or taken from, a former incarnation; watch, unwatch and deaths arrive in order exactly once,
 * or the peer is quarantined; a death never overtakes what the dead actor had sent; every queue, table and buffer is
 * bounded; what is known to be lost is a dead letter with a reason, what may be lost with a connection is counted in
 * `PeerDisconnected`.
 */
export type { Lane } from './lane.ts'
export { type Address, type NodeId, addressOfNode } from '../foundation/node-id.ts'
export type { RemoteDeadLetterReason, RemoteDroppedReason } from './remote-drop-reasons.ts'
export * from './remote-errors.ts'
export * from './remote-events.ts'
export {
  type ChosenRemoteSettings,
  defaultRemoteSettings,
  type RemoteSettings,
} from './remote-settings.ts'
export type { Remoting } from './remoting.ts'
export type { Secret } from './remoting-options.ts'
export { tcpTransport } from './tcp-transport.ts'
export type { CertificateSettings } from './tls/certificate-settings.ts'
export * from './tls/tls-errors.ts'
export type { TlsOptions } from './tls/tls-options.ts'
export type {
  CertificateDistrust,
  CloseReason,
  ConnectOptions,
  Connection,
  ConnectionHandler,
  HostAndPort,
  Listener,
  PeerCertificate,
  SecureChannel,
  Transport,
} from './transport.ts'
