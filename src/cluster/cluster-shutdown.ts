/**
 * What the cluster does while the system shuts down: leave, wait until the others let us go and have seen what we hand
 * over, say that we are done, wait to be removed. Each wait ends with its phase; a node that is not let go ends all the
 * same, and the others give it up.
 *
 * Invariant: it says that it is done only when nothing lives here any more, since others take that for the end of all
 * that lived here. A node that is not done in time ends unsaid: others remove it once it is silent.
 */
import type { ActorSystem } from '../actor/index.ts'
import { clusterShutdownPhases } from './cluster-shutdown-phases.ts'

export interface Departure {
  /** Resolves when the others have agreed to let this node go: what lives here is to be handed over now. */
  readonly exiting: Promise<void>
  /** Resolves when the cluster is over for this node. */
  readonly ended: Promise<void>
  isExiting(): boolean
  /** Resolves when nothing lives here any more. */
  handedOver(): Promise<unknown>
  leave(): void
  exitingDone(): void
}

export function leaveOnShutdown({ shutdown }: ActorSystem, departure: Departure): void {
  const { exiting, ended } = departure
  shutdown.addPhases(clusterShutdownPhases)
  const letGo = Promise.race([exiting, ended])
  shutdown.addTask('cluster-leave', 'leave the cluster', () => {
    departure.leave()
    return letGo
  })
  shutdown.addTask('cluster-exiting', 'wait until the cluster lets this node go', () => letGo)
  shutdown.addTask('cluster-exiting-done', 'say that all is handed over', async () => {
    if (!departure.isExiting()) return
    // It may take longer than this phase has: then it is said later, or never.
    await departure.handedOver()
    if (!departure.isExiting()) return
    departure.exitingDone()
    await ended
  })
  shutdown.addTask('cluster-shutdown', 'wait to be removed', async () => {
    if (departure.isExiting()) await ended
  })
}
