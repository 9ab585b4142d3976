/** The wrappers of a nested actor, built from its layers. The interceptors meddle with whatever they see. */
import {
  type Behavior,
  Behaviors,
  type Interceptor,
  type Next,
  type Result,
  type Signal,
} from '../../../src/actor/index.ts'
import { unreachable } from '../../../src/foundation/assert.ts'
import { type Layer, type Letter, type Relaying, drawMishap } from './nesting-plan.ts'
import { LINGER_MS, type NestingStage, isRefusal, sleep } from './nesting-stage.ts'

/** Short, because nests grow deep: the ledger must know how old a PreRestart is that was waited for. */
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

function interceptor(
  stage: NestingStage,
  { messages, signals }: InterceptLayer,
): Interceptor<Letter, Letter> {
  return {
    aroundReceive: (_context, letter, next) => {
      // An actor's own letters are in no ledger, and always pass.
      if (letter.number === 0) return next(letter)
      return relays[messages](stage, letter, () => handedOn(stage, letter, next))
    },
    aroundSignal: (_context, signal, next) => {
      switch (signals) {
        case 'pass':
          return next(signal)
        case 'wait before':
          return sleep(PAUSE_MS).then(() => next(signal))
        case 'throw':
          if (stage.random.chance(0.3)) throw drawMishap(stage.random)
          return next(signal)
        case 'linger':
          return isEnding(signal) ? lingered(next(signal)) : next(signal)
      }
    },
  }
}

function isEnding({ type }: Signal): boolean {
  return type === 'PreRestart' || type === 'PostStop'
}

async function lingered(result: Result<Letter>): Promise<Next<Letter>> {
  const next = await result
  await sleep(LINGER_MS)
  return next
}

/** Hands the letter on; when that is refused, since the actor did not wait so long, nobody else will handle it. */
function handedOn(
  { ledger }: NestingStage,
  letter: Letter,
  next: (letter: Letter) => Result<Letter>,
): Result<Letter> {
  const failed = (error: unknown): never => {
    if (isRefusal(error)) ledger.kept(letter, 'refused')
    throw error
  }
  try {
    const result = next(letter)
    return result instanceof Promise ? result.catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}

type Relay = (stage: NestingStage, letter: Letter, handOn: () => Result<Letter>) => Result<Letter>

const relays: Readonly<Record<Relaying, Relay>> = {
  pass: (_stage, _letter, handOn) => handOn(),
  'wait before': ({ ledger, random }, letter, handOn) => {
    if (!random.chance(0.25)) return sleep(PAUSE_MS).then(handOn)
    ledger.lingers(letter)
    return sleep(LINGER_MS).then(handOn)
  },
  'wait after': async (_stage, _letter, handOn) => {
    const next = await handOn()
    await sleep(PAUSE_MS)
    return next
  },
  forget: (_stage, _letter, handOn) => {
    ignored(handOn())
  },
  catch: (_stage, _letter, handOn) => {
    try {
      const result = handOn()
      return result instanceof Promise ? result.catch(() => undefined) : result
    } catch {
      return undefined
    }
  },
  'throw before': ({ ledger, random }, letter, handOn) => {
    if (!random.chance(0.2)) return handOn()
    ledger.kept(letter, 'thrown away')
    throw drawMishap(random)
  },
  'throw after': ({ random }, _letter, handOn) => {
    const result = handOn()
    if (!random.chance(0.2)) return result
    ignored(result)
    throw drawMishap(random)
  },
  replace: ({ ledger, random, fresh }, letter, handOn) => {
    if (!random.chance(0.2)) return handOn()
    ledger.kept(letter, 'replaced')
    return fresh(1)
  },
  drop: ({ ledger, random }, letter, handOn) => {
    if (!random.chance(0.2)) return handOn()
    ledger.kept(letter, 'dropped')
    return undefined
  },
}

function ignored(result: Result<Letter>): void {
  if (result instanceof Promise) result.catch(() => undefined)
}
