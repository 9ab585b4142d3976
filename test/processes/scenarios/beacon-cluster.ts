/**
 * A cluster whose entities no store protects, under a supervisor, for one round of a scenario about its founding: nothing may
 * be active twice, and in the end all are in one cluster, without a person.
 */
import { Supervisor } from '../harness/supervisor.ts'
import type { ProcessCluster } from '../harness/process-cluster.ts'
import { activityIn } from '../load/activity.ts'
import type { BeaconNode, BeaconNodeOptions } from '../nodes/beacon-node.ts'
import type { Outcome, Stage } from './scenario.ts'

/** How long it may take until all are in one cluster, from when nothing hinders them any more. */
const unitedMaxMs = 30_000

export class BeaconCluster {
  readonly processes: ProcessCluster<BeaconNode, BeaconNodeOptions>
  readonly supervisor: Supervisor<BeaconNode, BeaconNodeOptions>
  readonly problems: string[] = []
  readonly #hasDefaults: boolean
  unitedMs = 0

  constructor(stage: Stage) {
    this.processes = stage.cluster('beacon', { hasProxies: true })
    this.supervisor = new Supervisor(this.processes)
    this.#hasDefaults = !stage.isQuick
  }

  options(seeds?: readonly string[]): BeaconNodeOptions {
    return { hasDefaults: this.#hasDefaults, ...(seeds !== undefined && { seeds }) }
  }

  async seeds(...names: readonly string[]): Promise<BeaconNodeOptions> {
    return this.options(await Promise.all(names.map((name) => this.processes.addressOf(name))))
  }

  /** Starts all of them side by side, and waits until they are one cluster in which every beacon answers. */
  async form(names: readonly string[], options: BeaconNodeOptions): Promise<void> {
    await Promise.all(names.map((name) => this.supervisor.keep(name, options)))
    await this.supervisor.united(names, unitedMaxMs)
    await this.allAnswer(names)
  }

  /** Every beacon answers every one of them. */
  async allAnswer(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.supervisor.named(name).call('allAnswer')))
  }

  /** Waits until they are one cluster, where every beacon answers. A problem when that takes too long since then. */
  async unite(names: readonly string[], sinceMs = performance.now()): Promise<void> {
    try {
      const waitedMs = performance.now() - sinceMs
      this.unitedMs = waitedMs + (await this.supervisor.united(names, unitedMaxMs - waitedMs))
      await this.allAnswer(names)
    } catch (error) {
      this.problems.push(String(error), ...(await this.supervisor.views(names)))
    }
  }
}

type Play = (cluster: BeaconCluster, round: number) => Promise<string>

/** Plays each round on a cluster of its own: what one round has broken does not spoil the next. */
export async function playRounds(stage: Stage, play: Play): Promise<Outcome> {
  const problems: string[] = []
  let [acts, doubles, longestDoubleMs, longestUnitedMs, badRounds] = [0, 0, 0, 0, 0]
  for (let round = 1; round <= stage.rounds; round++) {
    const cluster = new BeaconCluster(stage)
    const what = await play(cluster, round).catch((error: unknown) => {
      cluster.problems.push(String(error))
      return 'broken off'
    })
    const activity = activityIn(cluster.processes.folder)
    const found = [...cluster.problems, ...activity.doubles]
    cluster.supervisor.end()
    await cluster.processes.dispose()
    acts += activity.acts
    doubles += activity.doubles.length
    badRounds += found.length > 0 ? 1 : 0
    longestDoubleMs = Math.max(longestDoubleMs, activity.longestDoubleMs)
    longestUnitedMs = Math.max(longestUnitedMs, cluster.unitedMs)
    problems.push(...found.map((problem) => `round ${round}, ${what}: ${problem}`))
    const ends = cluster.supervisor.ends.map((end) => `; ${end}`).join('')
    stage.say(
      `round ${round} of ${stage.rounds}, ${what}: one cluster after ${Math.round(cluster.unitedMs)} ms, ${activity.doubles.length} doubles, ${cluster.problems.length} problems${ends}`,
    )
  }
  return {
    problems,
    figures: {
      rounds: stage.rounds,
      badRounds,
      acts,
      doubles,
      longestDoubleMs: Math.round(longestDoubleMs),
      longestUnitedMs: Math.round(longestUnitedMs),
    },
  }
}
