/**
 * The link between two hosts of three is cut, in both directions or in one, while both are heard by the third: one of the two is given
 * up, with the word of the store, and the others go on.
 */
import { within } from '../../harness/patience.ts'
import { allAnswer, hostScenario } from './hosts-under-load.ts'

/** What others tell of what they see is believed only when it has stood for long. */
const endsWithinMs = 60_000

export const netLink = hostScenario({
  name: 'net-link',
  summary: 'the link between two hosts of three is cut, in both directions or in one',
  defaultRounds: 2,
  async play({ cluster, network, number, victim, rest }) {
    const [other = ''] = rest
    const isOneWay = number % 2 === 0
    const cutMs = performance.now()
    if (isOneWay) network.cutOneWay([victim.name], [other])
    else network.cut([victim.name], [other])
    const ends = [victim, cluster.members.named(other)].map(async ({ name, exited }) => {
      await exited
      return name
    })
    const gone = await within(
      Promise.race(ends),
      `the end of ${victim.name} or ${other}`,
      endsWithinMs,
    )
    const tookMs = await allAnswer(cluster, cutMs)
    const { length: left } = cluster.members.running
    return {
      what: `${victim.name} ${isOneWay ? 'not heard by' : 'cut off from'} ${other}, ${gone} ended`,
      tookMs,
      problems: left === 2 ? [] : [`${left} of three are left`],
    }
  },
})
