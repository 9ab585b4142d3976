/**
 * Half of a cluster is lost, or more: the store decides who goes on. Exactly one side does, nothing acknowledged is lost, and
 * no entity is active twice, also of those that no store protects. Half of the rounds are without proof of death, as on hosts of
 * their own, where nothing but refused connections tells.
 */
import type { NodeProcess } from '../harness/node-process.ts'
import { activityIn } from '../load/activity.ts'
import type { EntityNode } from '../nodes/entity-node.ts'
import { withServer } from './kill-9-server.ts'
import { type Ground, LoadedCluster, threeNames } from './loaded-cluster.ts'
import type { Outcome, Scenario, Stage } from './scenario.ts'

const twoNames = ['a', 'b']

/** Longer than all waits at the defaults, on a machine that has other things to do; figures say what it took. */
const goesOnMaxMs = 15_000
/** What is aimed for. */
const soonMs = 5_000

export const killOneOfTwo: Scenario = {
  name: 'kill-one-of-two',
  summary: 'kill -9 of either of two nodes under load: the other goes on',
  defaultRounds: 6,
  run: (stage) => inTwoWays(stage, twoNames, async () => ({}), killAllBut),
}

export const killTwoOfThree: Scenario = {
  name: 'kill-two-of-three',
  summary: 'kill -9 of two nodes of three under load at once: the last one goes on',
  defaultRounds: 5,
  run: (stage) => inTwoWays(stage, threeNames, async () => ({}), killAllBut),
}

export const cutTwo: Scenario = {
  name: 'cut-two',
  summary: 'a cut between two nodes under load: one of them goes on, the other ends',
  defaultRounds: 3,
  run: (stage) => inTwoWays(stage, twoNames, async () => ({ hasProxies: true }), cut),
}

export const killWithoutStore: Scenario = {
  name: 'kill-without-store',
  summary:
    'kill -9 of a node while the PostgreSQL server is stopped: nobody is given up before it is back',
  defaultRounds: 4,
  run: (stage) =>
    withServer((server) => {
      const ground = async (): Promise<Ground> => {
        const postgres = (await server.newDatabase()) as `postgres://${string}`
        return { postgres, attemptsMax: 600 }
      }
      return inTwoWays(stage, threeNames, ground, async (round) => {
        await server.stopServer()
        return killMeanwhile(round, () => server.startAgain())
      })
    }),
}

interface Round {
  readonly cluster: LoadedCluster
  readonly names: readonly string[]
  readonly number: number
  readonly isProved: boolean
}

interface Ended {
  /** Who has to be started again. */
  readonly gone: readonly string[]
  readonly tookMs: number
  readonly problems: readonly string[]
}

interface Way {
  readonly problems: readonly string[]
  readonly timesMs: readonly number[]
  readonly acked: number
  readonly doubles: number
}

type Play = (round: Round) => Promise<Ended>

async function inTwoWays(
  stage: Stage,
  names: readonly string[],
  ground: () => Promise<Ground>,
  play: Play,
): Promise<Outcome> {
  const withoutProof = Math.ceil(stage.rounds / 2)
  const ways = [
    { rounds: withoutProof, isProved: false },
    { rounds: stage.rounds - withoutProof, isProved: true },
  ].filter(({ rounds }) => rounds > 0)
  const outcomes: Way[] = []
  for (const way of ways) {
    outcomes.push(await playRounds(stage, { ...(await ground()), names }, way, play))
  }
  const times = outcomes.flatMap(({ timesMs }) => timesMs).sort((one, other) => one - other)
  const sum = (of: 'acked' | 'doubles'): number =>
    outcomes.reduce((all, outcome) => all + outcome[of], 0)
  return {
    problems: outcomes.flatMap(({ problems }) => problems),
    figures: {
      rounds: stage.rounds,
      acked: sum('acked'),
      doubles: sum('doubles'),
      medianMs: Math.round(times[times.length >> 1] ?? 0),
      longestMs: Math.round(times.at(-1) ?? 0),
      [`over${soonMs}Ms`]: times.filter((ms) => ms > soonMs).length,
    },
  }
}

async function playRounds(
  stage: Stage,
  ground: Ground & { readonly names: readonly string[] },
  { rounds, isProved }: { readonly rounds: number; readonly isProved: boolean },
  play: Play,
): Promise<Way> {
  const timesMs: number[] = []
  const problems: string[] = []
  const { names } = ground
  const cluster = await LoadedCluster.start(stage, {
    ...{ ...ground, hasBeacons: true },
    ...(!isProved && { cluster: { processLookIntervalMs: Infinity } }),
  })
  for (let number = 1; number <= rounds; number++) {
    const ended = await play({ cluster, names, number, isProved })
    timesMs.push(ended.tookMs)
    const { running } = cluster.members
    const left = names.filter((name) => !ended.gone.includes(name))
    const areLeft =
      running
        .map(({ name }) => name)
        .sort()
        .join() === left.join()
    const found = [
      ...ended.problems,
      ...(areLeft ? [] : [`${running.map(({ name }) => name).join()} are left of ${left.join()}`]),
      ...(ended.tookMs > goesOnMaxMs ? [`it took ${Math.round(ended.tookMs)} ms`] : []),
    ]
    problems.push(...found.map((problem) => `round ${number}: ${problem}`))
    for (const name of ended.gone) await cluster.restart(name)
    await cluster.answeredSince(performance.now())
    stage.say(
      `round ${number} of ${rounds} ${isProved ? 'with' : 'without'} proof: without ${ended.gone.join(', ')} all answered after ${Math.round(ended.tookMs)} ms, ${found.length} problems`,
    )
  }
  const { problems: broken, acked } = await cluster.verdict()
  const { processes } = cluster.members
  const { doubles } = activityIn(processes.folder)
  await processes.dispose()
  return { problems: [...problems, ...broken, ...doubles], timesMs, acked, doubles: doubles.length }
}

/** Each in turn is the one that is left. */
async function killAllBut({ cluster, names, number }: Round): Promise<Ended> {
  const last = names[number % names.length] ?? ''
  const gone = names.filter((name) => name !== last)
  const killedMs = performance.now()
  await Promise.all(gone.map((name) => cluster.members.named(name).kill()))
  return { gone, tookMs: await allAnswer(cluster, killedMs), problems: [] }
}

/** Which of the two goes on is for the store to say. */
async function cut({ cluster, names }: Round): Promise<Ended> {
  const [one, other] = names.map((name) => cluster.members.named(name)) as [Node, Node]
  const cutMs = performance.now()
  cluster.members.processes.network?.partition([one.name], [other.name])
  const gone = await Promise.race([one, other].map(({ name, exited }) => exited.then(() => name)))
  // The silence alone takes about seven seconds to be noticed.
  const tookMs = await allAnswer(cluster, cutMs)
  cluster.members.processes.network?.heal()
  return { gone: [gone], tookMs, problems: [] }
}

type Node = NodeProcess<EntityNode>

/** Counts from when the store is back. */
async function killMeanwhile(
  { cluster, names, number, isProved }: Round,
  storeComesBack: () => Promise<void>,
): Promise<Ended> {
  const victim = names[number % names.length] ?? ''
  const left = names.filter((name) => name !== victim).map((name) => cluster.members.named(name))
  const marks = left.map(({ news }) => news.mark)
  await cluster.members.named(victim).kill()
  const problems: string[] = []
  // Where there is proof nobody has to ask.
  if (!isProved) {
    await Promise.all(left.map(({ news }, at) => news.next('Frozen', {}, { from: marks[at] ?? 0 })))
    for (const [at, { name, news }] of left.entries()) {
      const downed = news.since(marks[at]).filter(({ type }) => type === 'MemberDowned')
      if (downed.length > 0) problems.push(`${name} gave somebody up without the store`)
    }
  }
  await storeComesBack()
  return { gone: [victim], tookMs: await allAnswer(cluster, performance.now()), problems }
}

/** How long after that moment every entity had answered, those too that no store protects. */
async function allAnswer(cluster: LoadedCluster, sinceMs: number): Promise<number> {
  await cluster.answeredSince(sinceMs)
  await Promise.all(cluster.members.running.map((node) => node.call('allBeaconsAnswer')))
  return performance.now() - sinceMs
}
