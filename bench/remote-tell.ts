/**
 * Benchmark `remote-tell`: messages from an actor in this process to an actor in another, over TCP on this machine.
 * Counted are messages that the receiver has handled: it asks for the next burst of 500 whenever one is complete, with
 * twelve of them under way. Each message is a fresh `{ type: 'add', to: 'account-7', by: 1 }`.
 */
import { connect } from 'node:net'
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import { MessageStream } from './bare/message-stream.ts'
import type { Benchmark } from './benchmark.ts'
import { measure, type Running } from './harness.ts'
import { burst, burstsUnderWay, startChild, startOurs } from './remote-shape.ts'

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
          { name: 'bare', setUp: setUpBare },
        ],
      }),
    ]
  },
}

/** Where a round stands. */
class Progress {
  #toSend = 0
  #toHear = 0
  #finish: () => void = () => {}

  run(operations: number, sendBurst: () => void): Promise<void> {
    this.#toSend = operations / burst
    this.#toHear = this.#toSend
    return new Promise((resolve) => {
      this.#finish = resolve
      for (let count = 0; count < burstsUnderWay; count++) this.#next(sendBurst)
    })
  }

  heard(sendBurst: () => void): void {
    if (--this.#toHear === 0) return this.#finish()
    this.#next(sendBurst)
  }

  #next(sendBurst: () => void): void {
    if (this.#toSend-- > 0) sendBurst()
  }
}

async function setUpOurs(): Promise<Running> {
  const { server, system, tearDown } = await startOurs()
  const progress = new Progress()
  const sendBurst = (): void => {
    for (let n = 0; n < burst; n++) server.tell({ type: 'add', to: 'account-7', by: 1 })
  }
  const sender: ActorRef<string> = system.spawn(
    Behaviors.receiveMessage<string>(() => progress.heard(sendBurst)),
    'sender',
  )
  server.tell({ type: 'hello', sender })
  return {
    round: (operations) => progress.run(operations, sendBurst),
    tearDown,
  }
}

async function setUpBare(): Promise<Running> {
  const child = await startChild('bare')
  const progress = new Progress()
  const socket = connect(child.told.port ?? 0, '127.0.0.1')
  const stream = new MessageStream(socket, () => progress.heard(sendBurst))
  const sendBurst = (): void => {
    for (let n = 0; n < burst; n++) stream.send(7, 0, { type: 'add', to: 'account-7', by: 1 })
  }
  return {
    round: (operations) => progress.run(operations, sendBurst),
    tearDown: () => {
      socket.destroy()
      child.end()
    },
  }
}
