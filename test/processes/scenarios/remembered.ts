/**
 * kill -9 with remembered persistent entities: whatever is killed, all of them run again without a message, and have exactly
 * what was acknowledged. Every fifth time all nodes are killed at once.
 */
import { randomInt } from 'node:crypto'
import { Members } from '../harness/members.ts'
import { NodeError, type NodeProcess, ProcessGone } from '../harness/node-process.ts'
import { within } from '../harness/patience.ts'
import { Ledger, type Outcome as CallOutcome } from '../load/ledger.ts'
import type { EntityNode, EntityNodeOptions } from '../nodes/entity-node.ts'
import { threeNames } from './loaded-cluster.ts'
import type { Outcome, Scenario, Stage } from './scenario.ts'

export const remembered: Scenario = {
  name: 'remembered',
  summary:
    'kill -9 of one node, or all, with remembered entities: they run again without a message',
  defaultRounds: 8,
  run,
}

const allEvery = 5
const attemptMs = 1_000
const retryMs = 50
/** So long a caller tries, also while no node runs. */
const callMaxMs = 30_000
/** Longer than the settings need to replace a node. */
const returnMaxMs = 30_000
const lookMs = 25

async function run(stage: Stage): Promise<Outcome> {
  const cluster = await RememberedCluster.start(stage)
  const returnsMs: number[] = []
  for (let round = 1; round <= stage.rounds; round++) {
    const victims = round % allEvery === 0 ? threeNames : [someOf(threeNames)]
    // The others get no message from here on until they run again.
    const [called, quiet] = cluster.halves(round)
    const calls = cluster.call(called, round)
    await calls.someAnswered
    const killedMs = performance.now()
    await Promise.all(victims.map((name) => cluster.members.named(name).kill()))
    const returned = cluster.allRun(quiet, killedMs)
    // Every other time it comes back before the others have given it up.
    const isBackAtOnce = victims.length > 1 || round % 2 === 0
    const [tookMs] = await Promise.all([returned, isBackAtOnce && cluster.restart(victims)])
    await calls.ended
    if (!isBackAtOnce) await cluster.restart(victims)
    await cluster.allRun(cluster.entities, killedMs)
    returnsMs.push(tookMs)
    stage.say(
      `round ${round} of ${stage.rounds}: ${victims.join(', ')} killed, ${isBackAtOnce ? 'back at once' : 'replaced first'}; ${quiet.length} run without a message after ${Math.round(tookMs)} ms`,
    )
  }
  const { problems, acked, lost, doubled } = await cluster.verdict()
  return {
    problems,
    figures: {
      ...{ rounds: stage.rounds, acked, losses: lost, doubles: doubled },
      slowestReturnMs: Math.round(Math.max(...returnsMs)),
    },
  }
}

class RememberedCluster {
  readonly members: Members<EntityNode, EntityNodeOptions>
  readonly #options: EntityNodeOptions
  readonly #over: AbortSignal
  readonly #ledger = new Ledger()
  readonly #failures: string[] = []
  readonly entities: readonly string[]
  #turn = 0

  /** Three nodes that see each other, and every entity has answered once. */
  static async start(stage: Stage): Promise<RememberedCluster> {
    const members = new Members(stage.cluster<EntityNode, EntityNodeOptions>('entity'))
    const seeds = await members.addresses(threeNames)
    const options = { seeds, hasDefaults: !stage.isQuick, remembers: true }
    await members.form(threeNames, options)
    const cluster = new RememberedCluster(members, options, stage)
    await cluster.call(cluster.entities, 0).ended
    await cluster.allRun(cluster.entities, performance.now())
    return cluster
  }

  private constructor(
    members: Members<EntityNode, EntityNodeOptions>,
    options: EntityNodeOptions,
    { isQuick, over }: Stage,
  ) {
    this.members = members
    this.#options = options
    this.#over = over
    this.entities = Array.from({ length: isQuick ? 40 : 200 }, (_, n) => `kept-${n}`)
  }

  async restart(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.members.start(name, this.#options)))
    await this.members.settle()
  }

  /** Those that are called in a round, and those that are not: the other way round in the next one. */
  halves(round: number): [readonly string[], readonly string[]] {
    const isCalled = (index: number): boolean => index % 2 === round % 2
    return [
      this.entities.filter((_, index) => isCalled(index)),
      this.entities.filter((_, index) => !isCalled(index)),
    ]
  }

  /** Some calls to each of these, repeated under an id of its own until one is acknowledged. */
  call(
    entities: readonly string[],
    round: number,
  ): { readonly someAnswered: Promise<void>; readonly ended: Promise<void> } {
    let answered: () => void = () => undefined
    const someAnswered = new Promise<void>((resolve) => (answered = resolve))
    const calls = entities.map(async (entity) => {
      for (let call = 1; call <= 3; call++) {
        await this.#call(entity, `${entity}.${round}.${call}`)
        answered()
      }
    })
    return { someAnswered, ended: Promise.all(calls).then(() => undefined) }
  }

  /** Without a message: asks the nodes what they host, until it is each of these once. Answers how long it took. */
  async allRun(entities: readonly string[], sinceMs: number): Promise<number> {
    let missing = entities
    const waited = new AbortController()
    const over = AbortSignal.any([this.#over, waited.signal])
    const look = async (): Promise<void> => {
      for (;;) {
        over.throwIfAborted()
        const hosted = (await this.#hosted()).filter((entity) => entities.includes(entity))
        missing = entities.filter((entity) => !hosted.includes(entity))
        if (missing.length === 0 && hosted.length === entities.length) return
        await rest(lookMs)
      }
    }
    await within(look(), 'every remembered entity', returnMaxMs).catch((error: unknown) => {
      waited.abort()
      throw new Error(`${String(error)}; not there: ${missing.join(', ')}`, { cause: error })
    })
    return performance.now() - sinceMs
  }

  /** Holds what the entities have against what the callers know. */
  async verdict() {
    const stored = new Map<string, readonly string[]>()
    for (const entity of this.entities) {
      stored.set(entity, (await this.#someNode()?.call('ids', entity)) ?? [])
    }
    const { problems, acked } = this.#ledger.check(stored)
    const lost = problems.filter((problem) => problem.includes(' lost ')).length
    const doubled = problems.filter((problem) => problem.endsWith(' times')).length
    return { problems: [...problems, ...this.#failures], acked, lost, doubled }
  }

  async #hosted(): Promise<string[]> {
    const asked = this.members.running.map((node) => node.call('hosted').catch(() => []))
    return (await Promise.all(asked)).flat()
  }

  async #call(entity: string, call: string): Promise<void> {
    const untilMs = performance.now() + callMaxMs
    for (let attempt = 1; performance.now() < untilMs && !this.#over.aborted; attempt++) {
      const id = `${call}.${attempt}`
      this.#ledger.begin(id, entity)
      const outcome = await this.#append(entity, id)
      this.#ledger.settle(id, outcome)
      if (outcome === 'acked') return
      await rest(retryMs)
    }
    if (this.#over.aborted) return
    this.#failures.push(`${entity} did not answer call ${call} within ${callMaxMs} ms`)
  }

  async #append(entity: string, id: string): Promise<CallOutcome> {
    const node = this.#someNode()
    if (node === undefined) return 'refused'
    try {
      await node.callWithin(attemptMs, 'append', entity, id)
      return 'acked'
    } catch (error) {
      const isRefused =
        (error instanceof NodeError && !error.mayHaveHappened) ||
        (error instanceof ProcessGone && !error.wasSent)
      return isRefused ? 'refused' : 'unknown'
    }
  }

  #someNode(): NodeProcess<EntityNode> | undefined {
    const { running } = this.members
    return running[this.#turn++ % running.length]
  }
}

function someOf(names: readonly string[]): string {
  return names[randomInt(names.length)] as string
}

/** Between two looks; how long something took is measured, and not waited for. */
function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
