/**
 * Who watches an actor on another node (W1) hears of its end once and not before, and hears of it for sure: every node has a
 * beacon, which ends now and then and is followed by another, and watches those of all others.
 */
import { type ActorRef, Behaviors } from '../../../src/actor/index.ts'
import type { NodeId } from '../../../src/foundation/node-id.ts'
import { PeerQuarantined } from '../../../src/remote/index.ts'
import {
  GoalNotReached,
  type SeededRandom,
  type SimulatedNode,
  type Simulation,
} from '../../../src/simulation/index.ts'
import type { Running } from './spine-cluster.ts'

interface Beacon {
  readonly name: string
  readonly node: NodeId
  readonly life: SimulatedNode
  ref: ActorRef<'stop'> | undefined
  isOver: boolean
}

interface Keeper extends Running {
  readonly watcher: ActorRef<Beacon>
  readonly quarantined: Set<NodeId>
  beacon: Beacon | undefined
  lit: number
}

interface Watch {
  readonly keeper: Keeper
  readonly beacon: Beacon
  isTold: boolean
}

export class SpineWatches {
  readonly #simulation: Simulation
  readonly #random: SeededRandom
  readonly #keepers: Keeper[] = []
  readonly #watches = new Map<string, Watch>()
  #isOver = false

  constructor(simulation: Simulation) {
    this.#simulation = simulation
    this.#random = simulation.random.fork('watches')
  }

  /** A node is up. */
  begin(running: Running): void {
    if (isEnding(running)) return
    const { node, life } = running
    const quarantined = new Set<NodeId>()
    node.system.eventStream.subscribe(PeerQuarantined, (event) => quarantined.add(event.node))
    const behavior = Behaviors.receive<Beacon>((context, beacon) => {
      this.#watches.set(`${life.label} ${beacon.name}`, { keeper, beacon, isTold: false })
      context.watch(node.remoting.refAt(beacon.node, `/user/${beacon.name}`))
      return Behaviors.same
    }).receiveSignal({ Terminated: (_, { ref }) => this.#told(keeper, ref.path.name) })
    const watcher = node.system.spawn(behavior, 'watcher')
    const keeper: Keeper = { node, life, watcher, quarantined, beacon: undefined, lit: 0 }
    for (const { beacon } of this.#living) {
      // One that is yet to come tells of itself.
      if (beacon?.ref !== undefined) this.#watch(keeper, beacon)
    }
    this.#keepers.push(keeper)
    this.#light(keeper)
  }

  /** All beacons end, and everybody hears of it. */
  async conclude(): Promise<void> {
    this.#isOver = true
    for (const keeper of this.#living) this.#end(keeper)
    const missing = (): string[] =>
      [...this.#watches.values()]
        .filter(({ keeper, isTold }) => !isTold && keeper.life.isAlive)
        .map(({ keeper, beacon }) => `${keeper.life.label} of ${beacon.name}`)
    try {
      await this.#simulation.runUntil(() => missing().length === 0, { within: '30s' })
    } catch (error) {
      if (!(error instanceof GoalNotReached)) throw error
      this.#simulation.check('W1: whoever watches is told', false, missing().join(', '))
    }
  }

  get #living(): Keeper[] {
    return this.#keepers.filter(({ life }) => life.isAlive)
  }

  #light(keeper: Keeper): void {
    const { life, node } = keeper
    const name = `beacon-${life.name}-${life.incarnation}-${++keeper.lit}`
    const beacon: Beacon = { name, node: node.id, life, ref: undefined, isOver: false }
    keeper.beacon = beacon
    // In a step of its own process.
    life.environment.timers.after(0, () => {
      if (isEnding(keeper)) return
      beacon.ref = node.system.spawn(
        Behaviors.receiveMessage<'stop'>(() => Behaviors.stopped()).receiveSignal({
          // Also when its node ends.
          PostStop: () => void (beacon.isOver = true),
        }),
        name,
      )
      for (const other of this.#living) if (other !== keeper) this.#watch(other, beacon)
      life.environment.timers.after(1_000 + this.#random.below(4_000), () => {
        if (this.#isOver) return
        this.#end(keeper)
        this.#light(keeper)
      })
    })
  }

  #watch({ life, watcher }: Keeper, beacon: Beacon): void {
    life.environment.timers.after(this.#random.below(200), () => watcher.tell(beacon))
  }

  #end({ life, beacon }: Keeper): void {
    life.environment.timers.after(0, () => beacon?.ref?.tell('stop'))
  }

  #told({ node, life, quarantined }: Keeper, name: string): void {
    const watch = this.#watches.get(`${life.label} ${name}`)
    if (watch === undefined || isEnding(watch.keeper)) return
    const { beacon } = watch
    const detail = `${life.label} is told of ${name}`
    this.#simulation.check('W1: an end is told once', !watch.isTold, detail)
    watch.isTold = true
    const isMember = node.cluster.state.members.some((member) => member.node === beacon.node)
    const isOver =
      beacon.isOver || !beacon.life.isAlive || !isMember || quarantined.has(beacon.node)
    this.#simulation.check('W1: no end is told before it comes', isOver, detail)
  }
}

function isEnding({ node }: Running): boolean {
  return node.system.shutdown.reason !== undefined
}
