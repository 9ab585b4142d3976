import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  type Behavior,
  Behaviors,
  PoisonPill,
  type RestartOnStopOptions,
  SupervisorStrategy,
} from '../../src/actor/index.ts'
import { Stage, nothingMayEscape } from './stage.ts'

class Harmless extends Error {}

/** Says what it hears; `fail` and `harmless` are failures, `quit` ends it by itself, `last` is the final message. */
function worker(stage: Stage, said: string[]): Behavior<string> {
  const behavior = Behaviors.setup<string>(() => {
    said.push(`starts at ${stage.now}`)
    return Behaviors.receiveMessage<string>((message) => {
      if (message === 'fail') throw new Error('boom')
      if (message === 'harmless') throw new Harmless('nothing happened')
      said.push(message)
      return message === 'quit' || message === 'last' ? Behaviors.stopped() : Behaviors.same
    }).receiveSignal({ PostStop: () => void said.push('PostStop') })
  })
  return Behaviors.supervise(behavior).onFailure(Harmless, SupervisorStrategy.resume())
}

async function setUp(options: Partial<RestartOnStopOptions<string>> = {}) {
  const stage = new Stage()
  const said: string[] = []
  const ends: string[] = []
  const parent = Behaviors.restartOnStop<string>({
    ...{ child: worker(stage, said), isFinalStop: (message) => message === 'last' },
    ...{ min: '1s', max: '10s', randomFactor: 0 },
    ...options,
  })
  let ref: ActorRef<string> | undefined
  await stage.start(
    Behaviors.setup<never>((context) => {
      ref = context.spawn(parent, 'parent')
      context.watch(ref)
      return Behaviors.receiveSignal({
        Terminated: () => void ends.push('stopped'),
        ChildFailed: (_context, { cause }) => void ends.push(String(cause)),
      })
    }),
  )
  const tell = async (...messages: string[]): Promise<void> => {
    for (const message of messages) ref?.tell(message)
    await stage.settle()
  }
  return { stage, said, ends, tell, ref: ref as unknown as ActorRef<string> }
}

describe('A parent that starts its child anew', () => {
  nothingMayEscape()

  test('hands every message on, in order', async () => {
    const { said, tell } = await setUp()
    await tell('a', 'b')
    expect(said).toEqual(['starts at 0', 'a', 'b'])
  })

  test('starts a child that stopped by itself after a pause, and holds messages until then', async () => {
    const { stage, said, tell } = await setUp()
    await tell('quit')
    await tell('a', 'b')
    expect(said).toEqual(['starts at 0', 'quit', 'PostStop'])
    await stage.advance('1s')
    expect(said.slice(3)).toEqual(['starts at 1000', 'a', 'b'])
  })

  test('starts a child that failed after a pause that doubles', async () => {
    const { stage, said, tell } = await setUp({ resetAfter: '1h' })
    for (const delay of ['1s', '2s', '4s'] as const) {
      await tell('fail')
      await stage.advance(delay)
    }
    const starts = said.filter((line) => line !== 'PostStop')
    expect(starts).toEqual([0, 1_000, 3_000, 7_000].map((ms) => `starts at ${ms}`))
  })

  test('leaves to the child what its own supervision answers', async () => {
    const { said, tell } = await setUp()
    await tell('harmless', 'a')
    expect(said).toEqual(['starts at 0', 'a'])
  })

  test('is over with the child when the final message has come, behind all before it', async () => {
    const { said, ends, tell } = await setUp()
    await tell('a', 'last')
    expect(said).toEqual(['starts at 0', 'a', 'last', 'PostStop'])
    expect(ends).toEqual(['stopped'])
  })

  test('does what waited before the final message, and does not wait for the pause', async () => {
    const { stage, said, ends, tell } = await setUp()
    await tell('fail')
    await tell('a', 'last')
    expect(said.slice(2)).toEqual(['starts at 0', 'a', 'last', 'PostStop'])
    expect(ends).toEqual(['stopped'])
    expect(stage.lost).toEqual([])
  })

  test('drops what does not fit, never the final message', async () => {
    const { stage, said, ends, tell } = await setUp({ stashedMessagesMax: 1 })
    await tell('fail')
    await tell('a', 'b', 'last')
    expect(said.slice(2)).toEqual(['starts at 0', 'a', 'last', 'PostStop'])
    expect(stage.lost).toMatchObject([{ message: 'b', reason: 'restart-stash-full' }])
    expect(ends).toEqual(['stopped'])
  })

  test('passes the failure on that comes after the last restart', async () => {
    const { stage, ends, tell } = await setUp({ restartsMax: 1, resetAfter: '1h' })
    await tell('fail')
    await stage.advance('1s')
    await tell('fail')
    expect(ends).toEqual(['Error: boom'])
  })

  test('turns what it holds into dead letters when it is stopped itself', async () => {
    const { stage, tell, ref } = await setUp()
    await tell('fail')
    await tell('a')
    ref.tell(PoisonPill)
    await stage.settle()
    expect(stage.lost.map(({ message }) => message)).toEqual(['a'])
  })

  test('is refused without a way to know the final message', () => {
    const options = { child: Behaviors.empty, min: '1s', max: '2s' }
    expect(() => Behaviors.restartOnStop(options as never)).toThrow(/isFinalStop/)
  })
})
