/** The actor behind a probe: puts every message into a box and watches whom it is told to watch. */
import { type ActorRef, type Behavior, Behaviors, suppressDeadLetterLog } from '../actor/index.ts'
import { RingBuffer } from '../foundation/ring-buffer.ts'
import { Bell } from './bell.ts'

/** What the actor has found so far. */
export class ProbeBox {
  /** Received and not yet read. */
  readonly messages = new RingBuffer<unknown>()
  readonly terminated = new Set<ActorRef<never>>()
  /** Rung at every change. */
  readonly bell = new Bell()
  isStopped = false
}

/** Probe -> its actor: watch this one. */
export class WatchForProbe {
  readonly [suppressDeadLetterLog] = true
  readonly ref: ActorRef<never>

  constructor(ref: ActorRef<never>) {
    this.ref = ref
  }
}

export function probeActor(box: ProbeBox): Behavior<unknown> {
  return Behaviors.receive<unknown>((context, message) => {
    if (message instanceof WatchForProbe) {
      context.watch(message.ref)
      return
    }
    box.messages.push(message)
    box.bell.ring()
  }).receiveSignal({
    Terminated: (_context, { ref }) => {
      box.terminated.add(ref)
      box.bell.ring()
    },
    PostStop: () => {
      box.isStopped = true
      box.bell.ring()
    },
  })
}
