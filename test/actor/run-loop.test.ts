import { createServer, connect, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type ActorRef,
  ActorSystem,
  type Behavior,
  Behaviors,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { gate, immediate, nothingMayEscape } from './stage.ts'

/** On the real event loop: this is what these tests are about. */
const realSystem = (): ActorSystem =>
  new ActorSystem('loop', {
    environment: { logger: new CapturedLogs() },
    settings: { hookSignals: false },
  })

/** Counts the turns of the event loop until it is stopped. */
function countTurns(): { stop(): number } {
  let turns = 0
  let isOver = false
  const next = (): void => {
    turns++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  return {
    stop: () => {
      isOver = true
      return turns
    },
  }
}

/** Tells itself the next number until there is none left. */
const flooding = (done: () => void): Behavior<number> =>
  Behaviors.receive<number>((context, left) => {
    if (left > 0) context.self.tell(left - 1)
    else done()
  })

describe('run loop', () => {
  nothingMayEscape()
  afterEach(() => void vi.restoreAllMocks())

  describe('the event loop is served', () => {
    test('while an actor sends itself a million messages: immediates and timers', async () => {
      const system = realSystem()
      const done = gate()
      const turns = countTurns()
      let timeouts = 0
      const tick = (): void => {
        timeouts++
        timeout = setTimeout(tick)
      }
      let timeout = setTimeout(tick)
      system.spawn(flooding(done.open)).tell(1_000_000)
      await done.promise
      clearTimeout(timeout)
      expect(turns.stop()).toBeGreaterThan(5)
      expect(timeouts).toBeGreaterThan(2)
      await system.terminate()
    })

    test('while an actor sends itself a million messages: sockets', async () => {
      const system = realSystem()
      const { server, client } = await echoServer()
      const done = gate()
      const ref = system.spawn(flooding(done.open))
      let echoes = 0
      client.on('data', () => {
        echoes++
        client.write('ping')
      })
      client.write('ping')
      ref.tell(1_000_000)
      await done.promise
      expect(echoes).toBeGreaterThan(1)
      client.removeAllListeners('data').resume().end()
      await once(client, 'close')
      server.close()
      await system.terminate()
    })

    test('while two actors flood each other', async () => {
      const system = realSystem()
      const done = gate()
      const turns = countTurns()
      const refs: ActorRef<number>[] = []
      const player = (other: () => ActorRef<number>): Behavior<number> =>
        Behaviors.receiveMessage((left) => (left > 0 ? other().tell(left - 1) : done.open()))
      refs.push(system.spawn(player(() => refs[1] as ActorRef<number>)))
      refs.push(system.spawn(player(() => refs[0] as ActorRef<number>)))
      refs[0]?.tell(500_000)
      await done.promise
      expect(turns.stop()).toBeGreaterThan(3)
      await system.terminate()
    })

    test('while asks follow each other, each from the answer to the one before', async () => {
      const system = realSystem()
      const ref = system.spawn<ActorRef<number>>((replyTo) => replyTo.tell(1))
      const turns = countTurns()
      for (let count = 0; count < 100_000; count++) {
        await ref.ask((replyTo: ActorRef<number>) => replyTo)
      }
      expect(turns.stop()).toBeGreaterThan(3)
      await system.terminate()
    })

    test('while an async handler settles at once, again and again', async () => {
      const system = realSystem()
      const done = gate()
      const turns = countTurns()
      const ref = system.spawn<number>(async (left) => {
        if (left === 0) done.open()
      })
      for (let left = 200_000; left >= 0; left--) ref.tell(left)
      await done.promise
      expect(turns.stop()).toBeGreaterThan(3)
      await system.terminate()
    })

    test('while actors restart again and again', async () => {
      const system = realSystem()
      const done = gate()
      const turns = countTurns()
      let starts = 0
      system.spawn(
        Behaviors.supervise(
          Behaviors.setup<string>((context) => {
            if (++starts < 20_000) context.self.tell('fail')
            else done.open()
            return () => {
              throw new Error('storm')
            }
          }),
        ).onFailure(SupervisorStrategy.restart()),
      )
      await done.promise
      expect(turns.stop()).toBeGreaterThan(3)
      await system.terminate()
    })

    test('while a stash of 200,000 messages is worked off', async () => {
      const system = realSystem()
      const done = gate()
      let turns!: { stop(): number }
      const ref = system.spawn(
        Behaviors.withStash<number>(200_000, (stash) => (message) => {
          if (message !== 0) return stash.stash(message)
          turns = countTurns()
          return stash.unstashAll(
            Behaviors.receiveMessage<number>((each) => {
              if (each === 1) done.open()
            }),
          )
        }),
      )
      for (let left = 200_000; left >= 0; left--) ref.tell(left)
      await done.promise
      expect(turns.stop()).toBeGreaterThan(1)
      await system.terminate()
    })

    test('no message waits for the event loop when there is nothing else to do', async () => {
      const system = realSystem()
      const heard: string[] = []
      const ref = system.spawn<string>((message) => void heard.push(message))
      await immediate()
      ref.tell('hello')
      setImmediate(() => heard.push('event loop'))
      await immediate()
      expect(heard).toEqual(['hello', 'event loop'])
      await system.terminate()
    })
  })

  describe('whose turn it is', () => {
    test('internal actors go first', async () => {
      const system = realSystem()
      const order: string[] = []
      const done = gate()
      const ordinary = Array.from({ length: 50 }, () =>
        system.spawn<string>((message) => {
          order.push(message)
          if (order.length === 501) done.open()
        }),
      )
      const internal = system.spawnSystemActor<string>((message) => void order.push(message))
      await immediate()
      for (let round = 0; round < 10; round++) for (const ref of ordinary) ref.tell('ordinary')
      internal.tell('internal')
      await done.promise
      expect(order[0]).toBe('internal')
      await system.terminate()
    })

    test('internal actors go first again in the middle of the work of others', async () => {
      const system = realSystem()
      const order: string[] = []
      const done = gate()
      const internal = system.spawnSystemActor<string>((message) => void order.push(message))
      const ordinary = Array.from({ length: 50 }, () =>
        system.spawn<string>((message) => {
          order.push(message)
          if (order.length === 1) internal.tell('internal')
          if (order.length === 501) done.open()
        }),
      )
      await immediate()
      for (let round = 0; round < 10; round++) for (const ref of ordinary) ref.tell('ordinary')
      await done.promise
      // Behind what is left of the turn of the one who told it.
      expect(order.indexOf('internal')).toBeLessThanOrEqual(8)
      await system.terminate()
    })

    test('children of internal actors are internal as well', async () => {
      const system = realSystem()
      const order: string[] = []
      let child!: ActorRef<string>
      system.spawnSystemActor(
        Behaviors.setup<string>((context) => {
          child = context.spawn<string>((message) => void order.push(message))
          return Behaviors.ignore
        }),
      )
      const ordinary = system.spawn<string>((message) => void order.push(message))
      await immediate()
      ordinary.tell('ordinary')
      child.tell('internal')
      await immediate()
      expect(order).toEqual(['internal', 'ordinary'])
      await system.terminate()
    })

    test('busy actors take turns: none gets far ahead of another', async () => {
      const system = realSystem()
      const counts = [0, 0, 0, 0, 0]
      const done = gate()
      let lead = 0
      const refs = counts.map((_, index) =>
        system.spawn<number>(() => {
          const count = (counts[index] ?? 0) + 1
          counts[index] = count
          lead = Math.max(lead, count - Math.min(...counts))
          if (counts.every((each) => each === 2_000)) done.open()
        }),
      )
      await immediate()
      for (let count = 0; count < 2_000; count++) for (const ref of refs) ref.tell(count)
      await done.promise
      // A turn is up to eight messages, and shorter for a while when the machine is slow.
      expect(lead).toBeLessThanOrEqual(200)
      await system.terminate()
    })

    test('an actor that floods itself does not keep others from their messages', async () => {
      const system = realSystem()
      const done = gate()
      let left = 0
      let leftWhenServed: number | undefined
      const flood = system.spawn(
        Behaviors.receive<number>((context, count) => {
          left = count
          if (count === 100_000) other.tell('hello')
          if (count > 0) context.self.tell(count - 1)
          else done.open()
        }),
      )
      const other = system.spawn<string>(() => {
        leftWhenServed = left
      })
      await immediate()
      flood.tell(100_000)
      await done.promise
      expect(leftWhenServed).toBeGreaterThan(99_900)
      await system.terminate()
    })
  })

  describe('slow handlers', () => {
    /** A clock that only the handlers of a test move, in place of the real one. */
    function slowMotion(): { pass(ms: number): void } {
      let nowMs = 1_000
      vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
      return {
        pass: (ms) => {
          nowMs += ms
        },
      }
    }

    test('a slow actor holds up others for a few of its messages, not for all of them', async () => {
      const system = realSystem()
      await immediate()
      const time = slowMotion()
      const order: string[] = []
      const done = gate()
      const slow = system.spawn<number>((left) => {
        time.pass(10)
        order.push('slow')
        if (left === 0) done.open()
      })
      const other = system.spawn<string>((message) => void order.push(message))
      for (let left = 99; left >= 0; left--) slow.tell(left)
      other.tell('other')
      await done.promise
      expect(order.indexOf('other')).toBeLessThanOrEqual(8)
      await system.terminate()
    })

    test('the event loop gets its turn after at most eight slow messages, then after each', async () => {
      const system = realSystem()
      await immediate()
      const time = slowMotion()
      const stretches: number[] = []
      let stretch = 0
      let isOver = false
      const next = (): void => {
        if (stretch > 0) stretches.push(stretch)
        stretch = 0
        if (!isOver) setImmediate(next)
      }
      const done = gate()
      const slow = system.spawn<number>((left) => {
        time.pass(10)
        stretch++
        if (left === 0) done.open()
      })
      setImmediate(next)
      for (let left = 99; left >= 0; left--) slow.tell(left)
      await done.promise
      isOver = true
      expect(Math.max(...stretches)).toBeLessThanOrEqual(8)
      // 5 ms are over after every single one of them.
      expect(Math.max(...stretches.slice(1))).toBe(1)
      await system.terminate()
    })
  })
})

async function echoServer(): Promise<{ server: Server; client: Socket }> {
  const server = createServer((socket) => void socket.pipe(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  await once(client, 'connect')
  return { server, client }
}
