/**
 * Benchmark `tell`: messages from one sending actor to one, and to a thousand, receiving actors.
 * Counted are messages that a receiver has handled. The sender sends a burst (100 messages to the
 * one, or one to each of the thousand), then waits until the last receiver tells it to send the
 * next; these answers, 1 % and 0.1 % more, are not counted. Each message is a fresh `{ type: 'add',
 * by: 1 }`, each receiver adds it to a total, and the total is checked.
 *
 * nact: `dispatch` between actors made with `spawn`. xstate: `send` between transition actors of
 * one system, its fastest kind; it calls the receiver on the sender's stack, so unlike the others
 * it never queues or yields.
 */
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import { RingLoop } from './bare/ring-loop.ts'
import type { Benchmark } from './benchmark.ts'
import { contestantIf, measure, type Running } from './harness.ts'
import type { Nact, NactRef, Xstate, XstateActor } from './peer-libraries.ts'
import { quietSystem } from './quiet-system.ts'

interface Shape {
  readonly receivers: number
  /** How often a burst goes round all receivers. */
  readonly repeats: number
}

interface Add {
  readonly type: 'add'
  readonly by: number
}

interface Next {
  readonly type: 'next'
}

const next: Next = { type: 'next' }

/** Where a round stands: what its actors share, the same for every contestant. */
class Progress {
  bursts = 0
  total = 0
  finish: () => void = () => {}

  /** One round: the sender is told to begin and sends bursts until none is left. */
  async run(operations: number, { receivers, repeats }: Shape, begin: () => void): Promise<void> {
    this.bursts = operations / (receivers * repeats)
    this.total = 0
    await new Promise<void>((resolve) => {
      this.finish = resolve
      begin()
    })
    if (this.total !== operations) throw new Error(`${this.total} of ${operations} messages came`)
  }
}

export const tell: Benchmark = {
  name: 'tell',
  summary: 'messages handled per second, sent from actor to actor',
  async run({ nact, xstate }) {
    const measureShape = (name: string, shape: Shape) =>
      measure({
        name,
        unit: 'messages/s',
        operationsStep: shape.receivers * shape.repeats,
        contestants: [
          { name: 'ours', setUp: () => setUpOurs(shape) },
          { name: 'bare', setUp: () => setUpBare(shape) },
          ...contestantIf('nact', nact, (library) => setUpNact(library, shape)),
          ...contestantIf('xstate', xstate, (library) => setUpXstate(library, shape)),
        ],
      })
    return [
      await measureShape('1 to 1', { receivers: 1, repeats: 100 }),
      await measureShape('1 to 1,000', { receivers: 1000, repeats: 1 }),
    ]
  },
}

function setUpOurs(shape: Shape): Running {
  const system = quietSystem()
  const progress = new Progress()
  const receivers: ActorRef<Add>[] = []
  const sender = system.spawn(
    Behaviors.receiveMessage<Next>(() => {
      if (progress.bursts-- === 0) return progress.finish()
      for (let repeat = 0; repeat < shape.repeats; repeat++) {
        for (const receiver of receivers) receiver.tell({ type: 'add', by: 1 })
      }
    }),
    'sender',
  )
  const receiving = (isLast: boolean) => {
    let received = 0
    return Behaviors.receiveMessage<Add>((message) => {
      progress.total += message.by
      if (isLast && ++received % shape.repeats === 0) sender.tell(next)
    })
  }
  for (let index = 0; index < shape.receivers; index++) {
    const behavior = receiving(index === shape.receivers - 1)
    receivers.push(system.spawn(behavior, `receiver-${index}`))
  }
  return {
    round: (operations) => progress.run(operations, shape, () => sender.tell(next)),
    tearDown: () => system.terminate(),
  }
}

function setUpBare(shape: Shape): Running {
  const loop = new RingLoop<Add | Next>()
  const progress = new Progress()
  const receivers: string[] = []
  loop.spawn('sender', () => {
    if (progress.bursts-- === 0) return progress.finish()
    for (let repeat = 0; repeat < shape.repeats; repeat++) {
      for (const receiver of receivers) loop.tell(receiver, { type: 'add', by: 1 })
    }
  })
  const receiving = (isLast: boolean) => {
    let received = 0
    return (message: Add | Next): void => {
      progress.total += (message as Add).by
      if (isLast && ++received % shape.repeats === 0) loop.tell('sender', next)
    }
  }
  for (let index = 0; index < shape.receivers; index++) {
    loop.spawn(`receiver-${index}`, receiving(index === shape.receivers - 1))
    receivers.push(`receiver-${index}`)
  }
  return {
    round: (operations) => progress.run(operations, shape, () => loop.tell('sender', next)),
  }
}

function setUpNact({ start, spawn, dispatch, stop }: Nact, shape: Shape): Running {
  const system = start()
  const progress = new Progress()
  const receivers: NactRef[] = []
  const sender = spawn<void, Next>(
    system,
    () => {
      if (progress.bursts-- === 0) return progress.finish()
      for (let repeat = 0; repeat < shape.repeats; repeat++) {
        for (const receiver of receivers) dispatch(receiver, { type: 'add', by: 1 })
      }
    },
    'sender',
  )
  const receiving = (isLast: boolean) => (received: number, message: Add) => {
    progress.total += message.by
    if (isLast && (received + 1) % shape.repeats === 0) dispatch(sender, next)
    return received + 1
  }
  for (let index = 0; index < shape.receivers; index++) {
    const handle = receiving(index === shape.receivers - 1)
    receivers.push(spawn(system, handle, `receiver-${index}`, { initialState: 0 }))
  }
  return {
    round: (operations) => progress.run(operations, shape, () => dispatch(sender, next)),
    tearDown: () => stop(system),
  }
}

function setUpXstate({ createActor, fromTransition }: Xstate, shape: Shape): Running {
  const progress = new Progress()
  const receivers: XstateActor<Add>[] = []
  const sending = fromTransition<null, Next>(() => {
    if (progress.bursts-- === 0) progress.finish()
    else {
      for (let repeat = 0; repeat < shape.repeats; repeat++) {
        for (const receiver of receivers) receiver.send({ type: 'add', by: 1 })
      }
    }
    return null
  }, null)
  const sender = createActor(sending).start()
  const receiving = (isLast: boolean) =>
    fromTransition<number, Add>((received, message) => {
      progress.total += message.by
      if (isLast && (received + 1) % shape.repeats === 0) sender.send(next)
      return received + 1
    }, 0)
  for (let index = 0; index < shape.receivers; index++) {
    const logic = receiving(index === shape.receivers - 1)
    receivers.push(createActor(logic, { parent: sender }).start())
  }
  return {
    round: (operations) => progress.run(operations, shape, () => sender.send(next)),
  }
}
