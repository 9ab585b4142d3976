import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  type Behavior,
  Behaviors,
  DeadLetter,
  defaultShutdownPhases,
  PoisonPill,
  UnhandledMessage,
} from '../../src/actor/index.ts'
import { Stage, gate, nothingMayEscape, outcomeOf } from './stage.ts'

describe('AT-007 Adapters, receptionist, event stream, routers, coordinated shutdown', () => {
  nothingMayEscape()

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
        mailbox: { messagesMax: 1 },
      })
      stage.system.eventStream.subscribe(DeadLetter, ref)
      stage.system.eventStream.subscribe(Object, ref as ActorRef<unknown>)
      const gone = await stage.start<string>(Behaviors.stopped())
      gone.tell('a')
      gone.tell('b')
      await stage.settle()
      expect(heard).toContain('a')
    })

    test('an actor that does not handle news of unhandled messages hears of no more of them', async () => {
      const stage = new Stage()
      let turns = 0
      const ref = await stage.start<unknown>(() => {
        // Without a limit of its own this test would not end.
        if (++turns > 100) throw new Error('the news goes in circles')
        return Behaviors.unhandled
      })
      stage.system.eventStream.subscribe(UnhandledMessage, ref)
      await stage.tell<unknown>(ref, 'a')
      expect([turns, stage.losses]).toEqual([2, ['UnhandledMessage a']])
      expect(stage.system.lostMessageCounts).toEqual({ UnhandledMessage: 2 })
    })

    test('listeners that stop together do not flood each other with what they did not hear', async () => {
      const stage = new Stage()
      const listeners = Array.from({ length: 12 }, () => stage.recorder<DeadLetter>().ref)
      for (const ref of listeners) stage.system.eventStream.subscribe(DeadLetter, ref)
      const gone = await stage.start<string>(Behaviors.stopped())
      for (const ref of listeners) ref.tell(PoisonPill)
      await stage.tell(gone, 'a')
      expect(stage.losses).toEqual(['DeadLetter/terminated a'])
      expect(stage.system.lostMessageCounts).toEqual({
        'DeadLetter/terminated': 1,
        'DeadLetter/terminated-while-queued': 12,
      })
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
      const { ends } = outcomeOf(stage.system.terminate())
      await stage.settle()
      expect(ends).toEqual([error])
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
        expect.objectContaining({ code: 'INVALID_SETTINGS' }) as Error,
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
      await exiting.time.advance(0)
      expect(exiting.exits).toEqual([0])
    })

    test('lost messages are not logged while the actors stop, but counted', async () => {
      const stage = new Stage()
      const wait = gate()
      const ref = await stage.start<string>(() => wait.promise)
      await stage.tell(ref, 'block', 'lost')
      const before = stage.time.logs.matching('A message was lost').length
      void stage.system.terminate()
      await stage.settle()
      wait.open()
      await stage.settle()
      expect(stage.losses).toEqual(['DeadLetter/terminated-while-queued lost'])
      expect(stage.time.logs.matching('A message was lost')).toHaveLength(before)
    })
  })
})
