/** A node of a simulation: an actor system whose whole world is one incarnation. */
import {
  type ActorSettings,
  ActorSystem,
  DeadLetter,
  Dropped,
  type LostMessage,
  UnhandledMessage,
} from '../actor/index.ts'
import type { Environment } from '../foundation/environment.ts'
import { show } from '../foundation/show.ts'
import type { Incarnation } from './incarnation.ts'
import { SimulationMisuse } from './simulation-errors.ts'
import type { World } from './world.ts'

export interface NodeOptions {
  /** How far the node's wall clock is off, in milliseconds of either sign. */
  readonly wallOffsetMs?: number
  readonly settings?: Partial<ActorSettings>
}

/** One life of a node. */
export interface SimulatedNode {
  readonly name: string
  /** 1 for the first life, one more after each crash. */
  readonly incarnation: number
  readonly environment: Environment
  readonly system: ActorSystem
}

/** A node together with the life that only the simulation may end. */
export interface LivingNode {
  readonly node: SimulatedNode
  readonly life: Incarnation
}

/** Every message that its system loses is an event of the trace. */
export function startNode(world: World, name: string, options: NodeOptions): LivingNode {
  if (!/^[^\s*#]+$/.test(name)) {
    throw new SimulationMisuse(
      `${show(name)} cannot name a node: use text without spaces, * and #.`,
    )
  }
  const life = world.begin(name, options.wallOffsetMs ?? 0)
  try {
    return { node: bootNode(world, life, options), life }
  } catch (error) {
    world.end(life, 'did not start')
    throw error
  }
}

function bootNode(world: World, life: Incarnation, { settings }: NodeOptions): SimulatedNode {
  const { name, environment, number: incarnation } = life
  const system = new ActorSystem(name, { environment, ...(settings && { settings }) })
  const noteLost = (event: LostMessage): void => world.note(life, 'lost', `${event}`)
  system.eventStream.subscribe<LostMessage>(DeadLetter, noteLost)
  system.eventStream.subscribe<LostMessage>(Dropped, noteLost)
  system.eventStream.subscribe<LostMessage>(UnhandledMessage, noteLost)
  return { name, incarnation, environment, system }
}
