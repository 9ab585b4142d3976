import { describe, expect, test } from 'vitest'
import {
  type Behavior,
  Behaviors,
  DuplicateActorName,
  InvalidActorName,
  PoisonPill,
  PostStop,
  SupervisorStrategy,
} from '../../actor/index.ts'
import { BehaviorKit } from './behavior-kit.ts'
import { BehaviorKitMisuse } from './behavior-kit-misuse.ts'
import { createInbox } from './inbox.ts'

function counting(onCount: (count: number) => void, count = 0): Behavior<'add' | 'stop' | 'what'> {
  return Behaviors.receiveMessage((message) => {
    if (message === 'stop') return Behaviors.stopped()
    if (message === 'what') return Behaviors.unhandled
    onCount(count + 1)
    return counting(onCount, count + 1)
  })
}

describe('BehaviorKit', () => {
  test('hands a behavior one message after the other, and is done when it returns', () => {
    const counts: number[] = []
    const kit = new BehaviorKit(counting((count) => counts.push(count)))
    kit.run('add')
    expect(counts).toEqual([1])
    kit.run('add')
    expect(counts).toEqual([1, 2])
    expect(kit.isAlive).toBe(true)
  })

  test('meets the same chance in every kit', () => {
    const drawn = (): number[] => {
      const draws: number[] = []
      const kit = new BehaviorKit(
        Behaviors.receive<'draw'>((context) => {
          const { random } = context.system.environment
          draws.push(random.float(), random.below(1_000))
        }),
      )
      kit.run('draw')
      return draws
    }
    expect(drawn()).toEqual(drawn())
  })

  test('takes a plain handler, and gives the actor the name it is told', () => {
    const seen: string[] = []
    const kit = new BehaviorKit((message: string) => void seen.push(message), { name: 'echo' })
    kit.run('a')
    expect(seen).toEqual(['a'])
    expect(kit.ref.path.name).toBe('echo')
    expect(() => new BehaviorKit(() => undefined, { name: '$x' })).toThrow(InvalidActorName)
  })

  test('notes what the behavior had no use for', () => {
    const kit = new BehaviorKit(counting(() => undefined))
    kit.run('what')
    expect(kit.effects()).toEqual([{ type: 'Unhandled', message: 'what' }])
    expect(kit.logs.matching(/: a text to /)).toHaveLength(1)
  })

  test('runs PostStop when the behavior stops, and then reaches nobody', () => {
    const story: string[] = []
    const stopping = Behaviors.receiveMessage<string>(() =>
      Behaviors.stopped(() => story.push('callback')),
    ).receiveSignal({ PostStop: () => void story.push('PostStop') })
    const kit = new BehaviorKit(stopping, { name: 'x' })
    kit.run('stop')
    expect(story).toEqual(['PostStop', 'callback'])
    expect(kit.isAlive).toBe(false)
    expect(() => kit.run('again')).toThrow(BehaviorKitMisuse)
    expect(() => kit.run('again')).toThrow(
      "behavior kit x has stopped: run('again') reaches nobody.",
    )
    expect(() => kit.signal(new PostStop())).toThrow(/has stopped: signal\(PostStop/)
    expect(kit.logs.lines).toEqual([])
  })

  test('stops by context.stop and by PoisonPill as well', () => {
    const first = new BehaviorKit(Behaviors.receive<string>((context) => context.stop()))
    first.run('go')
    expect([first.isAlive, first.effects()]).toEqual([false, []])
    const second = new BehaviorKit<string>(() => undefined)
    second.run(PoisonPill)
    expect(second.isAlive).toBe(false)
  })

  test('throws what the behavior throws, which stops it', () => {
    const error = new Error('boom')
    const kit = new BehaviorKit<string>(() => {
      throw error
    })
    expect(() => kit.run('go')).toThrow(error)
    expect(kit.isAlive).toBe(false)
    expect(kit.logs.matching('boom', 'error')).toHaveLength(1)
  })

  test('throws what goes wrong at the start', () => {
    const error = new Error('no setup')
    const failing = Behaviors.setup<string>(() => {
      throw error
    })
    expect(() => new BehaviorKit(failing)).toThrow(error)
  })

  test('leaves failures to the supervision that answers them', () => {
    const supervised = Behaviors.supervise<string>(
      Behaviors.setup((context) => {
        context.spawn(() => undefined, 'child')
        return (message) => {
          if (message === 'fail') throw new Error('boom')
        }
      }),
    ).onFailure(SupervisorStrategy.restart())
    const kit = new BehaviorKit(supervised)
    kit.run('fail')
    expect(kit.isAlive).toBe(true)
    expect(kit.effects().map(({ type }) => type)).toEqual(['Spawned', 'Spawned'])
  })

  test('goes through a restart with back-off by its own clock', () => {
    const seen: string[] = []
    const strategy = SupervisorStrategy.restartWithBackoff({ min: 100, max: 100, randomFactor: 0 })
    const supervised = Behaviors.supervise<string>((message) => {
      if (message === 'fail') throw new Error('boom')
      seen.push(message)
    }).onFailure(strategy)
    const kit = new BehaviorKit(supervised)
    kit.run('fail')
    kit.run('held')
    kit.advance(99)
    expect(seen).toEqual([])
    kit.advance(1)
    expect(seen).toEqual(['held'])
  })

  test('unstashes what was stashed', () => {
    const seen: string[] = []
    const closed = Behaviors.withStash<string>(10, (stash) => (message) => {
      if (message !== 'open') return stash.stash(message)
      return stash.unstashAll(Behaviors.receiveMessage((each) => void seen.push(each)))
    })
    const kit = new BehaviorKit(closed)
    for (const message of ['a', 'b', 'open', 'c']) kit.run(message)
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('keeps what the actor sends to itself until it is run', () => {
    const seen: string[] = []
    const kit = new BehaviorKit(
      Behaviors.receive<string>((context, message) => {
        seen.push(message)
        if (message === 'first') context.self.tell('second')
      }),
    )
    kit.run('first')
    kit.ref.tell('from outside')
    expect(seen).toEqual(['first'])
    expect(kit.selfInbox.messages).toEqual(['second', 'from outside'])
    kit.run(kit.selfInbox.receive())
    expect(seen).toEqual(['first', 'second'])
    kit.selfInbox.expect('from outside')
    expect(kit.selfInbox.isEmpty).toBe(true)
  })

  test('does not run children: what they are told is kept', () => {
    let hasRun = false
    const child: Behavior<number> = Behaviors.receiveMessage(() => {
      hasRun = true
    })
    const kit = new BehaviorKit(
      Behaviors.receive<string>((context, name) => {
        context.spawn(child, name).tell(7)
      }),
    )
    kit.run('a')
    kit.childInbox<number>('a').expect(7)
    expect(hasRun).toBe(false)
    expect(() => kit.run('a')).toThrow(DuplicateActorName)
    expect(() => kit.childInbox('b')).toThrow(
      "behavior kit behavior has no child 'b': it spawned 'a'.",
    )
    expect(() => new BehaviorKit<string>(() => undefined).childInbox('b')).toThrow(
      "behavior kit behavior has no child 'b': it spawned none.",
    )
  })

  test('stays on the side of effects that went wrong', () => {
    const kit = new BehaviorKit(
      Behaviors.receive<string>((context) => {
        expect(() => context.spawn(() => undefined, '$')).toThrow(InvalidActorName)
        expect(() => context.timers.startSingle('t', -1, 'x')).toThrow(/not a length of time/)
      }),
    )
    kit.run('go')
    expect(kit.effects()).toEqual([])
  })

  test('does nothing when looked at from inside a turn', () => {
    const kit: BehaviorKit<string> = new BehaviorKit<string>(() => {
      expect(kit.isAlive).toBe(true)
      expect(kit.selfInbox.messages).toEqual([])
    })
    kit.run('look')
  })
})

describe('BehaviorKit with async handlers', () => {
  test('says how to run them when they are run as if they were not', () => {
    const kit = new BehaviorKit<string>(async () => Promise.resolve(), { name: 'x' })
    expect(() => kit.run('go')).toThrow(
      "run('go') met an async handler, and its promise cannot be waited for here. " +
        'Use await kit.runAsync(message), or an ActorSystem with ManualTime.',
    )
    expect(() => kit.run('next')).toThrow(
      "behavior kit x takes nothing until the promise of an earlier handler has settled: run('next') comes too early.",
    )
  })

  test('runs them to their end', async () => {
    const seen: string[] = []
    const next = Behaviors.receiveMessage<string>((message) => void seen.push(`next ${message}`))
    const kit = new BehaviorKit<string>(async (message) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      seen.push(message)
      return next
    })
    await kit.runAsync('a')
    kit.run('b')
    await kit.runAsync('c')
    expect(seen).toEqual(['a', 'next b', 'next c'])
  })

  test('does not wait for ever', async () => {
    const kit = new BehaviorKit<string>(() => new Promise(() => undefined))
    await expect(kit.runAsync('go', { within: 20 })).rejects.toThrow(
      "The handler of 'go' has not settled within 20 ms of real time.",
    )
  })

  test('throws what they reject with', async () => {
    const kit = new BehaviorKit<string>(async () => Promise.reject(new Error('boom')))
    await expect(kit.runAsync('go')).rejects.toThrow('boom')
    expect(kit.isAlive).toBe(false)
  })

  test('brings what is piped or answered to the self inbox', async () => {
    const clerk = createInbox<{ readonly replyTo: { tell(answer: number): void } }>('clerk')
    const kit = new BehaviorKit(
      Behaviors.receive<string>((context, message) => {
        if (message !== 'go') return
        context.pipeToSelf(Promise.resolve(1), (value) => `piped ${value}`)
        context.ask(clerk.ref, (replyTo) => ({ replyTo }), {
          done: (answer: number) => `answered ${answer}`,
        })
      }),
    )
    kit.run('go')
    clerk.receive().replyTo.tell(2)
    await kit.settle()
    expect(kit.selfInbox.receiveAll()).toEqual(['piped 1', 'answered 2'])
  })

  test('lets asks to its own inboxes time out by its clock', async () => {
    const kit: BehaviorKit<string> = new BehaviorKit(
      Behaviors.receive<string>((context, message) => {
        if (message !== 'go') return
        context.ask(clerk.ref, (replyTo) => ({ replyTo }), {
          timeout: '5s',
          done: () => 'answered',
          failed: (error) => (error as Error).name,
        })
      }),
    )
    const clerk = kit.createInbox<object>('clerk')
    kit.run('go')
    kit.advance('5s')
    await kit.settle()
    kit.selfInbox.expect('AskTimeout')
  })

  test('throws a failure once', () => {
    const kit = new BehaviorKit<string>(() => {
      throw new Error('boom')
    })
    expect(() => kit.run('go')).toThrow('boom')
    expect(() => kit.advance('1s')).not.toThrow()
  })
})
