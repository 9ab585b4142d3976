/** The strategy that the settings name. */
import { unreachable } from '../../foundation/assert.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { detectionSpreadMs } from '../detection/detection-time.ts'
import { downAll } from './down-all.ts'
import { stableAfterMs } from './downing-settings.ts'
import type { DowningStrategy } from './downing-strategy.ts'
import { keepMajority } from './keep-majority.ts'
import { keepOldest } from './keep-oldest.ts'
import { leaseMajority } from './lease-majority.ts'
import { staticQuorum } from './static-quorum.ts'
import { storeMajority } from './store-majority.ts'
import { storeTimesOf } from './store-times.ts'

/** Without its arbiter, which only the shell has. `asksStore`: this node uses a store that all hosts share, and can ask it. */
export function strategyOf(settings: ClusterSettings, asksStore = false): DowningStrategy {
  const { downing } = settings
  switch (downing.strategy) {
    case 'store-majority':
      return storeMajority(downing, {
        ...{ times: storeTimesOf(settings), asksStore },
        wholeViewMax: settings.monitoredByMembers + 1,
      })
    case 'keep-majority':
      return keepMajority(downing)
    case 'static-quorum':
      return staticQuorum(downing)
    case 'keep-oldest':
      return keepOldest(downing)
    case 'down-all':
      return downAll()
    case 'lease-majority': {
      // The other side may have noticed the split so much sooner, and acts with the lease when it has asked.
      const headStartMs = downing.acquireLeaseDelayForMinorityMs - detectionSpreadMs(settings)
      return leaseMajority(
        downing,
        (members) => stableAfterMs(downing, members, settings) + headStartMs,
      )
    }
    default:
      return unreachable(downing)
  }
}
