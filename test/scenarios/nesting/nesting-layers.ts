/** The wrappers of a nested actor, built from its layers. The interceptors meddle with whatever they see. */
import {
  AsyncInterceptor,
  type Behavior,
  Behaviors,
  type Interceptor,
  type Next,
  type Result,
} from '../../../src/actor/index.ts'
import { unreachable } from '../../../src/foundation/assert.ts'
import { type Layer, type Letter, type Relaying, drawMishap, ownLetter } from './nesting-plan.ts'
import { type NestingStage, sleep } from './nesting-stage.ts'

/** How long interceptors wait that must not. */
const PAUSE_MS = 2

export function wrapped(
  stage: NestingStage,
  layers: readonly Layer[],
  innermost: Behavior<Letter>,
): Behavior<Letter> {
  return layers.reduceRight((inner, layer) => around(stage, layer, inner), innermost)
}

function around(stage: NestingStage, layer: Layer, inner: Behavior<Letter>): Behavior<Letter> {
  switch (layer.type) {
    case 'supervise': {
      const { errorClass, strategy } = layer
      const supervised = Behaviors.supervise(inner)
      return errorClass === undefined
        ? supervised.onFailure(strategy)
        : supervised.onFailure(errorClass, strategy)
    }
    case 'intercept':
      return Behaviors.intercept(() => interceptor(stage, layer), inner)
    case 'withTimers':
      return Behaviors.withTimers<Letter>(() => inner)
    case 'withStash':
      return Behaviors.withStash<Letter>(5, () => inner)
    default:
      return unreachable(layer)
  }
}

type InterceptLayer = Extract<Layer, { type: 'intercept' }>
type HandOn = (letter: Letter) => Result<Letter>

function interceptor(
  stage: NestingStage,
  { messages, signals }: InterceptLayer,
): Interceptor<Letter, Letter> {
  return {
    aroundReceive: (_context, letter, next) => {
      // An actor's own letters are in no ledger, and always pass.
      if (letter.number === 0) return next(letter)
      return relays[messages](stage, letter, next)
    },
    aroundSignal: (_context, signal, next) => {
      switch (signals) {
        case 'pass':
          return next(signal)
        case 'wait before':
          return sleep(PAUSE_MS).then(() => next(signal))
        case 'wait after':
          return waited(next(signal))
        case 'forget':
          return ignored(next(signal))
        case 'throw':
          if (stage.random.chance(0.3)) throw drawMishap(stage.random)
          return next(signal)
      }
    },
  }
}

async function waited(result: Result<Letter>): Promise<Next<Letter>> {
  const next = await result
  await sleep(PAUSE_MS)
  return next
}

/** Comes back to the letter when its turn is over: that is refused, and nobody else will handle it. */
async function late(
  { ledger }: NestingStage,
  letter: Letter,
  handOn: HandOn,
): Promise<Next<Letter>> {
  await sleep(PAUSE_MS)
  try {
    return await handOn(letter)
  } catch (error) {
    if (error instanceof AsyncInterceptor) ledger.kept(letter, 'refused')
    throw error
  }
}

type Relay = (stage: NestingStage, letter: Letter, handOn: HandOn) => Result<Letter>

const relays: Readonly<Record<Relaying, Relay>> = {
  pass: (_stage, letter, handOn) => handOn(letter),
  'wait before': late,
  'wait after': (_stage, letter, handOn) => waited(handOn(letter)),
  'come back': (stage, letter, handOn) => ignored(late(stage, letter, handOn)),
  'hand on more': (_stage, letter, handOn) => {
    const result = handOn(letter)
    ignored(handOn(ownLetter('wait')))
    return result
  },
  forget: (_stage, letter, handOn) => ignored(handOn(letter)),
  catch: (_stage, letter, handOn) => {
    try {
      return handOn(letter)
    } catch {
      return undefined
    }
  },
  'throw before': ({ ledger, random }, letter, handOn) => {
    if (!random.chance(0.2)) return handOn(letter)
    ledger.kept(letter, 'thrown away')
    throw drawMishap(random)
  },
  'throw after': ({ random }, letter, handOn) => {
    const result = handOn(letter)
    if (!random.chance(0.2)) return result
    throw drawMishap(random)
  },
  replace: ({ ledger, random, fresh }, letter, handOn) => {
    if (!random.chance(0.2)) return handOn(letter)
    ledger.kept(letter, 'replaced')
    return fresh(1)
  },
  'replace after': ({ random, fresh }, letter, handOn) => {
    const result = handOn(letter)
    return random.chance(0.2) ? fresh(1) : result
  },
  drop: ({ ledger, random }, letter, handOn) => {
    if (!random.chance(0.2)) return handOn(letter)
    ledger.kept(letter, 'dropped')
    return undefined
  },
}

function ignored(result: Result<Letter>): void {
  if (result instanceof Promise) result.catch(() => undefined)
}
