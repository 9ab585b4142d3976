/**
 * What stands inside all layers: does what letters say, sync or async, with timers, a child, a stash and somebody to watch.
 * How it ends is drawn each time it is built.
 */
import {
  type ActorContext,
  type Behavior,
  Behaviors,
  type Next,
  type Result,
  type StashBuffer,
} from '../../../src/actor/index.ts'
import type { WorkKind } from './nesting-ledger.ts'
import { type Letter, type Task, drawEnding, drawMishap, ownLetter } from './nesting-plan.ts'
import { LINGER_MS, type NestingStage, forever, isRefusal, sleep } from './nesting-stage.ts'

export function leaf(stage: NestingStage): Behavior<Letter> {
  const { random, neighbor } = stage
  return Behaviors.setup<Letter>((context) => {
    if (random.chance(0.05)) throw drawMishap(random)
    if (random.chance(0.3)) context.watch(neighbor)
    if (random.chance(0.3)) startChild(stage, context)
    if (!stage.isQuiet) startTimers(stage, context)
    return Behaviors.withStash<Letter>(random.pick([1, 5, 100]), (stash) =>
      new Leaf(stage, context, stash).behavior(),
    )
  })
}

function startChild({ random }: NestingStage, context: ActorContext<Letter>): void {
  const child = context.spawn(
    Behaviors.receiveSignal<Letter>({
      PostStop: () => (random.chance(0.2) ? forever() : sleep(random.pick([0, 300, 4_000]))),
    }),
  )
  const interest = random.pick(['watch', 'watch', 'watchWith', 'none'])
  if (interest === 'watch') context.watch(child)
  if (interest === 'watchWith') context.watchWith(child, ownLetter('nothing'))
}

function startTimers({ random }: NestingStage, context: ActorContext<Letter>): void {
  if (random.chance(0.3)) {
    const task = random.pick(['nothing', 'throw', 'wait'] as const)
    context.timers.startFixedRate('rate', random.pick([700, 1_500]), ownLetter(task))
  }
  if (random.chance(0.2)) context.setReceiveTimeout(900, ownLetter('nothing'))
}

/** A leaf at work. */
class Leaf {
  readonly #stage: NestingStage
  readonly #context: ActorContext<Letter>
  readonly #stash: StashBuffer<Letter>

  constructor(stage: NestingStage, context: ActorContext<Letter>, stash: StashBuffer<Letter>) {
    this.#stage = stage
    this.#context = context
    this.#stash = stash
  }

  behavior(): Behavior<Letter> {
    const preRestart = this.#ending('PreRestart')
    const postStop = this.#ending('PostStop')
    const terminated = this.#terminated()
    return Behaviors.receiveMessage<Letter>((letter) => this.#take(letter)).receiveSignal({
      ...(preRestart && { PreRestart: preRestart }),
      ...(postStop && { PostStop: postStop }),
      ...(terminated && { Terminated: terminated }),
    })
  }

  #take(letter: Letter): Result<Letter> {
    const { actor, ledger, stashed } = this.#stage
    const { number, task } = letter
    const done = ledger.beginLetter(actor, letter)
    if (task === 'stash' && !stashed.has(number)) {
      return finished(done, () => this.#putAside(letter))
    }
    ledger.handled(actor, letter)
    if (task === 'hang') return forever()
    if (!task.startsWith('wait')) return finished(done, () => this.#answer(task))
    return sleep(this.#stage.random.pick([0, 10, 500])).then(() =>
      finished(done, () => this.#answer(task)),
    )
  }

  #putAside(letter: Letter): void {
    const { actor, ledger, stashed } = this.#stage
    try {
      this.#stash.stash(letter)
      stashed.add(letter.number)
    } catch (error) {
      // It is full, or the actor stops.
      ledger.handled(actor, letter)
      throw error
    }
  }

  #answer(task: Task): Next<Letter> {
    const { random, fresh } = this.#stage
    switch (task) {
      case 'throw':
      case 'wait and throw':
        throw drawMishap(random)
      case 'become':
      case 'wait and become':
        return fresh(2)
      case 'unhandled':
      case 'wait, unhandled':
        return Behaviors.unhandled
      case 'unstash':
        return this.#stash.unstashAll(random.chance(0.5) ? Behaviors.same : fresh(2))
      case 'answer stopped':
        return Behaviors.stopped(() => {
          if (random.chance(0.2)) throw drawMishap(random)
        })
      case 'stop':
        this.#context.stop()
        if (random.chance(0.3)) throw drawMishap(random)
        return undefined
      default:
        return undefined
    }
  }

  #ending(kind: WorkKind): (() => Result<Letter>) | undefined {
    const { actor, ledger, random } = this.#stage
    const ending = drawEnding(random)
    if (ending === 'none') return undefined
    const end = (): void => {
      if (ending === 'wait and start more') this.#startMore()
      if (ending.includes('throw')) throw drawMishap(random)
    }
    return () => {
      const done = ledger.begin(actor, kind, ending)
      if (ending === 'hang') return forever()
      if (!/wait|linger/.test(ending)) return finished(done, end)
      const delayMs = ending.startsWith('linger') ? LINGER_MS : random.pick([0, 10, 1_000])
      return sleep(delayMs).then(() => finished(done, end))
    }
  }

  /** After an await: it must end with the behavior, or not begin. */
  #startMore(): void {
    try {
      this.#context.timers.startSingle('late', 500, ownLetter('nothing'))
      this.#context.spawn(Behaviors.ignore)
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }

  #terminated(): (() => Result<Letter>) | undefined {
    const { actor, ledger, random } = this.#stage
    const way = random.pick(['none', 'nothing', 'throw', 'wait'])
    if (way === 'none') return undefined
    return () => {
      const done = ledger.begin(actor, 'Terminated', way)
      if (way === 'wait') return sleep(200).then(done)
      return finished(done, () => {
        if (way === 'throw') throw drawMishap(random)
      })
    }
  }
}

/** Whatever comes of it, the work is done by then. */
function finished<Answer>(done: () => void, answer: () => Answer): Answer {
  done()
  return answer()
}
