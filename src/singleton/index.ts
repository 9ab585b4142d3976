/**
 * Singletons: one actor for a whole data center, which is the whole cluster where there is one only, on the oldest member in
 * service there, and a proxy that finds it from anywhere.
 *
 * Reading order: `singleton-messages.ts` (who says what), `oldest.ts` (who is to run it), `singleton-machine.ts` (when it
 * may start and must end), `singleton-proxy-machine.ts` (where it is), `singleton-proxy.ts` (its address),
 * `singleton-actor.ts` (all of it acting), `singletons.ts` (the door).
 *
 * Promises: an instance starts only after every older member has said that its own has ended, or has been removed, which
 * means dead or frozen; every life has a term, larger than all that its node has heard of and all that ran on members of
 * its time; an instance that ends by itself is started again; nothing reaches an instance on a frozen node; what waits for
 * an instance is bounded and goes in order; one with a lease lives only while its node holds it; nothing starts elsewhere while
 * the whole cluster is about to be stopped.
 */
export type { SingletonDroppedReason } from './singleton-drop-reasons.ts'
export * from './singleton-errors.ts'
export { type SingletonSettings, defaultSingletonSettings } from './singleton-settings.ts'
export type { Singletons } from './singletons.ts'
export type {
  SingletonLeaseOptions,
  SingletonProxyOptions,
  StartSingletonOptions,
} from './start-singleton-options.ts'
