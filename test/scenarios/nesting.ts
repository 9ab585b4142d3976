/**
 * Actors whose behaviors stand inside each other: supervision, interceptors, stashes and timers around handlers that wait,
 * fail and become something else, with ends that are slow, fail or never come. Whatever happens, an actor does one thing at
 * a time, every letter is handled once or lost with a reason, every actor ends when it must, and nothing is left of it.
 */
import {
  type ActorRef,
  Behaviors,
  DeadLetter,
  Dropped,
  type LostMessage,
  PoisonPill,
  UnhandledMessage,
} from '../../src/actor/index.ts'
import type { LocalRef } from '../../src/actor/internals.ts'
import type { SimulatedNode, Simulation } from '../../src/simulation/index.ts'
import { wrapped } from './nesting/nesting-layers.ts'
import { leaf } from './nesting/nesting-leaf.ts'
import { NestingLedger } from './nesting/nesting-ledger.ts'
import {
  type Letter,
  type Nest,
  type Plan,
  describeLayers,
  drawLayers,
  drawPlan,
} from './nesting/nesting-plan.ts'
import type { NestingStage } from './nesting/nesting-stage.ts'

/** A letter may make an actor become a deeper nest; so many times. */
const DEEPER_MAX = 60
/** A long queue, of which every letter fails and is followed by a PreRestart without an end, takes so long. */
const REST_MINUTES_MAX = 10
/** Longer than an actor and then its children are waited for. */
const STOPPED_WITHIN = '12s'

export async function nesting(simulation: Simulation): Promise<void> {
  const plan = drawPlan(simulation.random)
  const { restartStashMessagesMax } = plan
  const node = simulation.node('a', { settings: { restartStashMessagesMax } })
  const ledger = new NestingLedger(simulation, !plan.hasStash)
  keepBooks(node, ledger)
  const neighbor = node.system.spawn<Letter>(Behaviors.ignore, 'neighbor')
  const actors = plan.nests.map((nest, index) => {
    const name = `nest-${index}`
    simulation.record(`${name} is ${describeLayers(nest.layers)}`)
    return spawnNest(simulation, nest, { name, plan, ledger, neighbor })
  })
  sendAll(simulation, plan, ledger, actors)
  await simulation.run({ for: plan.endsAtMs })
  if (plan.isPatient) await comeToRest(simulation, plan, ledger)
  if (plan.hangs) {
    for (const { name, ref } of actors) ref.tell(ledger.letter(name, 'hang'))
    await simulation.run({ for: '100ms' })
  }
  if (plan.stopsFirst) await stopAll(simulation, actors, neighbor)
  await simulation.settle(node.system.terminate(), { within: '20s', what: 'the system ends' })
  simulation.check('every actor ends with its system', areEnded(actors))
  // What was given up comes back from its await only now, and is refused.
  await simulation.runUntilIdle({ within: '1m' })
  checkBooks(simulation, ledger)
}

interface Actor {
  readonly name: string
  readonly ref: ActorRef<Letter>
}

interface Place {
  readonly name: string
  readonly plan: Plan
  readonly ledger: NestingLedger
  readonly neighbor: ActorRef<Letter>
}

function spawnNest(
  simulation: Simulation,
  { layers, mailbox }: Nest,
  { name, plan, ledger, neighbor }: Place,
): Actor {
  const random = simulation.random.fork(name)
  let deeperLeft = DEEPER_MAX
  const stage: NestingStage = {
    actor: name,
    random,
    ledger,
    stashed: new Set(),
    isQuiet: plan.isQuiet,
    neighbor,
    fresh: (layersMax) =>
      wrapped(stage, deeperLeft-- > 0 ? drawLayers(random, layersMax) : [], leaf(stage)),
  }
  const behavior = wrapped(stage, layers, leaf(stage))
  const options = { name, ...(mailbox && { mailbox }) }
  return { name, ref: simulation.node('a').system.spawn(behavior, options) }
}

function sendAll(
  simulation: Simulation,
  { bursts, poison }: Plan,
  ledger: NestingLedger,
  actors: readonly Actor[],
): void {
  for (const { atMs, letters } of bursts) {
    simulation.after(atMs, () => {
      for (const { to, task } of letters) {
        const { name, ref } = actors[to] as Actor
        ref.tell(ledger.letter(name, task))
      }
    })
  }
  if (poison === undefined) return
  simulation.after(poison.atMs, () => (actors[poison.to] as Actor).ref.tell(PoisonPill))
}

/** No letter waits for ever, except in a stash. */
async function comeToRest(
  simulation: Simulation,
  plan: Plan,
  ledger: NestingLedger,
): Promise<void> {
  let waiting: readonly string[] = ['all']
  for (let left = REST_MINUTES_MAX; left > 0 && waiting.length > 0; left--) {
    await simulation.run({ for: '1m' })
    waiting = plan.hasStash ? [] : ledger.waiting()
  }
  simulation.check('no letter waits for ever', waiting.length === 0, waiting.join('; '))
}

async function stopAll(
  simulation: Simulation,
  actors: readonly Actor[],
  neighbor: ActorRef<Letter>,
): Promise<void> {
  for (const { ref } of actors) cellOf(ref)?.stop()
  const what = 'every actor ends when it must'
  await simulation.runUntil(() => areEnded(actors), { within: STOPPED_WITHIN, what })
  checkNothingLeft(simulation, neighbor)
  // What was given up comes back from its await meanwhile.
  await simulation.run({ for: STOPPED_WITHIN })
  checkNothingLeft(simulation, neighbor)
}

/** To be called while the system still runs: with its end every timer is gone. */
function checkNothingLeft(simulation: Simulation, neighbor: ActorRef<Letter>): void {
  const timers = simulation.node('a').system.runtime.wheel.size
  simulation.check('no timer is left', timers === 0, `${timers} are`)
  const watchers = cellOf(neighbor)?.stateIfAny?.watchers?.size ?? 0
  simulation.check('nobody is left who watches', watchers === 0, `${watchers} are`)
}

function checkBooks(simulation: Simulation, ledger: NestingLedger): void {
  const problems = ledger.problems()
  const invariant = 'every letter is handled once or lost with a reason'
  simulation.check(invariant, problems.length === 0, problems.join('; '))
  const blunder = simulation
    .lastEvents(1_000)
    .find(
      ({ kind, text }) => kind === 'log' && /\b(TypeError|RangeError|AssertionFailed): /.test(text),
    )
  simulation.check('only actors fail', blunder === undefined, blunder?.text)
}

function areEnded(actors: readonly Actor[]): boolean {
  return actors.every(({ ref }) => cellOf(ref)?.isTerminated !== false)
}

function cellOf(ref: ActorRef<Letter>): LocalRef['cell'] {
  return (ref as unknown as LocalRef).cell
}

function keepBooks({ system }: SimulatedNode, ledger: NestingLedger): void {
  const note = (event: LostMessage): void => ledger.lost(event)
  system.eventStream.subscribe<LostMessage>(DeadLetter, note)
  system.eventStream.subscribe<LostMessage>(Dropped, note)
  system.eventStream.subscribe<LostMessage>(UnhandledMessage, note)
}
