/**
 * A host gets another address: its node is killed and comes back under the new one, or, every other time, lives on while its address
 * is taken away. That one can be reached by nobody any more, is replaced, and ends when the store, which it reaches from the new
 * address, tells it so.
 */
import {
  allAnswer,
  cutOff,
  hostScenario,
  type HostRound,
  type HostRoundEnd,
} from './hosts-under-load.ts'

export const netAddress = hostScenario({
  name: 'net-address',
  summary: 'a host gets another address, its node is restarted there, or runs on without one',
  defaultRounds: 3,
  play: (round) => (round.number % 2 === 1 ? restarted(round) : runningOn(round)),
})

async function restarted({ cluster, network, victim }: HostRound): Promise<HostRoundEnd> {
  const { name } = victim
  const begunMs = performance.now()
  await victim.kill()
  network.newAddress(name)
  await cluster.restart(name)
  const tookMs = await allAnswer(cluster, begunMs)
  return { what: `${name} killed and back at ${network.seatOf(name).host}`, tookMs }
}

function runningOn(round: HostRound): Promise<HostRoundEnd> {
  const { network, victim } = round
  return cutOff(round, {
    what: `the address of ${victim.name} taken away while it ran`,
    begin: () => network.takeAddress(victim.name),
    end: () => network.newAddress(victim.name),
  })
}
