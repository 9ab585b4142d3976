/** Some nodes on one store, callers that never rest, and the books: where every scenario begins and ends. */
import { Members } from '../harness/members.ts'
import { NodeError, type NodeProcess, ProcessGone } from '../harness/node-process.ts'
import type { ClusterOptions } from '../harness/process-cluster.ts'
import { within } from '../harness/patience.ts'
import { Ledger, type Verdict } from '../load/ledger.ts'
import { Load } from '../load/load.ts'
import type { EntityNode, EntityNodeOptions } from '../nodes/entity-node.ts'
import type { Stage } from './scenario.ts'

/** In tests the load leaves room: a machine of two cores runs three nodes and starts a fourth. */
const quickLoad = { entities: 12, paceMs: 30 }
const fullLoad = { entities: 24, paceMs: 5 }

/** Longer than the settings need to replace a node. */
const failoverMaxMs = 30_000

/** How long a caller waits for one answer. */
const defaultAttemptMs = 1_000

export const threeNames: readonly string[] = ['a', 'b', 'c']
export const fiveNames: readonly string[] = [...threeNames, 'd', 'e']

/** Where the nodes keep what, and how long callers try. */
export interface Ground
  extends
    ClusterOptions,
    Pick<EntityNodeOptions, 'postgres' | 'keeping' | 'hasBeacons' | 'cluster'> {
  /** Attempts of one call. */
  readonly attemptsMax?: number | undefined
  /** How long each takes at most. No failover can be seen to be shorter than that for calls that were lost. */
  readonly attemptMs?: number | undefined
  /** Of the nodes; three when not given. */
  readonly names?: readonly string[]
}

export interface ClusterVerdict extends Verdict {
  /** Of which only snapshots know. */
  readonly deletedEvents: number
}

export class LoadedCluster {
  readonly members: Members<EntityNode, EntityNodeOptions>
  readonly load: Load
  readonly entities: readonly string[]
  readonly #ledger = new Ledger()
  readonly #names: readonly string[]
  readonly #options: EntityNodeOptions
  readonly #attemptMs: number
  /** Names of nodes that callers do not use. */
  readonly shunned = new Set<string>()
  #turn = 0

  /** Nodes that see each other, and every entity has answered. */
  static async start(stage: Stage, ground: Ground = {}): Promise<LoadedCluster> {
    const { hasProxies = false, hosts, names = threeNames, ...others } = ground
    const { attemptsMax, attemptMs, ...store } = others
    const processes = stage.cluster<EntityNode, EntityNodeOptions>('entity', { hasProxies, hosts })
    const members = new Members(processes)
    const seeds = await members.addresses(names)
    const nodeOptions = { seeds, hasDefaults: !stage.isQuick, ...store }
    const amount = { ...(stage.isQuick ? quickLoad : fullLoad), attemptsMax, attemptMs, names }
    const cluster = new LoadedCluster(members, nodeOptions, { ...amount, over: stage.over })
    await members.form(names, nodeOptions)
    cluster.load.start()
    await cluster.answeredSince(performance.now())
    return cluster
  }

  private constructor(
    members: Members<EntityNode, EntityNodeOptions>,
    options: EntityNodeOptions,
    {
      entities,
      paceMs,
      attemptsMax,
      attemptMs = defaultAttemptMs,
      names = [],
      over,
    }: typeof fullLoad & Ground & Pick<Stage, 'over'>,
  ) {
    this.members = members
    this.#names = names
    this.#attemptMs = attemptMs
    this.#options = options
    this.entities = Array.from({ length: entities }, (_, n) => `tally-${n}`)
    this.load = new Load({
      entities: this.entities,
      ledger: this.#ledger,
      append: (entity, id) => this.#append(entity, id),
      ...{ paceMs, attemptsMax, over },
    })
  }

  /** Starts the nodes of these names again, where they were or where their hosts are now, and waits until all see all. */
  async restart(...names: readonly string[]): Promise<void> {
    const seeds = await this.members.addresses(this.#names)
    const options = { ...this.#options, seeds }
    await Promise.all(names.map((name) => this.members.start(name, options)))
    await this.members.settle()
  }

  /** How long it took until every entity had answered a call that began after this moment. */
  answeredSince(sinceMs: number): Promise<number> {
    return within(
      this.load.answeredSince(sinceMs),
      'an answer of every entity',
      failoverMaxMs,
    ).catch((error: unknown) => {
      const silent = this.load.silentSince(sinceMs).join(', ')
      throw new Error(`${String(error)}; silent: ${silent}`, { cause: error })
    })
  }

  /** Sends this to that node and counts on no answer: the books have it as unknown. */
  sendOff(node: NodeProcess<EntityNode>, entity: string, id: string): void {
    this.#ledger.begin(id, entity)
    node.call('append', entity, id).catch(() => undefined)
  }

  /** Ends the load and holds what the entities have against what the callers know, and against their events. */
  async verdict(): Promise<ClusterVerdict> {
    await this.load.stop()
    const stored = new Map<string, readonly string[]>()
    const problems: string[] = []
    let deletedEvents = 0
    for (const entity of this.entities) {
      const ids = await this.#ask(entity, 'ids')
      const replayed = await this.#ask(entity, 'replayed')
      stored.set(entity, ids)
      deletedEvents += ids.length - replayed.length
      if (!isEnd(ids, replayed)) problems.push(`the state of ${entity} is not that of its events`)
    }
    if (deletedEvents > 0 !== (this.#options.keeping === 'newest events')) {
      problems.push(`${deletedEvents} events were deleted`)
    }
    const verdict = this.#ledger.check(stored)
    problems.push(...verdict.problems, ...this.load.failures)
    return { ...verdict, deletedEvents, problems }
  }

  async #ask(entity: string, what: 'ids' | 'replayed'): Promise<string[]> {
    for (;;) {
      try {
        return (await this.#someNode()?.call(what, entity)) ?? []
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
      }
    }
  }

  async #append(entity: string, id: string): Promise<'acked' | 'unknown' | 'refused'> {
    const node = this.#someNode()
    if (node === undefined) return 'refused'
    try {
      await node.callWithin(this.#attemptMs, 'append', entity, id)
      return 'acked'
    } catch (error) {
      const isRefused =
        (error instanceof NodeError && !error.mayHaveHappened) ||
        (error instanceof ProcessGone && !error.wasSent)
      return isRefused ? 'refused' : 'unknown'
    }
  }

  #someNode(): NodeProcess<EntityNode> | undefined {
    const nodes = this.members.running.filter(({ name }) => !this.shunned.has(name))
    return nodes[this.#turn++ % nodes.length]
  }
}

/** Whether `all` ends with `last`. */
function isEnd(all: readonly string[], last: readonly string[]): boolean {
  const from = all.length - last.length
  return from >= 0 && last.every((each, index) => each === all[from + index])
}
