/**
 * Every tenth to every third packet is lost, between all hosts and to the store. Whoever is taken for dead by that is replaced. All
 * entities go on answering, if late; where a third is lost, of which nobody can say how late, only when that is over.
 */
import { hostScenario, lasting, longestMeanwhile } from './hosts-under-load.ts'

const percents = [10, 20, 30]
/** Up to here entities must answer meanwhile: connections get through by repeating within seconds. */
const bearablePercent = 20

export const netLoss = hostScenario({
  name: 'net-loss',
  summary: 'a tenth, a fifth and a third of all packets are lost, under load',
  defaultRounds: 6,
  async play({ cluster, network, number }) {
    const percent = percents[(number - 1) % percents.length] ?? 0
    const isBearable = percent <= bearablePercent
    const before = network.lost
    network.lose(percent)
    const meanwhileMs = isBearable ? await longestMeanwhile(cluster) : await lasting()
    const lost = network.lost - before
    network.heal()
    const healedMs = await cluster.answeredSince(performance.now())
    return {
      what: `${percent} % of packets lost, ${lost} in all${isBearable ? '' : ', counted from the end'}`,
      tookMs: isBearable ? meanwhileMs : healedMs,
      problems: lost === 0 ? ['nothing was lost'] : [],
    }
  },
})
