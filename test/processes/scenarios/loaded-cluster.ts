/** Three nodes on one store, callers that never rest, and the books: where every scenario begins and ends. */
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

/** How long a caller waits for one answer. No failover can be seen to be shorter than that for calls that were lost. */
const attemptMs = 1_000

export const threeNames: readonly string[] = ['a', 'b', 'c']

export class LoadedCluster {
  readonly members: Members<EntityNode, EntityNodeOptions>
  readonly load: Load
  readonly entities: readonly string[]
  readonly #ledger = new Ledger()
  readonly #options: EntityNodeOptions
  /** Names of nodes that callers do not use. */
  readonly shunned = new Set<string>()
  #turn = 0

  /** Three nodes that see each other, and every entity has answered. */
  static async start(stage: Stage, options: ClusterOptions = {}): Promise<LoadedCluster> {
    const processes = stage.cluster<EntityNode, EntityNodeOptions>('entity', options)
    const members = new Members(processes)
    const seeds = await members.addresses(threeNames)
    const nodeOptions = { seeds, hasDefaults: !stage.isQuick }
    const cluster = new LoadedCluster(members, nodeOptions, stage.isQuick ? quickLoad : fullLoad)
    await members.form(threeNames, nodeOptions)
    cluster.load.start()
    await cluster.answeredSince(performance.now())
    return cluster
  }

  private constructor(
    members: Members<EntityNode, EntityNodeOptions>,
    options: EntityNodeOptions,
    { entities, paceMs }: typeof fullLoad,
  ) {
    this.members = members
    this.#options = options
    this.entities = Array.from({ length: entities }, (_, n) => `tally-${n}`)
    this.load = new Load({
      entities: this.entities,
      ledger: this.#ledger,
      append: (entity, id) => this.#append(entity, id),
      paceMs,
    })
  }

  /** Starts the node of that name again, on its port, and waits until all see all. */
  async restart(name: string): Promise<NodeProcess<EntityNode>> {
    const node = await this.members.start(name, this.#options)
    await this.members.settle()
    return node
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

  /** Ends the load and holds what the entities have against what the callers know. */
  async verdict(): Promise<Verdict> {
    await this.load.stop()
    const stored = new Map<string, readonly string[]>()
    for (const entity of this.entities) stored.set(entity, await this.#ids(entity))
    const verdict = this.#ledger.check(stored)
    return { ...verdict, problems: [...verdict.problems, ...this.load.failures] }
  }

  async #ids(entity: string): Promise<string[]> {
    for (;;) {
      try {
        return (await this.#someNode()?.call('ids', entity)) ?? []
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
      }
    }
  }

  async #append(entity: string, id: string): Promise<'acked' | 'unknown' | 'refused'> {
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
    const nodes = this.members.running.filter(({ name }) => !this.shunned.has(name))
    return nodes[this.#turn++ % nodes.length]
  }
}
