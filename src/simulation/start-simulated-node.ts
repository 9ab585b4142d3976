/**
 * Whole nodes in a simulation: `startNode` as in production, on the simulated network and the simulated store. Entities run
 * unchanged.
 *
 *   const options = { entities: [Cart], seeds: ['a:2552', 'b:2552', 'c:2552'] }
 *   const [, b] = await simulation.settle(Promise.all(['a', 'b', 'c'].map((name) =>
 *     startSimulatedNode(simulation, name, options))))
 *   simulation.network.partition(['a'], ['b', 'c'])
 *   await simulation.settle(b.entity(Cart, 'ann').add('tea'))
 */
import { type NodeOptions, type SherdNode, startNode } from '../node/index.ts'
import type { SimulatedNode } from './simulated-node.ts'
import type { Simulation } from './simulation.ts'

/** Where every simulated node listens; its host is its name. */
const simulatedPort = 2_552

const EXIT_LOOK_MS = 50

/** A real node would end, and others recover: here it must not pass for one that was started again. */
const noneBreaks = 'no node breaks an invariant of its own'

/** What the simulation does not decide itself. */
export type SimulatedNodeOptions = Omit<
  NodeOptions,
  | 'host'
  | 'port'
  | 'advertised'
  | 'tls'
  | 'store'
  | 'environment'
  | 'logger'
  | 'transport'
  | 'beforeJoin'
> & {
  /** The machine that it runs on: nodes of one machine see each other's processes end. All are on one when not given. */
  readonly machine?: string
  /** How far the node's wall clock is off, in milliseconds of either sign. */
  readonly wallOffsetMs?: number
  /** Seconds that its clocks and timers count while one passes; 1 when not given. Real ones err by less than 0.001. */
  readonly clockRate?: number
  /** Called before the node joins: whoever subscribes here misses nothing. As that of `NodeOptions` otherwise. */
  readonly beforeJoin?: (node: SherdNode, life: SimulatedNode) => void | Promise<void>
}

/**
 * Starts a life of the node of that name. Its process ends by itself when the node has stopped, for whatever reason, so
 * that it can be started again. The promise stays open when the node crashes before it is up.
 */
export async function startSimulatedNode(
  simulation: Simulation,
  name: string,
  { beforeJoin, machine, wallOffsetMs, clockRate, ...options }: SimulatedNodeOptions = {},
): Promise<SherdNode> {
  const life = simulation.node(name, {
    ...(machine !== undefined && { machine }),
    ...(wallOffsetMs !== undefined && { wallOffsetMs }),
    ...(clockRate !== undefined && { clockRate }),
  })
  const { environment, transport, journal } = life
  try {
    const node = await startNode({
      // There is nobody else on this network.
      ...(options.secret === undefined && { insecure: true }),
      ...options,
      ...{ host: name, port: simulatedPort, store: journal, environment, transport },
      beforeJoin: (started) => {
        life.traceLosses(started.system)
        life.followEntities(started)
        started.system.shutdown.addTask('before-service-unbind', 'simulation', ({ type }) =>
          simulation.check(noneBreaks, type !== 'broken-invariant', `${life.label}: see its log`),
        )
        void started.whenStopped
          .then(() => started.stop())
          .then(() => exitWhenIdle(simulation, life, 0))
        return beforeJoin?.(started, life)
      },
    })
    return node
  } catch (error) {
    exitWhenIdle(simulation, life, 1)
    throw error
  }
}

/** As Node does: a process whose sockets are not closed yet lives on. */
function exitWhenIdle(simulation: Simulation, life: SimulatedNode, code: number): void {
  const { environment } = life
  if (simulation.network.connectionsOf(life.name) === 0) environment.process.exit(code)
  else environment.timers.after(EXIT_LOOK_MS, () => exitWhenIdle(simulation, life, code))
}
