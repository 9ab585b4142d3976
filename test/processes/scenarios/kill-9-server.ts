/** kill -9 of the PostgreSQL server under three nodes, again and again: nothing acknowledged is lost or doubled, and all go on. */
import { PostgresServer } from '../../postgres/postgres-server.ts'
import { LoadedCluster } from './loaded-cluster.ts'
import type { Outcome, Scenario, Stage } from './scenario.ts'

/** Refused calls come back at once, and a server that was killed takes seconds to come back. */
const attemptsMax = 600

export const killNineServer: Scenario = {
  name: 'kill-9-server',
  summary: 'kill -9 of the PostgreSQL server that three nodes under load share',
  defaultRounds: 4,
  run: (stage) => withServer((server, postgres) => killServer(stage, server, postgres)),
}

/** With a server of its own and an empty database; it is gone when the work is done. */
export async function withServer<Result>(
  work: (server: PostgresServer, url: `postgres://${string}`) => Promise<Result>,
): Promise<Result> {
  const server = await PostgresServer.start()
  try {
    return await work(server, (await server.newDatabase()) as `postgres://${string}`)
  } finally {
    await server.stop()
  }
}

async function killServer(
  stage: Stage,
  server: PostgresServer,
  postgres: `postgres://${string}`,
): Promise<Outcome> {
  const cluster = await LoadedCluster.start(stage, { postgres, keeping: 'snapshots', attemptsMax })
  let outageLongestMs = 0
  for (let round = 1; round <= stage.rounds; round++) {
    const killedMs = performance.now()
    await server.killServer()
    await server.startAgain()
    await cluster.answeredSince(performance.now())
    const tookMs = performance.now() - killedMs
    outageLongestMs = Math.max(outageLongestMs, Math.round(tookMs))
    stage.say(
      `round ${round} of ${stage.rounds}: killed; all answered after ${Math.round(tookMs)} ms`,
    )
  }
  const { problems, ...counts } = await cluster.verdict()
  return { problems, figures: { rounds: stage.rounds, ...counts, outageLongestMs } }
}
