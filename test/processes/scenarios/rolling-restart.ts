/** Every node is ended by SIGTERM and started again, one after the other, under load: no call fails after its retries. */
import { LoadedCluster, threeNames } from './loaded-cluster.ts'
import type { Outcome, Scenario, Stage } from './scenario.ts'

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  summary: 'SIGTERM and restart of each of three nodes in turn, under load',
  defaultRounds: 2,
  run,
}

async function run(stage: Stage): Promise<Outcome> {
  const cluster = await LoadedCluster.start(stage)
  const problems: string[] = []
  const exitsMs: number[] = []
  for (let round = 1; round <= stage.rounds; round++) {
    for (const name of threeNames) {
      const begunMs = performance.now()
      const leaving = cluster.members.named(name)
      const { self } = await leaving.call('view')
      const { code, signal, tookMs } = await leaving.terminate()
      if (code !== 0) problems.push(`${name} ended with ${signal ?? code}, not 0`)
      exitsMs.push(tookMs)
      await cluster.restart(name)
      // Retries would also hide a node that just ends: it has to have left.
      for (const witness of cluster.members.running.filter((node) => node.name !== name)) {
        const told = witness.news.since().filter(({ node }) => node === self)
        const types = told.map(({ type }) => type)
        if (!types.includes('MemberExited'))
          problems.push(`${name} did not leave, ${witness.name} was told ${types.join(', ')}`)
      }
      await cluster.answeredSince(performance.now())
      const took = Math.round(performance.now() - begunMs)
      stage.say(
        `round ${round}: ${name} drained in ${Math.round(tookMs)} ms, back and all well after ${took} ms`,
      )
    }
  }
  const { problems: broken, ...counts } = await cluster.verdict()
  return {
    problems: [...problems, ...broken],
    figures: {
      rounds: stage.rounds,
      ...counts,
      longestGapMs: Math.round(cluster.load.longestGapMs),
      longestDrainMs: Math.round(Math.max(...exitsMs)),
    },
  }
}
