/** Settings of clusters in which a split is left as it is: nobody is given up unless somebody says so. */
import { type ClusterSettings, defaultClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { minutes } from '../../src/foundation/duration.ts'

export const nobodyIsGivenUp: Partial<ClusterSettings> = {
  downing: {
    ...defaultClusterSettings.downing,
    stableAfterMs: minutes(60),
    downAllWhenUnstableMs: minutes(60),
  },
}
