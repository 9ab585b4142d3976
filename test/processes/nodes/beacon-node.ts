/** A whole node that hosts beacons and calls all of them all the time, wherever they are, by its own view of the cluster. */
import { join } from 'node:path'
import type { ClusterSettings } from '../../../src/cluster/index.ts'
import { type SherdNode, startNode } from '../../../src/node/index.ts'
import { parent } from '../harness/control-server.ts'
import type { Place } from '../harness/process-cluster.ts'
import { ActivityLog, beacons, defineBeacon } from '../load/beacon.ts'
import { quickCluster, quickRemote, quickSharding } from './quick-settings.ts'
import { tellClusterEvents, type View, viewOf, type WantedView, whenViewIs } from './views.ts'

export interface BeaconNodeOptions {
  /** Left out: it founds a cluster of its own. */
  readonly seeds?: readonly string[]
  /** The settings users get; otherwise those of quick tests. */
  readonly hasDefaults?: boolean
  readonly cluster?: Partial<ClusterSettings>
}

/** Between two calls. */
const paceMs = 10
/** Calls of one beacon that are not answered yet; more would only wait. */
const openMax = 3

export class BeaconNode {
  readonly #node: SherdNode
  readonly #flash: (beacon: string) => Promise<string>
  readonly #open = new Map<string, number>()
  /** When the newest call began that was answered, per beacon. */
  readonly #answered = new Map<string, number>()
  #turn = 0
  #listeners: (() => void)[] = []

  static async start(options: Place & BeaconNodeOptions): Promise<BeaconNode> {
    const { name, port, advertisedPort, folder, seeds, hasDefaults = false } = options
    const log = new ActivityLog(folder, name)
    const Beacon = defineBeacon(log)
    const node = await startNode({
      entities: [Beacon],
      name: 'processes',
      port,
      ...(advertisedPort !== undefined && { advertised: { port: advertisedPort } }),
      ...(seeds !== undefined && { seeds }),
      store: { folder: join(folder, 'store') },
      settings: {
        actor: { exitProcess: true },
        remote: hasDefaults ? {} : quickRemote,
        cluster: { ...(hasDefaults ? {} : quickCluster), ...options.cluster },
        sharding: hasDefaults ? {} : quickSharding,
      },
    })
    tellClusterEvents(node.cluster, parent)
    return new BeaconNode(node, (beacon) => node.entity(Beacon, beacon).flash())
  }

  private constructor(node: SherdNode, flash: (beacon: string) => Promise<string>) {
    this.#node = node
    this.#flash = flash
    setInterval(() => void this.#call(beacons[this.#turn++ % beacons.length] ?? ''), paceMs)
  }

  /** Resolves when every beacon has answered a call that began here after this one. */
  async allAnswer(): Promise<void> {
    const sinceMs = performance.now()
    const hasAnswered = (beacon: string) => (this.#answered.get(beacon) ?? -1) >= sinceMs
    while (!beacons.every(hasAnswered)) {
      await new Promise<void>((resolve) => this.#listeners.push(resolve))
    }
  }

  view(): View {
    return viewOf(this.#node.cluster)
  }

  whenViewIs(wanted: WantedView): Promise<View> {
    return whenViewIs(this.#node.cluster, wanted)
  }

  /** What becomes of a call is for the logs of the beacons to show. */
  async #call(beacon: string): Promise<void> {
    const open = this.#open.get(beacon) ?? 0
    if (open >= openMax) return
    this.#open.set(beacon, open + 1)
    const begunMs = performance.now()
    try {
      await this.#flash(beacon)
      this.#answered.set(beacon, begunMs)
      for (const look of this.#listeners.splice(0)) look()
    } catch {
      // The node is frozen, leaves, or has no coordinator yet.
    } finally {
      this.#open.set(beacon, (this.#open.get(beacon) ?? 1) - 1)
    }
  }
}
