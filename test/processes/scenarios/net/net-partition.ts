/**
 * One host of three is cut off from the others in both directions, every other time from the store as well: its node freezes before
 * the others replace it, they go on, and when the cut is healed it learns that it was given up, and ends.
 */
import { storeName } from '../../harness/hosts/packet-rules.ts'
import { cutOff, hostScenario } from './hosts-under-load.ts'

export const netPartition = hostScenario({
  name: 'net-partition',
  summary: 'one host of three behind a cut, healed after its node was replaced',
  defaultRounds: 3,
  play(round) {
    const { network, number, victim, rest } = round
    const losesStore = number % 2 === 0
    return cutOff(round, {
      what: `${victim.name} cut off${losesStore ? ', from the store as well' : ''}`,
      begin: () => network.cut([victim.name], losesStore ? [...rest, storeName] : rest),
    })
  },
})
