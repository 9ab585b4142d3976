/** Actors that stash until they are opened. */
import { type Behavior, Behaviors, type StashBuffer } from '../../src/actor/index.ts'
import { Stage } from './stage.ts'

/** Says each message; understands a few. */
export function open(said: string[], name = 'open'): Behavior<string> {
  return Behaviors.receiveMessage<string>((message) => {
    if (message.startsWith('fail')) throw new Error(message)
    if (message.startsWith('stop')) return Behaviors.stopped()
    if (message.startsWith('switch')) return open(said, 'switched')
    said.push(`${name} ${message}`)
    return undefined
  }).receiveSignal({
    PreRestart: () => void said.push(`${name} PreRestart`),
    PostStop: () => void said.push(`${name} PostStop`),
  })
}

/** Stashes everything until it is told `open` or `open 2`. */
export function closed(said: string[], stash: StashBuffer<string>): Behavior<string> {
  return Behaviors.receiveMessage<string>((message) => {
    const [word, count] = message.split(' ')
    if (word === 'open') {
      const next = open(said)
      return count === undefined ? stash.unstashAll(next) : stash.unstash(next, Number(count))
    }
    if (word === 'clear') return stash.clear()
    stash.stash(message)
    return undefined
  })
}

export const stashing = (said: string[], capacity = 10): Behavior<string> =>
  Behaviors.withStash<string>(capacity, (stash) => closed(said, stash))

export async function setUp(behavior: (said: string[]) => Behavior<string> = stashing) {
  const stage = new Stage()
  const said: string[] = []
  const ref = await stage.start(behavior(said))
  return { stage, said, ref }
}
