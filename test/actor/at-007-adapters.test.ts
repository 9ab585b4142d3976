import { describe, expect, test } from 'vitest'
import {
  type ActorContext,
  type ActorRef,
  Behaviors,
  MessageAdaptionFailure,
  type Signal,
  UnhandledMessage,
} from '../../src/actor/index.ts'
import { coded, thrownBy } from './misuse.ts'
import { Stage, nothingMayEscape } from './stage.ts'

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

    test('the same match again takes the place of the one before: nothing grows', async () => {
      let looks = 0
      const never = (message: unknown): message is Dog => {
        looks += message === undefined ? 0 : 1
        return false
      }
      const { stage, adapter } = await adapting<Dog>((context) => {
        for (let count = 0; count < 99; count++) context.messageAdapter(never, () => 'dog')
        return context.messageAdapter(never, () => 'dog')
      })
      await stage.tell(adapter, { type: 'Dog', name: 'Rex' })
      expect(looks).toBe(1)
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

    test('are refused where they are registered when they could translate nothing', async () => {
      const { again } = await adapting<unknown>((context) => context.messageAdapter(() => 'any'))
      const errors: unknown[] = []
      await again((context) => {
        for (const match of [42, null, {}, []] as never[]) {
          errors.push(thrownBy(() => context.messageAdapter(match, () => 'x')))
        }
        errors.push(thrownBy(() => context.messageAdapter('Dog', 'x' as never)))
        errors.push(thrownBy(() => context.messageAdapter('Dog' as never)))
      })
      expect(errors).toEqual(Array.from({ length: 6 }, () => coded('INVALID_SETTINGS')))
    })

    test('are bounded, also by guards that are made anew with each message', async () => {
      const { again } = await adapting<unknown>((context) => context.messageAdapter(() => 'any'))
      let error: unknown
      await again((context) => {
        const add = (): unknown =>
          context.messageAdapter((message): message is string => message === 'x', String)
        for (let count = 1; count < 1_000; count++) add()
        error = thrownBy(add)
        context.messageAdapter(() => 'replaced')
      })
      expect((error as Error).message).toContain('make a guard once')
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
})
