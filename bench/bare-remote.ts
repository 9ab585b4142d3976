/** Contestant `bare` of the benchmarks between processes: the stream without features, to so many numbered receivers. */
import { connect } from 'node:net'
import { MessageStream } from './bare/message-stream.ts'
import { Bursts } from './bursts.ts'
import { runCallers } from './callers.ts'
import type { Running } from './harness.ts'
import { burst, startChild } from './remote-shape.ts'

/** Bursts of `burst` messages, as many of them as make up `underWay` messages. */
export async function tellBare(
  receivers: number,
  underWay: number,
  makeMessage: () => unknown,
): Promise<Running> {
  const child = await startChild('bare')
  const bursts = new Bursts(burst, underWay / burst)
  const socket = connect(child.told.port ?? 0, '127.0.0.1')
  const stream = new MessageStream(socket, () => bursts.heard(sendBurst))
  let sent = 0
  const sendBurst = (): void => {
    for (let n = 0; n < burst; n++) stream.send(sent++ % receivers, 0, makeMessage())
  }
  return {
    round: (operations) => bursts.run(operations, sendBurst),
    tearDown: () => {
      socket.destroy()
      child.end()
    },
  }
}

export async function askBare(receivers: number, inFlight: number): Promise<Running> {
  const child = await startChild('bare')
  const socket = connect(child.told.port ?? 0, '127.0.0.1')
  const waiting = new Map<number, (answer: number) => void>()
  let lastQuestion = 0
  const stream = new MessageStream(socket, (_receiver, question, body) => {
    waiting.get(question)?.(body as number)
    waiting.delete(question)
  })
  const ask = (): Promise<number> =>
    new Promise((resolve) => {
      lastQuestion = (lastQuestion % 1_000_000) + 1
      waiting.set(lastQuestion, resolve)
      stream.send(lastQuestion % receivers, lastQuestion, { type: 'get' })
    })
  const caller = async (questions: number): Promise<number> => {
    let sum = 0
    for (let asked = 0; asked < questions; asked++) sum += await ask()
    return sum
  }
  return {
    round: (operations) => runCallers(operations, inFlight, caller),
    tearDown: () => {
      socket.destroy()
      child.end()
    },
  }
}
