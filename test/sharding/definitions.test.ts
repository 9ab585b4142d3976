import { expect, test } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import { InvalidSettings } from '../../src/foundation/invalid-settings.ts'
import {
  EntityTypeKey,
  HashCodeMessageExtractor,
  type KeyedDefinition,
} from '../../src/sharding/index.ts'
import { play } from './scene.ts'

const behavior = () => Behaviors.ignore

/** As somebody without types may write them. */
const wrong: readonly (readonly [what: string, given: object, named: string])[] = [
  ['no behavior', {}, 'behavior'],
  ['a misspelt one', { behaviour: behavior }, 'behaviour'],
  ['a behavior that is no function', { behavior: 5 }, 'behavior'],
  ['a strategy that is a name', { behavior, allocationStrategy: 'least' }, 'allocationStrategy'],
  ['an extractor without its functions', { behavior, extractor: {} }, 'extractor'],
  ['a function that is none', { behavior, extractShardId: 5 }, 'extractShardId'],
  [
    'an extractor and functions',
    { behavior, extractor: new HashCodeMessageExtractor(12), extractShardId: () => 1 },
    'give the extractor alone, or functions',
  ],
  ['a role that is no text', { behavior, role: 5 }, 'role'],
  ['a word that is none', { behavior, stopMesage: 'bye' }, 'stopMesage'],
]

test.each(wrong)('a definition with %s is refused when it is given', async (_, given, named) => {
  await play(
    async (scene) => {
      const { sharding } = await scene.start('a')
      const definition = { key: new EntityTypeKey('Cart'), ...given } as KeyedDefinition<unknown>
      expect(() => sharding.init(definition)).toThrow(named)
      expect([...sharding.entityTypes]).toEqual([])
    },
    { seeds: 1 },
  )
})

type Door = 'init' | 'start' | 'startProxy'

test('every problem of a definition is told at once, at each door', async () => {
  await play(
    async (scene) => {
      const { sharding } = await scene.start('a')
      const doors = sharding as Readonly<Record<Door, (given: unknown) => unknown>>
      const problemsOf = (door: Door, given: unknown) => {
        try {
          doors[door](given)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidSettings)
          return (error as InvalidSettings).problems
        }
        return []
      }
      const slips = {
        allocationStrategy: {},
        extractor: null,
        role: '',
        settings: { numberOfShards: 0 },
      }
      const problems = [
        'allocationStrategy lacks the functions allocateShard, rebalance',
        'extractor must be an object with the functions entityId, shardId, unwrapMessage, not null',
        "role must be a text, not ''",
        'numberOfShards must be a whole number of at least 1, not 0',
      ]
      const noBehavior =
        'behavior must be a function that makes the behavior of one entity, such as ({ entityId }) => …, not undefined; where none should live, use startProxy'
      expect(problemsOf('init', { key: 'Cart', ...slips, entityType: 'Cart' })).toEqual([
        "key must be an EntityTypeKey, not 'Cart'",
        noBehavior,
        ...problems,
        'entityType is not an option; known: key, behavior, stopMessage, allocationStrategy, passivation, rememberEntities, lease, extractor, extractEntityId, extractShardId, extractorId, role, coordinatorRole, settings',
      ])
      expect(problemsOf('start', { ...slips, entityType: 'a|b' })).toEqual([
        'entityType cannot be used: it contains the character |',
        noBehavior,
        ...problems,
      ])
      expect(problemsOf('startProxy', { entityType: 'Cart', behavior, settings: 5 })).toEqual([
        'settings must be an object, not 5',
        'behavior is not an option; known: entityType, extractor, extractEntityId, extractShardId, extractorId, role, coordinatorRole, settings',
      ])
      for (const door of ['init', 'start', 'startProxy'] satisfies Door[]) {
        expect(problemsOf(door, undefined)).toEqual(['it must be an object, not undefined'])
      }
      expect([...sharding.entityTypes]).toEqual([])
    },
    { seeds: 1 },
  )
})

const brought: readonly (readonly [given: object, words: string])[] = [
  [{ handOffStopMessage: 'bye' }, '`handOffStopMessage` is called `stopMessage` here'],
  [{ messageExtractor: {} }, '`messageExtractor` is called `extractor` here'],
  [
    { typeName: 'Cart' },
    '`typeName` is called `entityType` here, and in `init` it is in the `key`',
  ],
  [{ useLease: true }, '`useLease` is called `lease` here, in the definition of the type'],
  [{ bufferedMessagesMax: 5 }, '`bufferedMessagesMax` belongs in settings'],
  [
    { settings: { passivateIdleEntityAfter: '2min' } },
    '`passivateIdleEntityAfter` is called `passivateIdleAfterMs` here, among the settings of sharding',
  ],
  [
    { settings: { 'passivate-idle-entity-after': 'off' } },
    '`passivate-idle-entity-after` is called `passivateIdleAfterMs` here, among the settings of sharding',
  ],
  [
    { settings: { 'rebalance-threshold': 1 } },
    'an option of `ThresholdLeastShardAllocationStrategy`',
  ],
  [{ settings: { 'handoff-timeout': 1 } }, 'did you mean `handOffTimeoutMs`?'],
  [{ stateStoreMode: 'ddata' }, 'Coordinators keep what they decide in the journal.'],
]

test.each(brought)(
  'what is called otherwise elsewhere is told by our name: %o',
  async (given, words) => {
    await play(
      async (scene) => {
        const { sharding } = await scene.start('a')
        const definition = { key: new EntityTypeKey('Cart'), behavior, ...given }
        expect(() => sharding.init(definition)).toThrow(words)
        expect([...sharding.entityTypes]).toEqual([])
      },
      { seeds: 1 },
    )
  },
)

test('what does not go together is refused before anything starts', async () => {
  await play(
    async (scene) => {
      const { sharding } = await scene.start('a')
      const extractor = new HashCodeMessageExtractor(12)
      const key = new EntityTypeKey('Cart')
      const init = () =>
        sharding.init({ key, behavior, extractor, settings: { numberOfShards: 8 } })
      expect(init).toThrow('extractor is for 12 shards, which must be at most numberOfShards (8)')
      expect([...sharding.entityTypes]).toEqual([])
    },
    { seeds: 1 },
  )
})
