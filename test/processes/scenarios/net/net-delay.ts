/**
 * All lines are slow: packets are late, and each by another time, up to three tenths of a second. Nobody may be taken for dead by that,
 * and all entities go on answering.
 */
import { SlowLines } from '../../harness/hosts/slow-lines.ts'
import { threeNames } from '../loaded-cluster.ts'
import { hostScenario, longestMeanwhile } from './hosts-under-load.ts'

/** So late the slowest packets must have been, or nothing was shown. */
const lateLeastMs = 100

export const netDelay = hostScenario({
  name: 'net-delay',
  summary: 'packets between all hosts are late by up to 0.3 s, each by another time, under load',
  defaultRounds: 5,
  async play({ cluster, network }) {
    const lines = new SlowLines(network, threeNames)
    const tookMs = await longestMeanwhile(cluster).finally(() => lines.end())
    const late = lines.lateMs.sort((one, other) => one - other)
    const [medianMs, mostMs] = [late[late.length >> 1] ?? 0, late.at(-1) ?? 0]
    const { running } = cluster.members
    const gone = threeNames.filter((name) => !running.some((node) => node.name === name))
    return {
      what: `packets late by ${Math.round(medianMs)} ms, the latest by ${Math.round(mostMs)} ms`,
      tookMs,
      problems: [
        ...(mostMs < lateLeastMs ? [`no packet was late, by ${late.length} measurements`] : []),
        ...gone.map((name) => `${name} was taken for dead`),
      ],
      figures: { lateMedianMs: medianMs, lateLongestMs: mostMs },
    }
  },
})
