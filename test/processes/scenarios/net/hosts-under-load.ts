/**
 * Where every scenario over a network of hosts begins and ends: three nodes, each on a host of its own, under load, on a PostgreSQL
 * server on a fourth. There is no proof of death, as on machines of their own: only what comes by the network, and what does not,
 * tells that somebody is gone. Nothing acknowledged may be lost or doubled, and no entity active twice.
 */
import { PostgresServer } from '../../../postgres/postgres-server.ts'
import { HostNetwork } from '../../harness/hosts/host-network.ts'
import { missingForHosts } from '../../harness/hosts/host-tools.ts'
import { storeName } from '../../harness/hosts/packet-rules.ts'
import { type NodeProcess, ProcessGone } from '../../harness/node-process.ts'
import { within } from '../../harness/patience.ts'
import { activityIn } from '../../load/activity.ts'
import type { EntityNode } from '../../nodes/entity-node.ts'
import { LoadedCluster, threeNames } from '../loaded-cluster.ts'
import type { Outcome, Scenario, Stage } from '../scenario.ts'

/** Nodes may be given up while they come back; more often than so it does not end. */
const recoveriesMax = 5
/** How long a fault lasts that nobody ends by replacing somebody. */
const lastsMs = 5_000
/** Calls are refused at once while a node is frozen. */
const attemptsMax = 600

export interface HostRound {
  readonly cluster: LoadedCluster
  readonly network: HostNetwork
  readonly number: number
  /** Whose turn it is to be hurt. */
  readonly victim: NodeProcess<EntityNode>
  /** The names of the others. */
  readonly rest: readonly string[]
}

export interface HostRoundEnd {
  readonly what: string
  /** How long entities were away, or how long an answer of all of them took. */
  readonly tookMs: number
  readonly problems?: readonly string[]
  /** Besides; the largest of all rounds is told. */
  readonly figures?: Readonly<Record<string, number>>
}

interface HostScenario extends Pick<Scenario, 'name' | 'summary' | 'defaultRounds'> {
  /** How long callers wait for one answer. */
  readonly attemptMs?: number
  /** What is aimed for; how many rounds took longer is told. */
  readonly soonMs?: number
  readonly play: (round: HostRound) => Promise<HostRoundEnd>
}

export function hostScenario(scenario: HostScenario): Scenario {
  return { ...scenario, missing: missingForHosts, run: (stage) => playOnHosts(stage, scenario) }
}

async function playOnHosts(stage: Stage, scenario: HostScenario): Promise<Outcome> {
  const network = new HostNetwork(threeNames)
  try {
    const at = { ...network.seatOf(storeName), clients: network.range }
    const server = await PostgresServer.start({ at })
    try {
      const cluster = await LoadedCluster.start(stage, {
        postgres: server.url as `postgres://${string}`,
        ...{ hosts: network, attemptsMax, attemptMs: scenario.attemptMs, hasBeacons: true },
        cluster: { processLookIntervalMs: Infinity },
      })
      return await playRounds(stage, scenario, cluster, network)
    } finally {
      await server.stop()
    }
  } finally {
    network.dispose()
  }
}

async function playRounds(
  stage: Stage,
  { play, soonMs }: HostScenario,
  cluster: LoadedCluster,
  network: HostNetwork,
): Promise<Outcome> {
  const problems: string[] = []
  const timesMs: number[] = []
  const most: Record<string, number> = {}
  let restarts = 0
  for (let number = 1; number <= stage.rounds; number++) {
    const name = threeNames[number % threeNames.length] ?? ''
    const victim = cluster.members.named(name)
    const rest = threeNames.filter((other) => other !== name)
    const end = await play({ cluster, network, number, victim, rest })
    timesMs.push(end.tookMs)
    for (const [figure, value] of Object.entries(end.figures ?? {})) {
      most[figure] = Math.max(most[figure] ?? 0, Math.round(value))
    }
    problems.push(...(end.problems ?? []).map((problem) => `round ${number}: ${problem}`))
    network.heal()
    const healedMs = performance.now()
    restarts += await recover(cluster)
    most['recoveredLongestMs'] = Math.max(
      most['recoveredLongestMs'] ?? 0,
      Math.round(performance.now() - healedMs),
    )
    stage.say(
      `round ${number} of ${stage.rounds}, ${end.what}: all answered after ${Math.round(end.tookMs)} ms`,
    )
  }
  const { problems: broken, acked, unknown } = await cluster.verdict()
  const { doubles } = activityIn(cluster.members.processes.folder)
  timesMs.sort((one, other) => one - other)
  return {
    problems: [...problems, ...broken, ...doubles],
    figures: {
      ...{ rounds: stage.rounds, acked, unknown, doubles: doubles.length, restarts },
      lostPackets: network.lost,
      medianMs: Math.round(timesMs[timesMs.length >> 1] ?? 0),
      longestMs: Math.round(timesMs.at(-1) ?? 0),
      ...(soonMs !== undefined && {
        [`over${soonMs}Ms`]: timesMs.filter((ms) => ms > soonMs).length,
      }),
      ...most,
    },
  }
}

/** Starts again whoever has ended; resolves when all see all and every entity answers. Answers how many were started. */
async function recover(cluster: LoadedCluster): Promise<number> {
  const { members, shunned } = cluster
  let restarts = 0
  shunned.clear()
  for (let attempt = 1; attempt <= recoveriesMax; attempt++) {
    const running = new Set(members.running.map(({ name }) => name))
    const ended = threeNames.filter((name) => !running.has(name))
    restarts += ended.length
    try {
      await cluster.restart(...ended)
      await allAnswer(cluster, performance.now())
      if (members.running.length === threeNames.length) return restarts
    } catch (error) {
      // It had been given up, and has only now learned of it.
      if (!(error instanceof ProcessGone)) throw error
    }
  }
  throw new Error(`some node ended each time that all should be there, ${recoveriesMax} times`)
}

/** How long after that moment every entity had answered those who may be called, also the entities that no store protects. */
export async function allAnswer(cluster: LoadedCluster, sinceMs: number): Promise<number> {
  await cluster.answeredSince(sinceMs)
  const called = cluster.members.running.filter(({ name }) => !cluster.shunned.has(name))
  await Promise.all(called.map((node) => node.call('allBeaconsAnswer')))
  return performance.now() - sinceMs
}

interface Cut {
  readonly what: string
  readonly begin: () => void
  /** Heals what was cut when not given. */
  readonly end?: () => void
}

/** Plays a round in which one node is lost to the others, and healed when they have replaced it: it must have frozen before, and end. */
export async function cutOff(round: HostRound, { what, begin, end }: Cut): Promise<HostRoundEnd> {
  const { cluster, network, victim, rest } = round
  const heal = end ?? ((): void => network.heal())
  const witness = cluster.members.named(rest[0] ?? '')
  const { self: node } = await victim.call('view')
  const from = victim.news.mark
  const problems: string[] = []
  const cutMs = performance.now()
  begin()
  // Callers on its side cannot know better than to call it; those calls may fail, and are not waited for.
  cluster.shunned.add(victim.name)
  await victim.news.next('Frozen', {}, { from })
  const frozenMs = performance.now() - cutMs
  if (witness.news.since().some((news) => news.type === 'MemberRemoved' && news['node'] === node))
    problems.push(`${victim.name} was replaced before it had frozen`)
  const tookMs = await allAnswer(cluster, cutMs)
  await cluster.members.settle(rest)
  heal()
  const healedMs = performance.now()
  const { code } = await within(victim.exited, `the end of ${victim.name}, which was replaced`)
  if (code === 0) problems.push(`${victim.name} ended as if nothing had happened`)
  const figures = { frozenLongestMs: frozenMs, endedLongestMs: performance.now() - healedMs }
  return { what, tookMs, problems, figures }
}

/** Resolves when a fault has lasted long enough. Nothing is waited for: this is the fault. */
export async function lasting(ms = lastsMs): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return ms
}

/** While something lasts, the longest time that an answer of all entities took. */
export async function longestMeanwhile(cluster: LoadedCluster): Promise<number> {
  const begunMs = performance.now()
  let longestMs = 0
  do {
    longestMs = Math.max(longestMs, await cluster.answeredSince(performance.now()))
  } while (performance.now() - begunMs < lastsMs)
  return longestMs
}
