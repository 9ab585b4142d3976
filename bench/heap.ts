/**
 * The part of `memory` that runs in a process of its own: fills the heap with one contestant's
 * actors and weighs it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import { IdleEntities } from './bare/idle-entities.ts'
import { Countdown } from './countdown.ts'
import { idleDefined, idleSharded } from './idle-sharded.ts'
import { loadPeers, type NactRef, type XstateActor } from './peer-libraries.ts'
import { quietSystem } from './quiet-system.ts'

export interface HeapFigures {
  readonly started: number
  readonly afterOneMessage: number
}

export interface Population {
  readonly spawn: (index: number) => void
  /** Sends that actor its one message; handling it counts down. */
  readonly greet: (index: number) => void
}

interface Hello {
  readonly type: 'hello'
}

const hello: Hello = { type: 'hello' }
const actorsAtOnce = 1000

/** Prints the figures for `contestant:actors` as one line of JSON. */
export async function weigh(order: string): Promise<void> {
  const [contestant = '', actors = ''] = order.split(':')
  const size = Number(actors)
  const countdown = new Countdown()
  const population = await populations[contestant]?.(size, countdown)
  if (population === undefined) throw new Error(`no contestant ${contestant}`)

  const empty = await heapUsed()
  for (let index = 0; index < size; index++) {
    population.spawn(index)
    if (index % actorsAtOnce === 0) await nextTurn()
  }
  const started = await heapUsed()
  for (let first = 0; first < size; first += actorsAtOnce) {
    const handled = countdown.from(actorsAtOnce)
    for (let index = first; index < first + actorsAtOnce; index++) population.greet(index)
    await handled
  }
  const afterOneMessage = await heapUsed()
  // Used after the last weighing, so that nothing could be collected before.
  population.greet(0)
  const figures: HeapFigures = {
    started: (started - empty) / size,
    afterOneMessage: (afterOneMessage - empty) / size,
  }
  console.log(JSON.stringify(figures))
  // A node would live on.
  process.exit(0)
}

/** Turns pass first, so that whatever the runtime does after a message is done. */
async function heapUsed(): Promise<number> {
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  for (let collection = 0; collection < 3; collection++) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

type Populate = (size: number, countdown: Countdown) => Population | undefined | Promise<Population>

const populations: Record<string, Populate> = {
  ours(size, countdown) {
    const system = quietSystem()
    const behavior = Behaviors.receiveMessage<Hello>(countdown.one)
    const refs = slots<ActorRef<Hello>>(size)
    return {
      spawn: (index) => (refs[index] = system.spawn(behavior, `actor-${index}`)),
      greet: (index) => refs[index]?.tell(hello),
    }
  },
  bare(_size, countdown) {
    const entities = new IdleEntities()
    const behavior = { start: () => {}, handle: countdown.one }
    return {
      spawn: (index) => entities.spawn(`actor-${index}`, behavior),
      greet: (index) => entities.tell(`actor-${index}`, hello),
    }
  },
  sharded: (_size, countdown) => idleSharded(countdown),
  defined: (_size, countdown) => idleDefined(countdown),
  nact(size, countdown) {
    const { nact } = loadPeers()
    if (nact === undefined) return undefined
    const system = nact.start()
    const refs = slots<NactRef>(size)
    return {
      spawn: (index) => (refs[index] = nact.spawn(system, countdown.one, `actor-${index}`)),
      greet: (index) => nact.dispatch(refs[index] as NactRef, hello),
    }
  },
  xstate(size, countdown) {
    const { xstate } = loadPeers()
    if (xstate === undefined) return undefined
    const { createActor, fromTransition } = xstate
    const parent = createActor(fromTransition<null, never>((state) => state, null)).start()
    const logic = fromTransition<null, Hello>((state) => {
      countdown.one()
      return state
    }, null)
    const actors = slots<XstateActor<Hello>>(size)
    return {
      spawn: (index) =>
        (actors[index] = createActor(logic, { id: `actor-${index}`, parent }).start()),
      greet: (index) => actors[index]?.send(hello),
    }
  },
}

/** The benchmark's own references take their room before the first weighing. */
function slots<T>(size: number): (T | undefined)[] {
  return Array.from<T | undefined>({ length: size }).fill(undefined)
}
