/**
 * Benchmark `remote-ask`: questions to an actor of another process, over TCP on this machine, with 1, 64 and 1,024 of
 * them in flight. Counted are answers that the asker has awaited; their sum is checked.
 */
import type { ActorRef } from '../src/actor/index.ts'
import type { TlsOptions } from '../src/remote/index.ts'
import { askBare } from './bare-remote.ts'
import type { Benchmark } from './benchmark.ts'
import { inFlightCases, runCallers } from './callers.ts'
import { measure, type Running } from './harness.ts'
import { startOurs } from './remote-shape.ts'

interface Get {
  readonly type: 'get'
  readonly replyTo: ActorRef<number>
}

export const remoteAsk: Benchmark = {
  name: 'remote-ask',
  summary: 'questions answered per second by an actor of another process',
  async run() {
    const measureInFlight = (name: string, inFlight: number) =>
      measure({
        name,
        unit: 'asks/s',
        operationsStep: inFlight,
        contestants: [
          { name: 'ours', setUp: () => askOurs(inFlight) },
          { name: 'bare', setUp: () => askBare(1, inFlight) },
        ],
      })
    const rows = []
    for (const [name, inFlight] of inFlightCases) rows.push(await measureInFlight(name, inFlight))
    return rows
  },
}

/** Over TCP, or encrypted with what this gives to each of the two processes. */
export async function askOurs(inFlight: number, credentials?: () => TlsOptions): Promise<Running> {
  const { server, tearDown } = await startOurs(credentials)
  const makeGet = (replyTo: ActorRef<number>): Get => ({ type: 'get', replyTo })
  const options = { timeout: '5s' } as const
  const caller = async (questions: number): Promise<number> => {
    let sum = 0
    for (let asked = 0; asked < questions; asked++) sum += await server.ask(makeGet, options)
    return sum
  }
  return {
    round: (operations) => runCallers(operations, inFlight, caller),
    tearDown,
  }
}
