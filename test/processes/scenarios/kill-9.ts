/** kill -9 of one node of three under load, again and again: nothing acknowledged is lost or doubled. */
import { randomInt } from 'node:crypto'
import { type Ground, LoadedCluster, threeNames } from './loaded-cluster.ts'
import { withServer } from './kill-9-server.ts'
import type { Outcome, Scenario, Stage } from './scenario.ts'

export const killNine: Scenario = {
  name: 'kill-9',
  summary: 'kill -9 of a random node of three under load, restart on the same port',
  defaultRounds: 8,
  run: (stage) => killNodes(stage, {}),
}

export const killNineDeleting: Scenario = {
  name: 'kill-9-deleting',
  summary: 'the same while entities save snapshots and delete the events before them',
  defaultRounds: 8,
  run: (stage) => killNodes(stage, { keeping: 'newest events' }),
}

export const killNinePostgres: Scenario = {
  name: 'kill-9-postgres',
  summary: 'the same on a PostgreSQL server of its own, with snapshots beside the events',
  defaultRounds: 8,
  run: (stage) =>
    withServer(async (_server, postgres) => killNodes(stage, { postgres, keeping: 'snapshots' })),
}

async function killNodes(stage: Stage, ground: Ground): Promise<Outcome> {
  const cluster = await LoadedCluster.start(stage, ground)
  const failoversMs: number[] = []
  for (let round = 1; round <= stage.rounds; round++) {
    const { name, hosted } = await someHost(cluster)
    const victim = cluster.members.named(name)
    const killedMs = performance.now()
    await victim.kill()
    const answered = cluster.answeredSince(killedMs)
    // Every other time it comes back before the others have given it up.
    const isBackAtOnce = round % 2 === 0
    if (isBackAtOnce) await Promise.all([cluster.restart(name), answered])
    const tookMs = await answered
    if (!isBackAtOnce) await cluster.restart(name)
    await cluster.answeredSince(performance.now())
    failoversMs.push(tookMs)
    stage.say(
      `round ${round} of ${stage.rounds}: ${name} killed with ${hosted} entities, ${isBackAtOnce ? 'back at once' : 'replaced first'}; all answered after ${Math.round(tookMs)} ms`,
    )
  }
  const { problems, ...counts } = await cluster.verdict()
  failoversMs.sort((a, b) => a - b)
  return {
    problems,
    figures: {
      rounds: stage.rounds,
      ...counts,
      failoverMedianMs: Math.round(failoversMs[failoversMs.length >> 1] ?? 0),
      failoverLongestMs: Math.round(failoversMs.at(-1) ?? 0),
    },
  }
}

/** Any node that hosts something: one that has only just come back may not, and would not be missed. */
async function someHost(
  cluster: LoadedCluster,
): Promise<{ readonly name: string; readonly hosted: number }> {
  const asked = threeNames.map(async (name) => {
    const { length: hosted } = await cluster.members.named(name).call('hosted')
    return { name, hosted }
  })
  const hosts = (await Promise.all(asked)).filter(({ hosted }) => hosted > 0)
  const chosen = hosts[randomInt(hosts.length)]
  if (chosen === undefined) throw new Error('no node hosts anything')
  return chosen
}
