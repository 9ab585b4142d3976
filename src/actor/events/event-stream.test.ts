import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Logger, LogFields } from '../../foundation/logger.ts'
import type { ActorRef, Watcher } from '../ref/actor-ref.ts'
import { EventStream, InvalidSubscription } from './event-stream.ts'

class News {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
class GoodNews extends News {}
abstract class Weather {
  abstract readonly degrees: number
}
class Frost extends Weather {
  readonly degrees = -5
}

/** What the event stream needs of a ref: it takes messages, and it can terminate. */
class FakeRef {
  readonly received: unknown[] = []
  readonly watchers = new Set<Watcher>()
  isTerminated = false
  whenTold: (message: unknown) => void = () => undefined

  tell(message: unknown): void {
    this.received.push(message)
    this.whenTold(message)
  }

  addWatcher(watcher: Watcher): void {
    if (this.isTerminated) watcher.watchedTerminated(this as never, undefined)
    else this.watchers.add(watcher)
  }

  removeWatcher(watcher: Watcher): void {
    this.watchers.delete(watcher)
  }

  terminate(): void {
    this.isTerminated = true
    const watchers = [...this.watchers]
    this.watchers.clear()
    for (const watcher of watchers) watcher.watchedTerminated(this as never, undefined)
  }

  get ref(): ActorRef<unknown> {
    return this as unknown as ActorRef<unknown>
  }
}

function newStream() {
  const errors: { fields: LogFields; text: string }[] = []
  const ignore = () => undefined
  const error = (fields: LogFields, text: string) => void errors.push({ fields, text })
  const logger: Logger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error }
  return { stream: new EventStream(logger), errors }
}

describe('EventStream', () => {
  test('delivers an event to callbacks and actors that subscribed to its class', () => {
    const { stream } = newStream()
    const actor = new FakeRef()
    const heard: News[] = []
    stream.subscribe(News, actor.ref)
    stream.subscribe(News, (news) => heard.push(news))
    const news = new News('rain')
    stream.publish(news)
    stream.publish(new Frost())
    expect(heard).toEqual([news])
    expect(actor.received).toEqual([news])
  })

  test('includes subclasses, abstract classes and, for Object, everything', () => {
    const { stream } = newStream()
    const heard: string[] = []
    stream.subscribe(News, () => heard.push('news'))
    stream.subscribe(GoodNews, () => heard.push('good news'))
    stream.subscribe(Weather, ({ degrees }) => heard.push(`weather ${degrees}`))
    stream.subscribe(Object, () => heard.push('object'))
    stream.publish(new GoodNews('sun'))
    expect(heard.splice(0)).toEqual(['news', 'good news', 'object'])
    stream.publish(new News('rain'))
    expect(heard.splice(0)).toEqual(['news', 'object'])
    stream.publish(new Frost())
    expect(heard.splice(0)).toEqual(['weather -5', 'object'])
    stream.publish({ type: 'Plain' })
    expect(heard.splice(0)).toEqual(['object'])
    stream.publish(Object.create(null) as object)
    expect(heard).toEqual([])
  })

  test('takes the same subscriber for the same class once', () => {
    const { stream } = newStream()
    const actor = new FakeRef()
    const first = stream.subscribe(News, actor.ref)
    const second = stream.subscribe(News, actor.ref)
    stream.publish(new News('once'))
    expect(actor.received).toHaveLength(1)
    first.unsubscribe()
    second.unsubscribe()
    stream.publish(new News('unheard'))
    expect(actor.received).toHaveLength(1)
  })

  test('tells a subscriber once when several of its classes match', () => {
    const { stream } = newStream()
    const actor = new FakeRef()
    stream.subscribe(News, actor.ref)
    const good = stream.subscribe(GoodNews, actor.ref)
    stream.publish(new GoodNews('sun'))
    expect(actor.received).toHaveLength(1)
    good.unsubscribe()
    stream.publish(new GoodNews('sun'))
    expect(actor.received).toHaveLength(2)
  })

  test('does not end a later subscription by an earlier handle', () => {
    const { stream } = newStream()
    const actor = new FakeRef()
    const old = stream.subscribe(News, actor.ref)
    old.unsubscribe()
    stream.subscribe(News, actor.ref)
    old.unsubscribe()
    stream.publish(new News('heard'))
    expect(actor.received).toHaveLength(1)
  })

  test('forgets an actor that has terminated', () => {
    const { stream } = newStream()
    const actor = new FakeRef()
    const subscription = stream.subscribe(News, actor.ref)
    stream.subscribe(Frost, actor.ref)
    expect(actor.watchers.size).toBe(1)
    actor.terminate()
    stream.publish(new News('unheard'))
    stream.publish(new Frost())
    subscription.unsubscribe()
    expect(actor.received).toEqual([])
  })

  test('does not keep an actor that had terminated before it subscribed', () => {
    const { stream } = newStream()
    const actor = new FakeRef()
    actor.terminate()
    stream.subscribe(News, actor.ref)
    stream.subscribe(Frost, actor.ref)
    stream.publish(new News('unheard'))
    stream.publish(new Frost())
    expect(actor.received).toEqual([])
  })

  test('stops watching an actor with its last subscription', () => {
    const { stream } = newStream()
    const actor = new FakeRef()
    const news = stream.subscribe(News, actor.ref)
    const frost = stream.subscribe(Frost, actor.ref)
    news.unsubscribe()
    expect(actor.watchers.size).toBe(1)
    frost.unsubscribe()
    expect(actor.watchers.size).toBe(0)
  })

  test('logs a subscriber that throws, and disturbs neither the others nor the publisher', () => {
    const { stream, errors } = newStream()
    const err = new Error('deaf')
    const full = new FakeRef()
    full.whenTold = () => {
      throw err
    }
    const heard: News[] = []
    stream.subscribe(News, () => {
      throw err
    })
    stream.subscribe(News, full.ref)
    stream.subscribe(News, (news) => heard.push(news))
    stream.publish(new News('rain'))
    expect(heard).toHaveLength(1)
    expect(errors.map(({ fields }) => fields['err'])).toEqual([err, err])
  })

  test('is not disturbed by a class that throws when it is asked for its events', () => {
    const { stream } = newStream()
    class Moody extends News {
      static override [Symbol.hasInstance](): boolean {
        throw new Error('moody')
      }
    }
    const heard: unknown[] = []
    stream.subscribe(Moody, (event) => heard.push(event))
    stream.subscribe(News, (event) => heard.push(event))
    stream.publish(new News('rain'))
    expect(heard).toEqual([new News('rain')])
  })

  test('logs the failure of a callback that answers a promise of another kind', async () => {
    const { stream, errors } = newStream()
    const err = new Error('deaf')
    // As of another realm: it is no instance of our Promise.
    const foreign = Object.setPrototypeOf(Promise.reject(err), {
      // oxlint-disable-next-line unicorn/no-thenable
      then: Promise.prototype.then,
    }) as unknown
    stream.subscribe(News, () => foreign)
    stream.publish(new News('rain'))
    await setImmediate()
    expect(errors.map(({ fields }) => fields['err'])).toEqual([err])
  })

  test('logs the failure of an async callback', async () => {
    const { stream, errors } = newStream()
    const err = new Error('deaf, but later')
    const fails: () => unknown = () => Promise.reject(err)
    stream.subscribe(News, fails)
    stream.publish(new News('rain'))
    await setImmediate()
    expect(errors.map(({ fields }) => fields['err'])).toEqual([err])
  })

  test('leaves out who unsubscribes, and who subscribes, while an event is delivered', () => {
    const { stream } = newStream()
    const heard: string[] = []
    const late = () => void heard.push('late')
    stream.subscribe(News, () => {
      heard.push('first')
      second.unsubscribe()
      stream.subscribe(News, late)
    })
    const second = stream.subscribe(News, () => heard.push('second'))
    stream.subscribe(News, () => heard.push('third'))
    stream.publish(new News('one'))
    expect(heard.splice(0)).toEqual(['first', 'third'])
    stream.publish(new News('two'))
    expect(heard).toEqual(['first', 'third', 'late'])
  })

  test('delivers what is published inside a callback to the others', () => {
    const { stream } = newStream()
    const heard: string[] = []
    stream.subscribe(News, ({ text }) => {
      heard.push(`teller ${text}`)
      stream.publish(new News(`re: ${text}`))
    })
    stream.subscribe(News, ({ text }) => heard.push(`listener ${text}`))
    stream.publish(new News('a'))
    expect(heard).toEqual(['teller a', 'listener re: a', 'listener a'])
  })

  test('does not go in circles when telling a subscriber is itself news to it', () => {
    const { stream } = newStream()
    const full = new FakeRef()
    full.whenTold = () => stream.publish(new News('the mailbox of full is full'))
    const alsoFull = new FakeRef()
    alsoFull.whenTold = () => stream.publish(new News('and that of alsoFull'))
    stream.subscribe(News, full.ref)
    stream.subscribe(News, alsoFull.ref)
    stream.publish(new News('start'))
    expect(full.received.length + alsoFull.received.length).toBe(4)
  })

  test('delivers nothing that is no object, and throws at nobody', () => {
    const { stream } = newStream()
    const heard: unknown[] = []
    stream.subscribe(Object, (event) => void heard.push(event))
    for (const odd of [null, undefined, 'news', 5]) stream.publish(odd as never)
    expect(heard).toEqual([])
  })

  test('refuses what is not a class, and what cannot listen', () => {
    const { stream } = newStream()
    expect(() => stream.subscribe((() => 1) as never, () => undefined)).toThrow(InvalidSubscription)
    expect(() => stream.subscribe(undefined as never, () => undefined)).toThrow(/is not a class/)
    expect(() => stream.subscribe(News, {} as never)).toThrow(/cannot subscribe/)
    expect(() => stream.subscribe(News, undefined as never)).toThrow(InvalidSubscription)
    const teller = { tell: () => undefined }
    expect(() => stream.subscribe(News, teller as never)).toThrow(/cannot subscribe/)
  })

  test('forgets who listened to a class of events when one of them leaves', () => {
    const { stream } = newStream()
    const heard: string[] = []
    const first = stream.subscribe(News, ({ text }) => void heard.push(`first ${text}`))
    stream.subscribe(News, ({ text }) => void heard.push(`second ${text}`))
    stream.publish(new News('a'))
    first.unsubscribe()
    stream.publish(new News('b'))
    expect(heard).toEqual(['first a', 'second a', 'second b'])
  })

  test('forgets who listened to a class of events when an actor among them terminates', () => {
    const { stream } = newStream()
    const actor = new FakeRef()
    const heard: unknown[] = []
    stream.subscribe(News, actor.ref)
    stream.subscribe(News, (news) => void heard.push(news))
    stream.publish(new News('a'))
    actor.terminate()
    stream.publish(new News('b'))
    expect([actor.received.length, heard.length]).toEqual([1, 2])
  })

  test('subscribing twice gives one subscription, which either caller may end', () => {
    const { stream } = newStream()
    const heard: unknown[] = []
    const listener = (news: News) => void heard.push(news)
    const first = stream.subscribe(News, listener)
    stream.subscribe(News, listener)
    first.unsubscribe()
    stream.publish(new News('a'))
    expect(heard).toEqual([])
  })

  test('names the kind of an event whose subscriber threw, and nothing that is in it', () => {
    const { stream, errors } = newStream()
    stream.subscribe(News, () => {
      throw new Error('boom')
    })
    stream.publish(new News('secret'))
    expect(errors.map(({ fields }) => fields['event'])).toEqual(['News'])
  })
})
