/** A whole node that hosts beacons and calls all of them all the time, wherever they are, by its own view of the cluster. */
import { join } from 'node:path'
import type { ClusterSettings } from '../../../src/cluster/index.ts'
import { type SherdNode, startNode } from '../../../src/node/index.ts'
import { parent } from '../harness/control-server.ts'
import type { Place } from '../harness/process-cluster.ts'
import { ActivityLog, defineBeacon } from '../load/beacon.ts'
import { BeaconCalls } from './beacon-calls.ts'
import { quickCluster, quickRemote, quickSharding } from './quick-settings.ts'
import { tellClusterEvents, type View, viewOf, type WantedView, whenViewIs } from './views.ts'

export interface BeaconNodeOptions {
  /** Left out: it founds a cluster of its own. */
  readonly seeds?: readonly string[]
  /** The settings users get; otherwise those of quick tests. */
  readonly hasDefaults?: boolean
  readonly cluster?: Partial<ClusterSettings>
}

export class BeaconNode {
  readonly #node: SherdNode
  readonly #calls: BeaconCalls

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
    this.#calls = new BeaconCalls(flash)
  }

  /** Resolves when every beacon has answered a call that began here after this one. */
  allAnswer(): Promise<void> {
    return this.#calls.allAnswer()
  }

  view(): View {
    return viewOf(this.#node.cluster)
  }

  whenViewIs(wanted: WantedView): Promise<View> {
    return whenViewIs(this.#node.cluster, wanted)
  }
}
