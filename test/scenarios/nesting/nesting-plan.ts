/**
 * What one run of the nesting scenario does, as data drawn from its seed: how the actors are nested, what they are told and
 * when, and how it all ends. What an actor becomes while it runs is drawn when it does, from a stream of its own.
 */
import { type MailboxOptions, SupervisorStrategy } from '../../../src/actor/index.ts'
import type { SeededRandom } from '../../../src/simulation/index.ts'

/** What a handler does with a letter. */
export type Task = (typeof tasks)[number] | (typeof stashTasks)[number] | (typeof lastTasks)[number]

const tasks = [
  ...(['nothing', 'nothing', 'throw', 'throw', 'wait', 'wait'] as const),
  ...(['wait and throw', 'wait and become', 'become', 'unhandled', 'wait, unhandled'] as const),
]
const stashTasks = ['stash', 'stash', 'unstash'] as const
const lastTasks = ['answer stopped', 'stop', 'hang'] as const

/** Scenario -> nested actor: do this. */
export interface Letter {
  readonly type: 'Letter'
  /** From 1 on, in the order in which they were sent; 0 for those that an actor sends to itself. */
  readonly number: number
  readonly task: Task
}

/** What an actor sends to itself. */
export function ownLetter(task: Task): Letter {
  return { type: 'Letter', number: 0, task }
}

class Slip extends Error {}
class BadSlip extends Slip {}
class Mishap extends Error {}

const mishaps = [Slip, BadSlip, Mishap]

/** One wrapper of a nest. */
export type Layer =
  | {
      readonly type: 'supervise'
      readonly errorClass: (typeof mishaps)[number] | undefined
      readonly strategy: SupervisorStrategy
    }
  | { readonly type: 'intercept'; readonly messages: Relaying; readonly signals: SignalRelaying }
  | { readonly type: 'withTimers' | 'withStash' }

/** How an interceptor hands messages on. */
export type Relaying = (typeof relayings)[number]

const relayings = [
  ...(['pass', 'pass', 'pass', 'wait before', 'wait after', 'come back', 'hand on more'] as const),
  ...(['forget', 'forget', 'catch', 'throw before', 'throw after'] as const),
  ...(['replace', 'replace after', 'drop'] as const),
]

/** How an interceptor hands signals on. */
export type SignalRelaying = (typeof signalRelayings)[number]

const signalRelayings = [
  ...(['pass', 'pass', 'pass', 'wait before', 'wait after', 'forget', 'throw'] as const),
]

/** How a PreRestart or a PostStop goes. */
export type Ending = (typeof endings)[number]

const endings = [
  ...(['none', 'nothing', 'throw', 'wait', 'wait and throw'] as const),
  ...(['linger', 'linger and throw', 'hang', 'wait and start more'] as const),
]

export interface Nest {
  readonly layers: readonly Layer[]
  readonly mailbox: MailboxOptions | undefined
}

/** Letters that one sender sends without a pause. */
interface Burst {
  readonly atMs: number
  readonly letters: readonly { readonly to: number; readonly task: Task }[]
}

export interface Plan {
  readonly restartStashMessagesMax: number
  readonly nests: readonly Nest[]
  /** Letters may be stashed: then they are handled in another order, or wait until the actor ends. */
  readonly hasStash: boolean
  /** Actors send nothing to themselves. */
  readonly isQuiet: boolean
  readonly bursts: readonly Burst[]
  /** When an actor is told to stop by a PoisonPill, and which. */
  readonly poison: { readonly atMs: number; readonly to: number } | undefined
  readonly endsAtMs: number
  /** Everything is to come to rest before the end. */
  readonly isPatient: boolean
  /** The last letter to every actor is never done with. */
  readonly hangs: boolean
  /** Actors are stopped one by one before the system is. */
  readonly stopsFirst: boolean
}

export function drawPlan(random: SeededRandom): Plan {
  const count = 1 + random.below(2)
  const hasStash = random.chance(0.5)
  const known = hasStash ? [...tasks, ...stashTasks] : tasks
  const drawTask = (): Task =>
    random.chance(0.01) ? random.pick(['answer stopped', 'stop']) : random.pick(known)
  const bursts: Burst[] = []
  let atMs = 0
  for (let left = 6 + random.below(20); left > 0; left--) {
    const letters = Array.from({ length: 1 + random.below(3) }, () => ({
      to: random.below(count),
      task: drawTask(),
    }))
    bursts.push({ atMs, letters })
    atMs += random.pick([0, 0, 1, 10, 100, 600, 3_100])
  }
  return {
    restartStashMessagesMax: random.pick([2, 1_000]),
    nests: Array.from({ length: count }, () => drawNest(random)),
    hasStash,
    isQuiet: random.chance(0.5),
    bursts,
    poison: random.chance(0.2)
      ? { atMs: random.below(atMs + 1), to: random.below(count) }
      : undefined,
    endsAtMs: atMs,
    isPatient: random.chance(0.5),
    hangs: random.chance(0.3),
    stopsFirst: random.chance(0.5),
  }
}

function drawNest(random: SeededRandom): Nest {
  const last: Layer = {
    type: 'supervise',
    errorClass: undefined,
    strategy: random.chance(0.9)
      ? SupervisorStrategy.restartWithBackoff({ min: 20, max: 100 })
      : drawStrategy(random),
  }
  const overflow = random.pick(['drop-new', 'drop-head'] as const)
  return {
    layers: [last, ...drawLayers(random, 4)],
    mailbox: random.chance(0.2) ? { messagesMax: 3, overflow } : undefined,
  }
}

/** From the outermost to the innermost. */
export function drawLayers(random: SeededRandom, max: number): Layer[] {
  return Array.from({ length: random.below(max + 1) }, () => drawLayer(random))
}

function drawLayer(random: SeededRandom): Layer {
  const luck = random.float()
  if (luck < 0.5) {
    const errorClass = random.pick([undefined, ...mishaps])
    return { type: 'supervise', errorClass, strategy: drawStrategy(random) }
  }
  if (luck < 0.85) {
    const messages = random.pick(relayings)
    return { type: 'intercept', messages, signals: random.pick(signalRelayings) }
  }
  return { type: luck < 0.93 ? 'withTimers' : 'withStash' }
}

function drawStrategy(random: SeededRandom): SupervisorStrategy {
  const { restart, restartWithBackoff, resume, stop } = SupervisorStrategy
  return random.pick([
    restart(),
    restart({ restartsMax: 3, within: '1s' }),
    restart({ restartsMax: 2, within: '5s', stopChildren: false }),
    restart({ restartsMax: 4, within: '100ms', stashedMessagesMax: 1 }),
    restartWithBackoff({ min: '50ms', max: '2s' }),
    restartWithBackoff({ min: '500ms', max: '500ms', restartsMax: 4 }),
    resume(),
    random.chance(0.5) ? stop() : resume(),
  ])
}

export function drawEnding(random: SeededRandom): Ending {
  return random.pick(endings)
}

export function drawMishap(random: SeededRandom): Error {
  const Drawn = random.pick(mishaps)
  return new Drawn('as planned')
}

/** In one line, from the outermost layer to the innermost. */
export function describeLayers(layers: readonly Layer[]): string {
  return layers.map(describeLayer).join(' > ')
}

function describeLayer(layer: Layer): string {
  switch (layer.type) {
    case 'supervise':
      return `${layer.strategy.type} on ${layer.errorClass?.name ?? 'any error'}`
    case 'intercept':
      return `intercept (${layer.messages}; signals ${layer.signals})`
    default:
      return layer.type
  }
}
