import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { unreachable } from '../../src/foundation/assert.ts'
import { EventSourcedBehavior, effectsFor } from '../../src/persistence/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { realScenes, type Scene } from './scene.ts'

type Command = 'cmd' | 'cmd3' | 'stash' | 'unstash' | 'stop'
const effect = effectsFor<string, string>()

describe.each(Object.entries(realScenes))('PT-002 %s', (_name, makeScene) => {
  let scene: Scene
  beforeEach(async () => (scene = await makeScene()))
  afterEach(() => scene.end())

  const reporter = (probe: ActorRef<string>): ActorRef<Command> =>
    scene.system.spawn(
      EventSourcedBehavior<Command, string, string>({
        persistenceId: 'Reporter|1',
        emptyState: 'stashing',
        commandHandler: (state, command, context) => {
          const say = (what: string): void => probe.tell(`${context.lastSequenceNr} ${what}`)
          say('onCommand')
          switch (command) {
            case 'cmd':
              return effect.persist('event').thenRun(() => say('thenRun'))
            case 'cmd3':
              return effect.persist(['one', 'two', 'three']).thenRun(() => say('thenRun'))
            case 'stash':
              if (state === 'stashing') return effect.stash()
              return effect.persist('unstashed').thenRun(() => say('thenRun'))
            case 'unstash':
              return effect
                .persist('handling')
                .thenRun(() => say('thenRun'))
                .thenUnstashAll()
            case 'stop':
              return effect.stop()
            default:
              return unreachable(command)
          }
        },
        eventHandler: (state, event, context) => {
          const when = context.isRecovering ? 'replay' : 'eventHandler'
          probe.tell(`${context.lastSequenceNr} ${when}`)
          return event === 'handling' ? 'handling' : state
        },
        signals: {
          RecoveryCompleted: (_state, _signal, context) =>
            probe.tell(`${context.lastSequenceNr} RecoveryCompleted`),
        },
        journal: scene.journal,
      }),
    )

  const listening = () => {
    const probe = createTestProbe<string>(scene.system)
    const expectAll = async (...expected: string[]): Promise<void> => {
      for (const each of expected) await probe.expect(each)
    }
    return { probe, expectAll }
  }

  test('the number of the last event is seen by every handler, and again in replay', async () => {
    const { probe, expectAll } = listening()
    const first = reporter(probe.ref)
    await expectAll('0 RecoveryCompleted')
    first.tell('cmd')
    await expectAll('0 onCommand', '1 eventHandler', '1 thenRun')
    first.tell('cmd')
    await expectAll('1 onCommand', '2 eventHandler', '2 thenRun')
    first.tell('cmd3')
    await expectAll(
      '2 onCommand',
      '3 eventHandler',
      '4 eventHandler',
      '5 eventHandler',
      '5 thenRun',
    )
    first.tell('stash')
    await expectAll('5 onCommand')
    first.tell('unstash')
    // The next command does not wait for the store, its consequences do.
    await expectAll('5 onCommand', '6 eventHandler', '6 onCommand', '7 eventHandler')
    await expectAll('6 thenRun', '7 thenRun')
    first.tell('stop')
    await expectAll('7 onCommand')
    await probe.expectTerminated(first)
    const second = reporter(probe.ref)
    await expectAll(...[1, 2, 3, 4, 5, 6, 7].map((n) => `${n} replay`), '7 RecoveryCompleted')
    second.tell('cmd')
    await expectAll('7 onCommand', '8 eventHandler', '8 thenRun')
  })

  /** What each command reports, as tabulated in V-24. */
  const triple = (before: number): string[] => [
    `${before} onCommand`,
    ...[1, 2, 3].map((n) => `${before + n} eventHandler`),
    `${before + 3} thenRun`,
  ]
  const single = (before: number): string[] => [
    `${before} onCommand`,
    `${before + 1} eventHandler`,
    `${before + 1} thenRun`,
  ]

  test('a row of commands, and the next life, count as tabulated', async () => {
    const { probe, expectAll } = listening()
    const first = reporter(probe.ref)
    await expectAll('0 RecoveryCompleted')
    for (const [command, expected] of [
      ['cmd', single(0)],
      ['cmd', single(1)],
      ['cmd3', triple(2)],
    ] as const) {
      first.tell(command)
      await expectAll(...expected)
    }
    first.tell('stop')
    await expectAll('5 onCommand')
    await probe.expectTerminated(first)
    const second = reporter(probe.ref)
    await expectAll(...[1, 2, 3, 4, 5].map((n) => `${n} replay`), '5 RecoveryCompleted')
    second.tell('cmd')
    await expectAll(...single(5))
  })

  test('what was stashed first counts on from there as tabulated', async () => {
    const { probe, expectAll } = listening()
    const actor = reporter(probe.ref)
    await expectAll('0 RecoveryCompleted')
    for (const command of ['stash', 'unstash'] as const) actor.tell(command)
    // The next command may be handled before the event of this one is stored, or afterwards.
    const all = await probe.receive(7)
    const isStored = (each: string): boolean => each.endsWith('thenRun')
    expect(all.filter((each) => !isStored(each))).toEqual([
      ...['0 onCommand', '0 onCommand', '1 eventHandler', '1 onCommand', '2 eventHandler'],
    ])
    expect(all.filter(isStored)).toEqual(['1 thenRun', '2 thenRun'])
    expect(all.indexOf('1 eventHandler')).toBeLessThan(all.indexOf('1 thenRun'))
    for (const [command, expected] of [
      ['cmd', single(2)],
      ['cmd', single(3)],
      ['cmd3', triple(4)],
    ] as const) {
      actor.tell(command)
      await expectAll(...expected)
    }
  })
})
