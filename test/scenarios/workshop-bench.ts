/**
 * A bench makes pieces with tools that must be warm: jobs that come before are stashed. Its handlers are async, sleep
 * with the global `setTimeout`, look at `Date`, and fail by `Math.random`; supervision restarts it, at once or after a
 * back-off.
 */
import {
  type ActorRef,
  type Behavior,
  Behaviors,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import type { Ledger } from './ledger.ts'
import type { Fetch, Job, ToBench } from './workshop-messages.ts'

class BrokenTool extends Error {}

export function bench(store: ActorRef<Fetch>, ledger: Ledger): Behavior<ToBench> {
  const supervised = Behaviors.supervise(benchWithTools(store, ledger)).onFailure(
    BrokenTool,
    SupervisorStrategy.restartWithBackoff({ min: '50ms', max: '400ms', restartsMax: 3 }),
  )
  return Behaviors.supervise(supervised).onFailure(
    SupervisorStrategy.restart({ restartsMax: 4, within: '2s' }),
  )
}

function benchWithTools(store: ActorRef<Fetch>, ledger: Ledger): Behavior<ToBench> {
  return Behaviors.setup<ToBench>((context) => {
    const stash = context.stash(6)
    let isBusy = false

    const cold = (): Behavior<ToBench> => {
      context.timers.startSingle('warm', 10 + Math.floor(Math.random() * 40), { type: 'Warm' })
      return Behaviors.receiveMessage<ToBench>((message) => {
        if (message.type === 'Warm') return stash.unstashAll(warm())
        if (message.type === 'Cold') return Behaviors.same
        if (!stash.isFull) stash.stash(message)
        else message.replyTo.tell({ type: 'Refused', letter: message.letter })
        return Behaviors.same
      })
    }

    const warm = (): Behavior<ToBench> => {
      context.timers.startSingle('cold', '300ms', { type: 'Cold' })
      return Behaviors.receiveMessage<ToBench>(async (message) => {
        if (isBusy) ledger.wrong(`${context.self.toString()} does two things at once`)
        isBusy = true
        if (message.type === 'Job') await make(message, store, ledger)
        isBusy = false
        return message.type === 'Cold' ? cold() : Behaviors.same
      })
    }

    return cold()
  })
}

async function make(job: Job, store: ActorRef<Fetch>, ledger: Ledger): Promise<void> {
  ledger.taken(job.letter)
  const startedMs = Date.now()
  try {
    maybeFail()
    await store.ask((replyTo) => ({ type: 'Fetch', replyTo }), { timeout: '1s' })
    await deeply(Math.floor(Math.random() * 5))
    const sleepMs = Math.floor(Math.random() * 60)
    await new Promise((resolve) => setTimeout(resolve, sleepMs))
    if (Date.now() - startedMs < sleepMs) throw new Error('time went by too slowly')
    maybeFail()
  } catch (error) {
    ledger.accounted(job.letter, `failed: ${(error as Error).message}`)
    throw error
  }
  job.replyTo.tell({ type: 'Made', letter: job.letter })
}

/** Awaits within awaits: how many turns of the job queue that takes must not matter. */
async function deeply(depth: number): Promise<number> {
  if (depth === 0) return 0
  await Promise.all([deeply(depth - 1), Promise.resolve()])
  return depth
}

function maybeFail(): void {
  const luck = Math.random()
  if (luck < 0.06) throw new BrokenTool('the tool broke')
  if (luck < 0.12) throw new Error('a slip of the hand')
}
