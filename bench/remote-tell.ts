/**
 * Benchmark `remote-tell`: messages from an actor in this process to an actor in another, over TCP on this machine.
 * Counted are messages that the receiver has handled: it asks for the next burst of 500 whenever one is complete, with
 * twelve of them under way. Each message is a fresh `{ type: 'add', to: 'account-7', by: 1 }`.
 */
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import { tellBare } from './bare-remote.ts'
import type { Benchmark } from './benchmark.ts'
import { Bursts } from './bursts.ts'
import { measure, type Running } from './harness.ts'
import { burst, burstsUnderWay, startOurs } from './remote-shape.ts'

export const remoteTell: Benchmark = {
  name: 'remote-tell',
  summary: 'messages handled per second by an actor of another process',
  async run() {
    return [
      await measure({
        name: '1 to 1',
        unit: 'messages/s',
        operationsStep: burst * burstsUnderWay,
        contestants: [
          { name: 'ours', setUp: setUpOurs },
          { name: 'bare', setUp: () => tellBare(1, burst * burstsUnderWay, makeMessage) },
        ],
      }),
    ]
  },
}

const makeMessage = () => ({ type: 'add', to: 'account-7', by: 1 })

async function setUpOurs(): Promise<Running> {
  const { server, system, tearDown } = await startOurs()
  const bursts = new Bursts(burst, burstsUnderWay)
  const sendBurst = (): void => {
    for (let n = 0; n < burst; n++) server.tell(makeMessage())
  }
  const sender: ActorRef<string> = system.spawn(
    Behaviors.receiveMessage<string>(() => bursts.heard(sendBurst)),
    'sender',
  )
  server.tell({ type: 'hello', sender })
  return {
    round: (operations) => bursts.run(operations, sendBurst),
    tearDown,
  }
}
