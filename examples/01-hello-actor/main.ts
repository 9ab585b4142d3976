/**
 * Two kinds of actors: every guest has a greeter of its own, which counts the visits; the door starts greeters and hands
 * each guest on to the right one. In a program of your own, write 'sherd' instead of '../../src/index.ts'.
 */
import { type ActorRef, ActorSystem, type Behavior, Behaviors } from '../../src/index.ts'

/** Guest -> door -> greeter: here I am. */
interface Hello {
  readonly type: 'Hello'
  readonly name: string
  readonly replyTo: ActorRef<string>
}

/** The state of a greeter is a variable that nobody else can reach. */
function greeter(): Behavior<Hello> {
  return Behaviors.setup<Hello>(() => {
    let visits = 0
    return ({ name, replyTo }) => {
      visits++
      replyTo.tell(visits === 1 ? `Hello, ${name}!` : `Hello again, ${name}: visit ${visits}.`)
    }
  })
}

function door(): Behavior<Hello> {
  return Behaviors.setup<Hello>((context) => {
    const greeters = new Map<string, ActorRef<Hello>>()

    const greeterOf = (name: string): ActorRef<Hello> => {
      const known = greeters.get(name)
      if (known !== undefined) return known
      const started = context.spawn(greeter(), name)
      console.log(`${started.path.withoutUid} has started`)
      greeters.set(name, started)
      return started
    }

    // The greeter answers the guest directly: the message says whom to answer.
    return (hello) => greeterOf(hello.name).tell(hello)
  })
}

const system = new ActorSystem('hello')
const entrance = system.spawn(door(), 'door')

for (const name of ['Ada', 'Grace', 'Ada']) {
  console.log(await entrance.ask<string>((replyTo) => ({ type: 'Hello', name, replyTo })))
}
await system.terminate()
