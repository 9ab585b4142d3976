import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  type Behavior,
  Behaviors,
  DeadLetter,
  MessageAdaptionFailure,
  type Signal,
  UnhandledMessage,
  defaultShutdownPhases,
} from '../../src/actor/index.ts'
import { Stage, gate, nothingMayEscape } from './stage.ts'

interface Dog {
  readonly type: 'Dog'
  readonly name: string
}
interface Cat {
  readonly type: 'Cat'
  readonly lives: number
}
class Animal {
  readonly sound: string = 'none'
}
class Cow extends Animal {
  override readonly sound = 'moo'
}

/** Registers adapters in its first turn, hands out their address, and keeps what it is told. */
async function adapting<U>(register: (context: ActorContext<string>) => ActorRef<U>) {
  const stage = new Stage()
  const heard: string[] = []
  let adapter!: ActorRef<U>
  const ref = await stage.start(
    Behaviors.setup<string | ((context: ActorContext<string>) => void)>((context) => {
      adapter = register(context as unknown as ActorContext<string>)
      return (message) => {
        if (typeof message === 'string') heard.push(message)
        else message(context as unknown as ActorContext<string>)
      }
    }),
  )
  const again = (use: (context: ActorContext<string>) => void): Promise<void> =>
    stage.tell(ref, use)
  return { stage, heard, ref, adapter, again }
}

describe('AT-007 Adapters, receptionist, event stream, routers, coordinated shutdown', () => {
  nothingMayEscape()

  describe('adapters', () => {
    test('translate by type tag', async () => {
      const { stage, heard, adapter } = await adapting<Dog | Cat>((context) => {
        context.messageAdapter<Dog>('Dog', ({ name }) => `dog ${name}`)
        return context.messageAdapter<Cat>('Cat', ({ lives }) => `cat ${lives}`) as ActorRef<
          Dog | Cat
        >
      })
      await stage.tell(adapter, { type: 'Dog', name: 'Rex' }, { type: 'Cat', lives: 9 })
      expect(heard).toEqual(['dog Rex', 'cat 9'])
    })

    test('translate by class, subclasses included', async () => {
      const { stage, heard, adapter } = await adapting<Animal>((context) =>
        context.messageAdapter(Animal, ({ sound }) => sound),
      )
      await stage.tell(adapter, new Animal(), new Cow())
      expect(heard).toEqual(['none', 'moo'])
    })

    for (const builtIn of [Error, Map, Date, Array, Uint8Array] as const) {
      test(`translate by the built-in class ${builtIn.name}, and by nothing else`, async () => {
        const { stage, heard, ref, adapter } = await adapting<unknown>((context) =>
          context.messageAdapter<unknown>(builtIn as new () => unknown, () => builtIn.name),
        )
        await stage.tell(adapter, new builtIn(), 'something else')
        expect(heard).toEqual([builtIn.name])
        expect(stage.losses).toEqual(['UnhandledMessage something else'])
        expect(stage.isTerminated(ref)).toBe(false)
      })
    }

    test('translate by guard', async () => {
      const isNumber = (message: unknown): message is number => typeof message === 'number'
      const { stage, heard, adapter } = await adapting<number>((context) =>
        context.messageAdapter(isNumber, (count) => `number ${count}`),
      )
      await stage.tell(adapter, 1)
      expect(heard).toEqual(['number 1'])
    })

    test('a guard written as a function works like one written as an arrow', async () => {
      function isNumber(message: unknown): message is number {
        return typeof message === 'number'
      }
      const { stage, heard, adapter } = await adapting<number>((context) =>
        context.messageAdapter(isNumber, (count) => `number ${count}`),
      )
      await stage.tell(adapter, 1, 'text' as never)
      expect(heard).toEqual(['number 1'])
    })

    test('without a match translate everything', async () => {
      const { stage, heard, adapter } = await adapting<unknown>((context) =>
        context.messageAdapter((message: unknown) => `any ${String(message)}`),
      )
      await stage.tell(adapter, 1, 'text', null)
      expect(heard).toEqual(['any 1', 'any text', 'any null'])
    })

    test('the latest per type wins, for one that was registered anew', async () => {
      const { stage, heard, adapter, again } = await adapting<Dog>((context) => {
        context.messageAdapter<Dog>('Dog', () => 'old')
        return context.messageAdapter<Dog>('Dog', () => 'new')
      })
      await stage.tell(adapter, { type: 'Dog', name: 'Rex' })
      await again((context) => context.messageAdapter<Dog>('Dog', () => 'newest'))
      await stage.tell(adapter, { type: 'Dog', name: 'Rex' })
      expect(heard).toEqual(['new', 'newest'])
    })

    test('the latest that matches wins among different matches', async () => {
      const { stage, heard, adapter } = await adapting<Animal>((context) => {
        context.messageAdapter(Cow, () => 'cow')
        context.messageAdapter(Animal, () => 'animal')
        return context.messageAdapter(Cow, () => 'cow again') as ActorRef<Animal>
      })
      await stage.tell(adapter, new Cow(), new Animal())
      expect(heard).toEqual(['cow again', 'animal'])
    })

    test('the adapter in force when a message is reached translates it', async () => {
      const { stage, heard, adapter, ref } = await adapting<Dog>((context) =>
        context.messageAdapter<Dog>('Dog', () => 'old'),
      )
      ref.tell((context) => context.messageAdapter<Dog>('Dog', () => 'new'))
      adapter.tell({ type: 'Dog', name: 'Rex' })
      await stage.settle()
      expect(heard).toEqual(['new'])
    })

    test('all adapters of an actor share one address', async () => {
      const refs = new Set<ActorRef<never>>()
      await adapting<Dog>((context) => {
        for (let count = 0; count < 100; count++) {
          refs.add(context.messageAdapter<Dog>('Dog', () => 'dog'))
        }
        return context.messageAdapter<Dog>('Dog', () => 'dog')
      })
      expect(refs.size).toBe(1)
    })

    test('messages that no adapter takes are reported as unhandled', async () => {
      const { stage, adapter } = await adapting<unknown>(
        (context) => context.messageAdapter<Dog>('Dog', () => 'dog') as ActorRef<unknown>,
      )
      await stage.tell(adapter, 'cat')
      expect(stage.lost).toEqual([expect.any(UnhandledMessage)])
    })

    test('messages to an actor that is gone are dead letters as they were sent', async () => {
      const stage = new Stage()
      let adapter!: ActorRef<number>
      const ref = await stage.start(
        Behaviors.setup<string>((context) => {
          adapter = context.messageAdapter((count: number) => `${count}`)
          return () => Behaviors.stopped()
        }),
      )
      ref.tell('stop')
      adapter.tell(1)
      await stage.settle()
      adapter.tell(2)
      expect(stage.losses).toEqual([
        'DeadLetter/terminated-while-queued 1',
        'DeadLetter/terminated 2',
      ])
    })

    test('keep the order of messages sent to both addresses', async () => {
      const { stage, heard, ref, adapter } = await adapting<number>((context) =>
        context.messageAdapter((count: number) => `${count}`),
      )
      for (let count = 0; count < 6; count++) {
        if (count % 2 === 0) adapter.tell(count)
        else ref.tell(`${count}`)
      }
      await stage.settle()
      expect(heard).toEqual(['0', '1', '2', '3', '4', '5'])
    })

    test('run inside the actor: a failure is a signal to it', async () => {
      const stage = new Stage()
      const signals: Signal[] = []
      const error = new Error('cannot translate')
      const ref = await stage.start(
        Behaviors.setup<string>((context) => {
          const adapter = context.messageAdapter(() => {
            throw error
          })
          return Behaviors.receiveMessage<string>(() => adapter.tell(1)).receiveSignal({
            MessageAdaptionFailure: (_context, signal) => void signals.push(signal),
          })
        }),
      )
      await stage.tell(ref, 'go')
      expect(signals).toEqual([new MessageAdaptionFailure(error)])
    })

    test('may use the context while they translate', async () => {
      const { stage, adapter, heard } = await adapting<string>((context) =>
        context.messageAdapter((name: string) => context.spawn(Behaviors.ignore, name).path.name),
      )
      await stage.tell(adapter, 'child')
      expect(heard).toEqual(['child'])
    })
  })

  describe('event stream', () => {
    class News {
      readonly text: string

      constructor(text: string) {
        this.text = text
      }
    }
    class GoodNews extends News {}

    function listener(heard: string[]): Behavior<News | 'stop'> {
      return Behaviors.receiveMessage((news) => {
        if (news === 'stop') return Behaviors.stopped()
        heard.push(news.text)
        return undefined
      })
    }

    test('tells actors of events of a class and its subclasses', async () => {
      const stage = new Stage()
      const all: string[] = []
      const good: string[] = []
      const { eventStream } = stage.system
      eventStream.subscribe(News, stage.spawn(listener(all)))
      eventStream.subscribe(GoodNews, stage.spawn(listener(good)))
      eventStream.publish(new News('plain'))
      eventStream.publish(new GoodNews('good'))
      await stage.settle()
      expect([all, good]).toEqual([['plain', 'good'], ['good']])
    })

    test('tells an actor that subscribed to both classes once', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const ref = stage.spawn(listener(heard))
      stage.system.eventStream.subscribe(News, ref)
      stage.system.eventStream.subscribe(GoodNews, ref)
      stage.system.eventStream.publish(new GoodNews('good'))
      await stage.settle()
      expect(heard).toEqual(['good'])
    })

    test('tells nobody after unsubscribe', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const subscription = stage.system.eventStream.subscribe(News, stage.spawn(listener(heard)))
      subscription.unsubscribe()
      stage.system.eventStream.publish(new News('plain'))
      await stage.settle()
      expect(heard).toEqual([])
    })

    test('forgets a subscriber that terminates: no dead letters', async () => {
      const stage = new Stage()
      const heard: string[] = []
      const ref = stage.spawn(listener(heard))
      stage.system.eventStream.subscribe(News, ref)
      await stage.tell(ref, 'stop')
      stage.system.eventStream.publish(new News('too late'))
      await stage.settle()
      expect([heard, stage.lost]).toEqual([[], []])
    })

    test('does not take on a subscriber that has already terminated', async () => {
      const stage = new Stage()
      const ref = await stage.start<News>(Behaviors.stopped())
      stage.system.eventStream.subscribe(News, ref)
      stage.system.eventStream.publish(new News('too late'))
      expect(stage.lost).toEqual([])
    })

    test('tells an actor of dead letters, and a full listener makes no endless loop', async () => {
      const stage = new Stage()
      const heard: unknown[] = []
      const ref = stage.spawn<DeadLetter>((letter) => void heard.push(letter.message), {
        mailbox: { capacity: 1 },
      })
      stage.system.eventStream.subscribe(DeadLetter, ref)
      stage.system.eventStream.subscribe(Object, ref as ActorRef<unknown>)
      const gone = await stage.start<string>(Behaviors.stopped())
      gone.tell('a')
      gone.tell('b')
      await stage.settle()
      expect(heard).toContain('a')
    })

    test('an event without listeners is nothing', () => {
      const stage = new Stage()
      stage.system.eventStream.publish(new News('unheard'))
      expect(stage.lost).toEqual([])
    })
  })

  describe('coordinated shutdown through ActorSystem.terminate', () => {
    const end = async (stage: Stage): Promise<void> => {
      const terminated = stage.system.terminate()
      await stage.settle()
      await terminated
    }

    test('runs the twelve phases in order, actors stop in the last', async () => {
      const stage = new Stage()
      const order: string[] = []
      await stage.start(
        Behaviors.receiveSignal<string>({ PostStop: () => void order.push('PostStop') }),
      )
      for (const phase of Object.keys(defaultShutdownPhases).toReversed()) {
        stage.system.shutdown.addTask(phase, 'note', () => void order.push(phase))
      }
      await end(stage)
      expect(order.filter((each) => each !== 'PostStop')).toEqual(
        Object.keys(defaultShutdownPhases),
      )
      expect(order.at(-1)).toBe('PostStop')
    })

    test('actors work as usual until the last phase', async () => {
      const stage = new Stage()
      const answers: string[] = []
      const echo = stage.spawn<ActorRef<string>>((replyTo) => replyTo.tell('answer'))
      stage.system.shutdown.addTask('before-actor-system-terminate', 'ask', async () => {
        stage.spawn(Behaviors.ignore, 'spawned in a phase')
        answers.push(await echo.ask((replyTo: ActorRef<string>) => replyTo))
      })
      await end(stage)
      expect(answers).toEqual(['answer'])
    })

    test('a task that fails does not keep the actors alive', async () => {
      const stage = new Stage()
      const error = new Error('in a task')
      const { ref } = stage.recorder<string>()
      stage.system.shutdown.addTask('service-stop', 'fails', () => {
        throw error
      })
      await end(stage)
      expect(stage.isTerminated(ref)).toBe(true)
      expect(stage.linesOn(error)).toHaveLength(1)
    })

    test('a phase that must succeed and does not ends the shutdown: terminate rejects', async () => {
      const stage = new Stage({
        shutdownPhases: {
          ...defaultShutdownPhases,
          'service-stop': { ...defaultShutdownPhases['service-stop'], recover: false },
        },
      })
      const error = new Error('in a task')
      const { ref } = stage.recorder<string>()
      stage.system.shutdown.addTask('service-stop', 'fails', () => {
        throw error
      })
      const rejected = expect(stage.system.terminate()).rejects.toBe(error)
      await stage.settle()
      await rejected
      expect(stage.isTerminated(ref)).toBe(false)
    })

    test('a task that hangs holds up its phase for the time of the phase', async () => {
      const stage = new Stage()
      const { ref } = stage.recorder<string>()
      stage.system.shutdown.addTask('service-stop', 'hangs', () => new Promise(() => {}))
      void stage.system.terminate()
      await stage.advance(4_999)
      expect(stage.isTerminated(ref)).toBe(false)
      await stage.advance(1)
      expect(stage.isTerminated(ref)).toBe(true)
    })

    test('a task that was cancelled does not run', async () => {
      const stage = new Stage()
      let runs = 0
      const task = stage.system.shutdown.addTask('service-stop', 'note', () => void runs++)
      expect([task.cancel(), task.cancel()]).toEqual([true, false])
      await end(stage)
      expect(runs).toBe(0)
    })

    test('runs once, and every caller waits for the same end', async () => {
      const stage = new Stage()
      let runs = 0
      const wait = gate()
      stage.system.shutdown.addTask('service-stop', 'note', () => {
        runs++
        return wait.promise
      })
      const ends: number[] = []
      for (const caller of [1, 2, 3]) void stage.system.terminate().then(() => ends.push(caller))
      await stage.settle()
      expect(ends).toEqual([])
      wait.open()
      await stage.settle()
      expect([runs, ends]).toEqual([1, [1, 2, 3]])
    })

    test('phases that go in a circle are refused when the system is made', () => {
      const phase = { timeoutMs: 1, recover: true, enabled: true }
      const shutdownPhases = {
        ...defaultShutdownPhases,
        a: { ...phase, dependsOn: ['b'] },
        b: { ...phase, dependsOn: ['a'] },
      }
      expect(() => new Stage({ shutdownPhases })).toThrow(
        expect.objectContaining({ code: 'INVALID_SHUTDOWN_PHASES' }) as Error,
      )
    })

    test('users’ actors end before the runtime’s own', async () => {
      const stage = new Stage()
      const order: string[] = []
      const noting = (name: string): Behavior<string> =>
        Behaviors.receiveSignal<string>({ PostStop: () => void order.push(name) })
      stage.system.spawnSystemActor(noting('system'))
      stage.spawn(noting('user'))
      await end(stage)
      expect(order).toEqual(['user', 'system'])
    })

    test('children end before their parents', async () => {
      const stage = new Stage()
      const order: string[] = []
      const family = (name: string, ...children: Behavior<string>[]): Behavior<string> =>
        Behaviors.setup<string>((context) => {
          for (const child of children) context.spawn(child)
          return Behaviors.receiveSignal<string>({ PostStop: () => void order.push(name) })
        })
      await stage.start(family('top', family('middle', family('leaf'))))
      await end(stage)
      expect(order).toEqual(['leaf', 'middle', 'top'])
    })

    test('the process ends only when asked to', async () => {
      const stage = new Stage()
      await end(stage)
      expect(stage.exits).toEqual([])
      const exiting = new Stage({ settings: { exitProcess: true } })
      await end(exiting)
      expect(exiting.exits).toEqual([0])
    })

    test('lost messages are not logged while the actors stop, but counted', async () => {
      const stage = new Stage()
      const wait = gate()
      const ref = await stage.start<string>(() => wait.promise)
      await stage.tell(ref, 'block', 'lost')
      const before = stage.time.logs.matching('DeadLetter').length
      void stage.system.terminate()
      await stage.settle()
      wait.open()
      await stage.settle()
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-queued lost'])
      expect(stage.time.logs.matching('DeadLetter')).toHaveLength(before)
    })
  })
})
