/**
 * Benchmark `spawn`: actors spawned and started. Up to 100,000 named actors per round, a thousand
 * at a time; all stay alive until the round is over. A fresh system per round, built and torn down
 * outside the clock. Every actor has the same behavior:
 *   trivial      only a message handler. The last of each thousand is sent a message, and the next
 *                thousand waits until it has been handled: actors start in order, so then all have
 *                started.
 *   with set-up  the actor runs set-up code of its own when it starts. Counted by that code; all
 *                must have run.
 *
 * nact: `spawn` under the system; set-up is `initialStateFunc`. xstate: `createActor(…).start()` of
 * a transition actor; set-up is its initial state; with a parent, because without one each actor
 * would make a system of its own.
 */
import { type ActorRef, type Behavior, Behaviors } from '../src/actor/index.ts'
import { IdleEntities } from './bare/idle-entities.ts'
import type { Benchmark } from './benchmark.ts'
import { Countdown } from './countdown.ts'
import { contestantIf, measure, type Running } from './harness.ts'
import type { Nact, NactRef, Xstate, XstateActor } from './peer-libraries.ts'
import { quietSystem } from './quiet-system.ts'

const actorsMax = 100_000
const actorsAtOnce = 1000

type Kind = 'trivial' | 'with set-up'

interface Hello {
  readonly type: 'hello'
}

const hello: Hello = { type: 'hello' }

export const spawn: Benchmark = {
  name: 'spawn',
  summary: 'actors spawned and started per second',
  async run({ nact, xstate }) {
    const measureKind = (kind: Kind) =>
      measure({
        name: kind,
        unit: 'actors/s',
        operationsStep: actorsAtOnce,
        operationsMax: actorsMax,
        contestants: [
          { name: 'ours', setUp: () => setUpOurs(kind) },
          { name: 'bare', setUp: () => setUpBare(kind) },
          ...contestantIf('nact', nact, (library) => setUpNact(library, kind)),
          ...contestantIf('xstate', xstate, (library) => setUpXstate(library, kind)),
        ],
      })
    return [await measureKind('trivial'), await measureKind('with set-up')]
  },
}

/** Batch after batch; what `spawnOne` gives is how to say hello to that actor. */
async function spawnAll<Ref>(
  operations: number,
  { kind, countdown }: { kind: Kind; countdown: Countdown },
  { spawnOne, greet }: { spawnOne: (name: string) => Ref; greet: (ref: Ref) => void },
): Promise<void> {
  for (let first = 0; first < operations; first += actorsAtOnce) {
    const all = countdown.from(kind === 'trivial' ? 1 : actorsAtOnce)
    const last = first + actorsAtOnce - 1
    for (let index = first; index < last; index++) spawnOne(`actor-${index}`)
    const ref = spawnOne(`actor-${last}`)
    if (kind === 'trivial') greet(ref)
    await all
  }
}

function setUpOurs(kind: Kind): Running {
  let system = quietSystem()
  const countdown = new Countdown()
  const handle = Behaviors.receiveMessage<Hello>(countdown.one)
  const setUp = Behaviors.setup<Hello>(() => {
    countdown.one()
    return handle
  })
  const behavior: Behavior<Hello> = kind === 'trivial' ? handle : setUp
  const spawnOne = (name: string) => system.spawn(behavior, name)
  const greet = (ref: ActorRef<Hello>) => ref.tell(hello)
  return {
    round: (operations) => spawnAll(operations, { kind, countdown }, { spawnOne, greet }),
    async afterRound() {
      await system.terminate()
      system = quietSystem()
    },
    tearDown: () => system.terminate(),
  }
}

function setUpBare(kind: Kind): Running {
  let entities = new IdleEntities()
  const countdown = new Countdown()
  const start = kind === 'trivial' ? () => {} : countdown.one
  const behavior = { start, handle: countdown.one }
  const spawnOne = (id: string) => {
    entities.spawn(id, behavior)
    return id
  }
  const greet = (id: string) => entities.tell(id, hello)
  return {
    round: (operations) => spawnAll(operations, { kind, countdown }, { spawnOne, greet }),
    afterRound() {
      entities = new IdleEntities()
    },
  }
}

function setUpNact(nact: Nact, kind: Kind): Running {
  let system = nact.start()
  const countdown = new Countdown()
  const properties = kind === 'trivial' ? {} : { initialStateFunc: countdown.one }
  const spawnOne = (name: string) => nact.spawn(system, countdown.one, name, properties)
  const greet = (ref: NactRef) => nact.dispatch(ref, hello)
  return {
    round: (operations) => spawnAll(operations, { kind, countdown }, { spawnOne, greet }),
    afterRound() {
      nact.stop(system)
      system = nact.start()
    },
    tearDown: () => nact.stop(system),
  }
}

function setUpXstate({ createActor, fromTransition }: Xstate, kind: Kind): Running {
  const root = fromTransition<null, never>((state) => state, null)
  let parent: XstateActor<never> = createActor(root).start()
  const countdown = new Countdown()
  const setUp = () => {
    countdown.one()
    return null
  }
  const logic = fromTransition<null, Hello>(
    (state) => {
      countdown.one()
      return state
    },
    kind === 'trivial' ? null : setUp,
  )
  const spawnOne = (id: string) => createActor(logic, { id, parent }).start()
  const greet = (actor: XstateActor<Hello>) => actor.send(hello)
  return {
    round: (operations) => spawnAll(operations, { kind, countdown }, { spawnOne, greet }),
    afterRound() {
      parent = createActor(root).start()
    },
  }
}
