/** Waits for the end of a freeze, which is mostly a hiccup: a process that was busy for two seconds and asks where it stands. */
import type { ActorSystem } from '../actor/index.ts'
import type { Cluster } from '../cluster/internals.ts'
import { seconds } from '../foundation/duration.ts'

/** Whoever waits longer is told, so that its callers can go elsewhere in their own time. */
const patienceMs = seconds(3)

/** Resolves when the node goes on, when it stops, or when that takes long. */
export function whenThawed(system: ActorSystem, cluster: Cluster): Promise<void> {
  if (!cluster.isFrozen || system.shutdown.reason !== undefined) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel()
      endNews()
      resolve()
    }
    const timer = system.environment.timers.after(patienceMs, end)
    const endNews = cluster.subscribe(({ type }) => {
      // After any news of the cluster it may be over, too.
      if (type === 'Thawed' || system.shutdown.reason !== undefined) end()
    })
  })
}
