/**
 * Whatever can go wrong between hosts, by chance and at once: some directions are cut, also those to and from the store, packets are
 * lost, a node is killed. Nobody knows who must go; when it is over all are one cluster again, and nothing was lost, doubled or
 * active twice. The plan of each round is printed.
 */
import { randomInt } from 'node:crypto'
import { storeName } from '../../harness/hosts/packet-rules.ts'
import { threeNames } from '../loaded-cluster.ts'
import { hostScenario, lasting } from './hosts-under-load.ts'

/** Short ones are over before anybody is given up, long ones after. */
const lastsMs = { least: 500, most: 15_000 }
const lossPercents = [0, 0, 10, 20]

export const netRandom = hostScenario({
  name: 'net-random',
  summary: 'cuts in random directions, also to the store, with loss and kills, by chance',
  defaultRounds: 3,
  async play({ cluster, network, victim }) {
    const names = [...threeNames, storeName]
    const all = names.flatMap((from) => names.map((to) => ({ from, to })))
    const chance = randomInt(2, 6)
    const cut = all.filter(({ from, to }) => from !== to && randomInt(chance) === 0)
    const lossPercent = lossPercents[randomInt(lossPercents.length)] ?? 0
    const isKilled = randomInt(4) === 0
    network.lose(lossPercent)
    for (const { from, to } of cut) network.cutOneWay([from], [to])
    if (isKilled) await victim.kill()
    const ms = await lasting(randomInt(lastsMs.least, lastsMs.most))
    network.heal()
    const healedMs = performance.now()
    await cluster.answeredSince(healedMs).catch(() => undefined)
    const words = [
      ...cut.map(({ from, to }) => `${from}>${to}`),
      ...(lossPercent === 0 ? [] : [`${lossPercent} % lost`]),
      ...(isKilled ? [`${victim.name} killed`] : []),
    ]
    return { what: `${words.join(' ')} for ${ms} ms`, tookMs: performance.now() - healedMs }
  },
})
