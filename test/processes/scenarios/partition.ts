/**
 * One node of three is cut off by its links, in both directions or only in the one away from it: it freezes before the
 * others replace it, and they go on.
 */
import { LoadedCluster, threeNames } from './loaded-cluster.ts'
import type { Outcome, Scenario, Stage } from './scenario.ts'

export const partition: Scenario = {
  name: 'partition',
  summary: 'one node of three behind stalled links, healed after it was replaced',
  defaultRounds: 2,
  run,
}

async function run(stage: Stage): Promise<Outcome> {
  const cluster = await LoadedCluster.start(stage, { hasProxies: true })
  const { members } = cluster
  const problems: string[] = []
  const failoversMs: number[] = []
  for (let round = 1; round <= stage.rounds; round++) {
    const name = threeNames[round % threeNames.length] ?? ''
    const rest = threeNames.filter((other) => other !== name)
    const lonely = members.named(name)
    const witness = members.named(rest[0] ?? '')
    const { self: node } = await lonely.call('view')
    const splitMs = performance.now()
    const isOneWay = round % 2 === 0
    if (isOneWay) members.processes.network?.stallOneWay([name], rest)
    else members.processes.network?.partition([name], rest)
    // Callers on its side cannot know better than to call it; those calls may fail, and are not waited for.
    cluster.shunned.add(name)
    await lonely.news.next('Frozen', { reason: 'minority' })
    if (witness.news.since().some((news) => news.type === 'MemberRemoved' && news['node'] === node))
      problems.push(`${name} was replaced before it had frozen`)
    failoversMs.push(await cluster.answeredSince(splitMs))
    await members.settle(rest)
    members.processes.network?.heal()
    const { code } = await lonely.exited
    if (code === 0) problems.push(`${name} ended as if nothing had happened`)
    await cluster.restart(name)
    cluster.shunned.delete(name)
    await cluster.answeredSince(performance.now())
    const took = Math.round(failoversMs.at(-1) ?? 0)
    stage.say(
      `round ${round} of ${stage.rounds}: ${name} cut off${isOneWay ? ' one way' : ''}; all answered after ${took} ms`,
    )
  }
  const { problems: broken, ...counts } = await cluster.verdict()
  return {
    problems: [...problems, ...broken],
    figures: {
      rounds: stage.rounds,
      ...counts,
      failoverLongestMs: Math.round(Math.max(...failoversMs)),
    },
  }
}
