/**
 * Benchmark `ask`: questions answered by one actor, with 1, 64 and 1,024 of them in flight. Counted
 * are answers that the asker has awaited. Each of N callers asks, awaits, adds up the answer and
 * asks again, so N questions wait at any time; the sum is checked. The callers' loop is written out
 * per contestant, so that each is compiled on its own.
 *
 * nact: `query` with a function that makes the message. Its reply addresses are random 32-bit
 * numbers, and with 1,024 in flight two are now and then the same: that question times out and is
 * asked again. xstate has no ask: a promise is made by hand and its `resolve` travels in the event,
 * the least such a thing can do.
 */
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import { PromiseLoop } from './bare/promise-loop.ts'
import type { Benchmark } from './benchmark.ts'
import { inFlightCases, runCallers } from './callers.ts'
import { contestantIf, measure, type Running } from './harness.ts'
import type { Nact, NactRef, Xstate } from './peer-libraries.ts'
import { quietSystem } from './quiet-system.ts'

interface Get {
  readonly type: 'get'
  readonly replyTo: ActorRef<number>
}

const nactTimeoutMs = 500

export const ask: Benchmark = {
  name: 'ask',
  summary: 'questions answered per second by one actor',
  async run({ nact, xstate }) {
    const measureInFlight = (name: string, inFlight: number) =>
      measure({
        name,
        unit: 'asks/s',
        operationsStep: inFlight,
        contestants: [
          { name: 'ours', setUp: () => setUpOurs(inFlight) },
          { name: 'bare', setUp: () => setUpBare(inFlight) },
          ...contestantIf('nact', nact, (library) => setUpNact(library, inFlight)),
          ...contestantIf('xstate', xstate, (library) => setUpXstate(library, inFlight)),
        ],
      })
    const rows = []
    for (const [name, inFlight] of inFlightCases) rows.push(await measureInFlight(name, inFlight))
    return rows
  },
}

function setUpOurs(inFlight: number): Running {
  const system = quietSystem()
  const target = system.spawn(
    Behaviors.receiveMessage<Get>((message) => message.replyTo.tell(1)),
    'target',
  )
  const makeGet = (replyTo: ActorRef<number>): Get => ({ type: 'get', replyTo })
  const options = { timeout: '5s' } as const
  const caller = async (questions: number): Promise<number> => {
    let sum = 0
    for (let asked = 0; asked < questions; asked++) sum += await target.ask(makeGet, options)
    return sum
  }
  return {
    round: (operations) => runCallers(operations, inFlight, caller),
    tearDown: () => system.terminate(),
  }
}

function setUpBare(inFlight: number): Running {
  const loop = new PromiseLoop<{ readonly type: 'get' }, number>()
  loop.spawn('target', () => 1)
  const caller = async (questions: number): Promise<number> => {
    let sum = 0
    for (let asked = 0; asked < questions; asked++) sum += await loop.ask('target', { type: 'get' })
    return sum
  }
  return { round: (operations) => runCallers(operations, inFlight, caller) }
}

function setUpNact({ start, spawn, dispatch, query, stop }: Nact, inFlight: number): Running {
  const system = start()
  const target = spawn<void, { replyTo: NactRef }>(
    system,
    (_state, message) => dispatch(message.replyTo, 1),
    'target',
  )
  const makeGet = (replyTo: NactRef) => ({ type: 'get', replyTo })
  const askAgain = () => query(target, makeGet, nactTimeoutMs)
  const caller = async (questions: number): Promise<number> => {
    let sum = 0
    for (let asked = 0; asked < questions; asked++) {
      sum += (await query(target, makeGet, nactTimeoutMs).catch(askAgain)) as number
    }
    return sum
  }
  return {
    round: (operations) => runCallers(operations, inFlight, caller),
    tearDown: () => stop(system),
  }
}

function setUpXstate({ createActor, fromTransition }: Xstate, inFlight: number): Running {
  interface GetEvent {
    readonly type: 'get'
    readonly reply: (answer: number) => void
  }
  const logic = fromTransition<null, GetEvent>((state, event) => {
    event.reply(1)
    return state
  }, null)
  const target = createActor(logic).start()
  const caller = async (questions: number): Promise<number> => {
    let sum = 0
    for (let asked = 0; asked < questions; asked++) {
      sum += await new Promise<number>((reply) => target.send({ type: 'get', reply }))
    }
    return sum
  }
  return { round: (operations) => runCallers(operations, inFlight, caller) }
}
