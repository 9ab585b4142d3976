/** An actor that does what it is told with its timers and notes its messages with the time. */
import { type Behavior, Behaviors, type TimerScheduler } from '../../src/actor/index.ts'
import { Stage, type StageOptions } from './stage.ts'

export type Act = (timers: TimerScheduler<string | Act>) => unknown

export type Message = string | Act

/** Does what it is told with its timers; notes every text with the time. */
export function timed(stage: Stage, heard: string[], begin?: Act): Behavior<Message> {
  return Behaviors.withTimers<Message>((timers) => {
    begin?.(timers)
    return Behaviors.receiveMessage<Message>((message) => {
      if (typeof message !== 'string') return void message(timers)
      if (message === 'fail') throw new Error('boom')
      if (message === 'stop') return Behaviors.stopped()
      heard.push(`${message} at ${stage.now}`)
      return undefined
    })
  })
}

export async function setUp(begin?: Act, options: StageOptions = {}) {
  const stage = new Stage(options)
  const heard: string[] = []
  const ref = await stage.start(timed(stage, heard, begin))
  return { stage, heard, ref }
}
