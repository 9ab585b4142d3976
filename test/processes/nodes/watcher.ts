/** An actor that watches those like it on other nodes, and tells the test what it hears of them and when they are gone. */
import { type ActorRef, type ActorSystem, Behaviors } from '../../../src/actor/index.ts'
import type { Remoting } from '../../../src/remote/index.ts'
import { parent } from '../harness/control-server.ts'

type ToWatcher =
  | { readonly type: 'Watch'; readonly ref: ActorRef<unknown> }
  | { readonly type: 'Speak'; readonly to: ActorRef<unknown>; readonly words: number }
  | { readonly type: 'Word'; readonly number: number }

export class Watcher {
  readonly #remoting: Remoting
  readonly #ref: ActorRef<ToWatcher>

  constructor(system: ActorSystem, remoting: Remoting) {
    this.#remoting = remoting
    this.#ref = system.spawn(
      Behaviors.receive<ToWatcher>((context, message) => {
        if (message.type === 'Watch') context.watch(message.ref)
        else if (message.type === 'Word') parent.tell({ type: 'Word', number: message.number })
        else for (let number = 1; number <= message.words; number++) say(message.to, number)
      }).receiveSignal({ Terminated: () => parent.tell({ type: 'WatchedIsGone' }) }),
      'watcher',
    )
  }

  watch(node: string): void {
    this.#ref.tell({ type: 'Watch', ref: this.#at(node) })
  }

  speak(node: string, words: number): void {
    this.#ref.tell({ type: 'Speak', to: this.#at(node), words })
  }

  #at(node: string): ActorRef<unknown> {
    return this.#remoting.refAt(node, '/user/watcher')
  }
}

function say(to: ActorRef<unknown>, number: number): void {
  to.tell({ type: 'Word', number } satisfies ToWatcher)
}
