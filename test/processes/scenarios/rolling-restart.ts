/**
 * Every node of five is ended by SIGTERM and started again, one after the other, under load: no call fails after its retries,
 * and no word that was told is lost.
 */
import { Tells } from '../load/tells.ts'
import { fiveNames, LoadedCluster } from './loaded-cluster.ts'
import type { Outcome, Scenario, Stage } from './scenario.ts'

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  summary: 'SIGTERM and restart of each of five nodes in turn, under load',
  defaultRounds: 2,
  run,
}

/** So long a word may take that was told last. */
const lateMs = 10_000

async function run(stage: Stage): Promise<Outcome> {
  const cluster = await LoadedCluster.start(stage, { names: fiveNames })
  const nodes = () => cluster.members.running
  const tells = new Tells({ nodes, paceMs: stage.isQuick ? 30 : 5, over: stage.over })
  tells.start()
  const problems: string[] = []
  const exitsMs: number[] = []
  for (let round = 1; round <= stage.rounds; round++) {
    for (const name of fiveNames) {
      const begunMs = performance.now()
      const leaving = cluster.members.named(name)
      const { self } = await leaving.call('view')
      // Whoever serves requests there ends first: what is given to a node after its SIGTERM, it may refuse.
      await tells.leave(name)
      const { code, signal, tookMs } = await leaving.terminate()
      if (code !== 0) problems.push(`${name} ended with ${signal ?? code}, not 0`)
      exitsMs.push(tookMs)
      await cluster.restart(name)
      tells.back(name)
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
  const { refused, lost, doubled } = await tells.stop(lateMs)
  if (refused.length > 0) problems.push(`not taken: ${refused.slice(0, 10).join('; ')}`)
  if (lost.length > 0) problems.push(`not heard: ${lost.slice(0, 10).join('; ')}`)
  if (doubled.length > 0) problems.push(`heard twice: ${doubled.slice(0, 10).join('; ')}`)
  const { problems: broken, ...counts } = await cluster.verdict()
  return {
    problems: [...problems, ...broken],
    figures: {
      rounds: stage.rounds,
      ...counts,
      ...{ told: tells.told, lostTells: lost.length, doubledTells: doubled.length },
      failedCalls: cluster.load.failures.length,
      longestGapMs: Math.round(cluster.load.longestGapMs),
      longestDrainMs: Math.round(Math.max(...exitsMs)),
    },
  }
}
