/**
 * A node sleeps (SIGSTOP) longer than the cluster waits for it, with calls in its pipe, and wakes up: it was replaced,
 * writes nothing any more, and ends itself. What was written by whom is read from the journal.
 */
import type { NodeProcess } from '../harness/node-process.ts'
import type { EntityNode } from '../nodes/entity-node.ts'
import { LoadedCluster, threeNames } from './loaded-cluster.ts'
import type { Outcome, Scenario, Stage } from './scenario.ts'
import { JournalReader } from './writers.ts'

export const sigstop: Scenario = {
  name: 'sigstop',
  summary:
    'SIGSTOP of a node for 30 s and wake-up: the sleeper writes nothing after it was replaced',
  defaultRounds: 1,
  run,
}

const sleepMs = 30_000

async function run(stage: Stage): Promise<Outcome> {
  const cluster = await LoadedCluster.start(stage)
  await using journal = await JournalReader.open(cluster.members.processes.folder)
  const problems: string[] = []
  const failoversMs: number[] = []
  let movedStreams = 0
  for (let round = 1; round <= stage.rounds; round++) {
    const sleeper = cluster.members.named(threeNames[round % threeNames.length] ?? '')
    const night = await sleepThrough(cluster, sleeper, journal, stage)
    failoversMs.push(night.failoverMs)
    movedStreams += night.moved
    problems.push(...night.problems)
    await cluster.restart(sleeper.name)
    cluster.shunned.delete(sleeper.name)
    await cluster.answeredSince(performance.now())
    stage.say(
      `round ${round} of ${stage.rounds}: ${sleeper.name} slept, ${night.moved} entities moved; all answered after ${Math.round(night.failoverMs)} ms`,
    )
  }
  const { problems: broken, ...counts } = await cluster.verdict()
  return {
    problems: [...problems, ...broken],
    figures: {
      rounds: stage.rounds,
      ...counts,
      movedStreams,
      failoverLongestMs: Math.round(Math.max(...failoversMs)),
    },
  }
}

interface Night {
  readonly failoverMs: number
  readonly moved: number
  readonly problems: readonly string[]
}

async function sleepThrough(
  cluster: LoadedCluster,
  sleeper: NodeProcess<EntityNode>,
  journal: JournalReader,
  stage: Stage,
): Promise<Night> {
  const problems: string[] = []
  const before = await journal.readOn()
  const asleepMs = performance.now()
  const slept = new Promise((resolve) => setTimeout(resolve, stage.isQuick ? 0 : sleepMs))
  sleeper.pause()
  cluster.shunned.add(sleeper.name)
  // These wait in its pipe, and are the first it sees when it wakes up.
  const mark = `asleep.${Math.round(asleepMs)}`
  for (const entity of cluster.entities) cluster.sendOff(sleeper, entity, `${entity}.${mark}`)
  const failoverMs = await cluster.answeredSince(asleepMs)
  const replaced = await journal.readOn()
  const moved = [...replaced.epochs].filter(([id, epoch]) => epoch > (before.epochs.get(id) ?? 0))
  await slept
  sleeper.resume()
  const { code, signal } = await sleeper.exited
  if (code === 0)
    problems.push(`${sleeper.name} ended with ${signal ?? code}: as if nothing had been`)
  const formerEpochs = new Map(moved.map(([id]) => [id, before.epochs.get(id) ?? 0]))
  await cluster.answeredSince(performance.now())
  await journal.readOn((id, epoch, bytes) => {
    // By its words too: a store that lets it write may give it the epoch of the other.
    const isItsOwn = formerEpochs.has(id) && Buffer.from(bytes).includes(mark)
    if (isItsOwn || epoch <= (formerEpochs.get(id) ?? -1))
      problems.push(`${sleeper.name} wrote to ${id} after all`)
  })
  if (moved.length === 0) problems.push(`nothing of ${sleeper.name} was replaced`)
  return { failoverMs, moved: moved.length, problems }
}
