/**
 * Packets are lost in one direction only: what one host sends, or what it is sent. No connection lives long so, but until it is
 * given up the other direction still brings news. The node freezes before the others replace it, and they go on.
 */
import { cutOff, hostScenario } from './hosts-under-load.ts'

export const netOneWay = hostScenario({
  name: 'net-one-way',
  summary: 'one host of three is not heard, or does not hear, healed after its node was replaced',
  defaultRounds: 3,
  play(round) {
    const { network, number, victim, rest } = round
    const isDeaf = number % 2 === 0
    return cutOff(round, {
      what: `${victim.name} ${isDeaf ? 'does not hear' : 'is not heard'}`,
      begin: () =>
        isDeaf ? network.cutOneWay(rest, [victim.name]) : network.cutOneWay([victim.name], rest),
    })
  },
})
