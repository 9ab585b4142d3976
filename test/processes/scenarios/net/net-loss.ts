/**
 * Every tenth to every third packet is lost, between all hosts and to the store. Whoever is taken for dead by that is replaced; all
 * entities go on answering, if late.
 */
import { hostScenario, longestMeanwhile } from './hosts-under-load.ts'

const percents = [10, 20, 30]

export const netLoss = hostScenario({
  name: 'net-loss',
  summary: 'a tenth, a fifth and a third of all packets are lost, under load',
  defaultRounds: 3,
  async play({ cluster, network, number }) {
    const percent = percents[(number - 1) % percents.length] ?? 0
    const before = network.lost
    network.lose(percent)
    const tookMs = await longestMeanwhile(cluster)
    const lost = network.lost - before
    return {
      what: `${percent} % of packets lost, ${lost} in all`,
      tookMs,
      problems: lost === 0 ? ['nothing was lost'] : [],
    }
  },
})
