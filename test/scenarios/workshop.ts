/**
 * Two nodes: customers order at a desk on one, benches on the other make the pieces. Async handlers, timers, stash,
 * supervision, asks with timeouts, watching, and now and then a bench that is told to go or a node that crashes.
 * Whatever happens, the books balance: every order and every attempt is answered once or accounted for.
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
import type { SimulatedNode, Simulation } from '../../src/simulation/index.ts'
import { Ledger } from './ledger.ts'
import { bench } from './workshop-bench.ts'
import { desk } from './workshop-desk.ts'
import type { Answer, Fetch, Order, ToBench, ToDesk } from './workshop-messages.ts'

const ORDERS = 16
/** All orders come within this time, so that some must wait. */
const RUSH_MS = 500
const BENCHES = 3

export async function workshop(simulation: Simulation): Promise<void> {
  const ledger = new Ledger()
  const front = simulation.node('front')
  keepBooks(front, ledger)
  const store = front.system.spawn(storeOfMaterial(), 'store')
  const atDesk = front.system.spawn(
    desk(ledger, (text) => simulation.record(text)),
    'desk',
  )

  const benches = openBenches(simulation, { store, atDesk, ledger })
  const retiring = simulation.random.pick(benches)
  simulation.after(simulation.random.below(2 * RUSH_MS), () => retiring.tell(PoisonPill))
  planFaults(simulation, { store, atDesk, ledger })
  let settled = 0
  for (let number = 1; number <= ORDERS; number++) {
    simulation.after(simulation.random.below(RUSH_MS), () => {
      void order(`order-${number}`, atDesk, ledger).then(() => settled++)
    })
  }
  await simulation.runUntil(() => settled === ORDERS, { within: '20s', what: 'all orders end' })
  await simulation.run({ for: '3s' })
  visitInVain(simulation, retiring, ledger)
  await close(simulation, ledger)
}

interface Workshop {
  readonly store: ActorRef<Fetch>
  readonly atDesk: ActorRef<ToDesk>
  readonly ledger: Ledger
}

function openBenches(
  simulation: Simulation,
  { store, atDesk, ledger }: Workshop,
): ActorRef<ToBench>[] {
  const back = simulation.node('back', { wallOffsetMs: simulation.random.below(10_000) - 5_000 })
  keepBooks(back, ledger)
  const benches = Array.from({ length: BENCHES }, (_, index) =>
    back.system.spawn(bench(store, ledger), `bench-${index}`),
  )
  atDesk.tell({ type: 'BenchesOpened', benches })
  return benches
}

function planFaults(simulation: Simulation, place: Workshop): void {
  const { random } = simulation
  if (random.chance(0.3)) {
    simulation.after(random.below(2 * RUSH_MS), () => simulation.crash('back'))
    simulation.after((2 + random.float()) * RUSH_MS, () => void openBenches(simulation, place))
  }
  if (random.chance(0.3)) {
    simulation.after(random.below(2 * RUSH_MS), () =>
      simulation.stepWallClock('front', random.below(4_000) - 2_000),
    )
  }
}

/** A customer: asks, and takes whatever comes. */
async function order(letter: string, atDesk: ActorRef<ToDesk>, ledger: Ledger): Promise<void> {
  ledger.sent(letter)
  try {
    const ask = (replyTo: ActorRef<Answer>): Order => ({ type: 'Order', letter, replyTo })
    await atDesk.ask(ask, { timeout: '3s' })
    ledger.answered(letter)
  } catch (error) {
    ledger.accounted(letter, (error as Error).name)
  }
}

/** Hands out material after a while. */
function storeOfMaterial() {
  return Behaviors.receiveMessage<Fetch>(async ({ replyTo }) => {
    if (Math.random() < 0.3) await new Promise((resolve) => setImmediate(resolve))
    else await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
    replyTo.tell({ type: 'Material' })
  })
}

function keepBooks({ system }: SimulatedNode, ledger: Ledger): void {
  const note = (event: LostMessage): void =>
    ledger.lost(event.message, 'reason' in event ? event.reason : 'unhandled')
  system.eventStream.subscribe<LostMessage>(DeadLetter, note)
  system.eventStream.subscribe<LostMessage>(Dropped, note)
  system.eventStream.subscribe<LostMessage>(UnhandledMessage, note)
}

/** A job for a bench that has gone is a dead letter. When its node has crashed, nobody is left to say so. */
function visitInVain(simulation: Simulation, gone: ActorRef<ToBench>, ledger: Ledger): void {
  if (simulation.node('back').incarnation > 1) return
  const letter = 'visit/1'
  ledger.sent(letter)
  gone
    .ask<Answer>((replyTo) => ({ type: 'Job', letter, replyTo }))
    .then(
      () => ledger.wrong('a bench that had gone answered'),
      () => {},
    )
}

/** Closes both nodes, and looks into the books. */
async function close(simulation: Simulation, ledger: Ledger): Promise<void> {
  const nodes = [simulation.node('front'), simulation.node('back')]
  await simulation.settle(Promise.all(nodes.map(({ system }) => system.terminate())))
  await simulation.runUntilIdle()
  for (const line of ledger.lines()) simulation.record(line)
  const problems = ledger.problems()
  simulation.check('the books balance', problems.length === 0, problems.join('; '))
}
