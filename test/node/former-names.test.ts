/** Names that people bring along from other implementations of cluster sharding, at the doors that most will try first. */
import { expect, test } from 'vitest'
import type { InvalidSettings } from '../../src/actor/index.ts'
import { defineEntity } from '../../src/entity/index.ts'
import { refusalOf } from './nodes.ts'

const problemsOfEntity = (options: object): readonly string[] => {
  try {
    defineEntity('Cart', { state: () => ({}), commands: {}, ...options })
  } catch (error) {
    return (error as InvalidSettings).problems
  }
  return []
}

test('startNode says what a setting is called here', async () => {
  const sharding = { passivateIdleEntityAfter: '2min', 'buffer-size': 5, 'handoff-timeout': 5 }
  const error = await refusalOf({ settings: { sharding } } as never)
  expect((error as InvalidSettings).problems).toEqual([
    '`settings.sharding.passivateIdleEntityAfter` is called `passivateIdleAfterMs` here, among the settings of sharding',
    '`settings.sharding.buffer-size` is called `bufferedMessagesMax` here, and `entityBufferedMessagesMax` for each shard',
    '`settings.sharding.handoff-timeout` is not a setting; did you mean `settings.sharding.handOffTimeoutMs`?',
  ])
})

test('defineEntity says what an option is called here', () => {
  const brought = { useLease: true, handOffStopMessage: 'bye', props: {}, typeName: 'Cart' }
  expect(problemsOfEntity({ passivateIdleEntityAfter: '2min', ...brought })).toEqual([
    "`passivateIdleEntityAfter` is called `passivateAfter` here, as in passivateAfter: '2m'",
    '`useLease` is called `lease` here, in the definition of the type',
    '`handOffStopMessage` is not needed: `self.signal` tells a command that it has to end',
    '`props` is `state` and `commands` here',
    '`typeName` is the first argument of defineEntity',
  ])
})
