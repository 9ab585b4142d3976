/** An actor that does what it is told and writes down what it hears. */
import { type ActorContext, type Behavior, Behaviors, type Signal } from '../../src/actor/index.ts'
import { Stage } from './stage.ts'

export type Act = (context: ActorContext<Act | string>) => unknown

/** Does what it is told, in its own turn, and writes down every signal and every text. */
export function puppet(heard: (string | Signal)[]): Behavior<Act | string> {
  return Behaviors.receive<Act | string>((context, message) => {
    if (typeof message === 'string') heard.push(message)
    else message(context)
  }).receiveSignal({
    Terminated: (_context, signal) => void heard.push(signal),
    ChildFailed: (_context, signal) => void heard.push(signal),
  })
}

export const mortal = (): Behavior<string> => Behaviors.receiveMessage(() => Behaviors.stopped())

export async function setUp() {
  const stage = new Stage()
  const heard: (string | Signal)[] = []
  const watcher = await stage.start(puppet(heard), 'watcher')
  const target = await stage.start(mortal(), 'target')
  return { stage, heard, watcher, target }
}
