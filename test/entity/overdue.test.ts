/** A call whose caller has given up before its turn came is not begun. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { EntityHandle } from '../../src/entity/index.ts'
import {
  answerLostCalls,
  entityBehavior,
  type EntityCall,
  EntityCalls,
  EntityWorld,
} from '../../src/entity/internals.ts'
import { isEntityCall } from '../../src/entity/entity-wire.ts'
import { show } from '../../src/foundation/show.ts'
import { defaultEventSourcedSettings, RecoveryPermits } from '../../src/persistence/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { EntityTypeKey } from '../../src/sharding/index.ts'
import { play, type Scene, type ShardingNode } from '../sharding/scene.ts'
import { busyEntities } from './busy-entities.ts'
import { outcome, Stage } from './stage.ts'

const { Plain, Durable, commands, held, begun, goOn, forget } = busyEntities()

beforeEach(forget)

describe('on the node of its caller', () => {
  test.each([Plain, Durable])('$name: it becomes a dead letter', async (entity) => {
    await using stage = new Stage()
    const holding = outcome(stage.call(entity, 'a', { timeout: '1h' }).hold())
    await stage.settle()
    const late = outcome(stage.call(entity, 'a', { timeout: '2s' }).note('late'))
    const controller = new AbortController()
    const options = { timeout: '1h', signal: controller.signal }
    const aborted = outcome(stage.call(entity, 'a', options).note('aborted'))
    const patient = outcome(stage.call(entity, 'a', { timeout: '1h' }).note('patient'))
    await stage.time.advance('2s')
    controller.abort()
    expect(await late).toMatchObject({ code: 'CALL_TIMEOUT', mayHaveHappened: true })
    expect(await aborted).toMatchObject({ code: 'CALL_ABORTED', mayHaveHappened: true })
    goOn()
    await stage.settle()
    expect(await Promise.all([holding, patient])).toEqual([undefined, undefined])
    expect(begun).toEqual(['patient'])
    expect(stage.system.runtime.deadLetterLog.counts()).toEqual({ 'Dropped/expired': 2 })
  })

  test('many that waited for the store do not keep those behind them waiting', async () => {
    await using stage = new Stage()
    const many = defaultEventSourcedSettings.unstoredCommandsMax + 1
    stage.journal.stall()
    const late = Array.from({ length: many }, () =>
      outcome(stage.call(Durable, 'a', { timeout: '2s' }).note('late')),
    )
    const patient = stage.call(Durable, 'a', { timeout: '1h' }).note('patient')
    await stage.time.advance('2s')
    expect((await Promise.all(late)).at(-1)).toMatchObject({ code: 'CALL_TIMEOUT' })
    stage.journal.flow()
    await stage.settle()
    expect(await patient).toBeUndefined()
    expect(begun).toEqual(['patient'])
  })

  test('a command that has begun goes on', async () => {
    await using stage = new Stage()
    const gone = outcome(stage.call(Plain, 'a', { timeout: '1s' }).hold())
    await stage.settle()
    await stage.time.advance('1s')
    expect(await gone).toMatchObject({ code: 'CALL_TIMEOUT' })
    expect(held).toHaveLength(1)
    goOn()
  })
})

const key = new EntityTypeKey<EntityCall>('Plain')
const routing = { role: 'host', settings: { numberOfShards: 1 } }

function worldOf({ journal, id }: ShardingNode): EntityWorld {
  return new EntityWorld({
    ...{ journal, codec: new ValueCodec({ use: 'stored' }), writer: id },
    recoveryPermits: new RecoveryPermits(),
  })
}

function host(node: ShardingNode): void {
  const world = worldOf(node)
  const { sharding } = node
  const { answered, work } = world
  answerLostCalls({ sharding, answered, work, isOurs: () => true })
  const behaviorOf = entityBehavior(Plain, world)
  sharding.init({ key, ...routing, behavior: ({ entityId }) => behaviorOf(entityId) })
}

const onlyCalls = ({ sharding }: ShardingNode): void =>
  void sharding.startProxy({ entityType: 'Plain', ...routing })

function callOn(node: ShardingNode, timeout: '30s' | '2s'): EntityHandle<typeof commands> {
  const calls = new EntityCalls({
    system: node.system,
    travelling: worldOf(node).travelling,
    targetOf: (_entityType, id) => node.sharding.entityRefFor(key, id),
    explain: async () => 'nobody knows.',
    isStopping: () => false,
  })
  return calls.handle(Plain, 'a', { timeout })
}

const startHost = (scene: Scene, name = 'b') => scene.start(name, { init: host, roles: ['host'] })

/** A node that calls, in a cluster whose only host has gone. */
async function lonely(scene: Scene): Promise<ShardingNode> {
  await startHost(scene)
  const a = await scene.start('a', { init: onlyCalls })
  await scene.start('c', { init: onlyCalls })
  scene.simulation.crash('b')
  scene.nodes.shift()
  const isAlone = (): boolean => a.cluster.state.members.length === 2
  await scene.simulation.runUntil(isAlone, { within: '60s', what: 'b is removed' })
  return a
}

/** Many seeds, each with a fresh page. */
const playAnew = (act: (scene: Scene) => Promise<void>): Promise<void> =>
  play(async (scene) => {
    forget()
    await act(scene)
  })

/** Why calls were lost there. */
const reasons = ({ lost }: ShardingNode): string[] =>
  lost.flatMap((event) =>
    event.type !== 'UnhandledMessage' && isEntityCall(event.message) ? event.reason : [],
  )

describe('from another node', () => {
  test('it counts the time from its arrival', async () => {
    await playAnew(async (scene) => {
      const b = await startHost(scene)
      const a = await scene.start('a', { init: onlyCalls })
      const holding = outcome(callOn(a, '30s').hold())
      await scene.simulation.runUntil(() => held.length === 1, { what: 'the entity is busy' })
      const late = outcome(callOn(a, '2s').note('late'))
      const patient = outcome(callOn(a, '30s').note('patient'))
      expect(await scene.settle(late)).toMatchObject({ code: 'CALL_TIMEOUT' })
      await scene.simulation.run({ for: '1s' })
      goOn()
      await scene.settle(Promise.all([holding, patient]))
      expect(begun).toEqual(['patient'])
      expect([reasons(a), reasons(b)]).toEqual([[], ['expired']])
    })
  })

  test('it does not leave its node when it has waited there for too long', async () => {
    await playAnew(async (scene) => {
      const a = await lonely(scene)
      const late = outcome(callOn(a, '2s').note('late'))
      const patient = outcome(callOn(a, '30s').note('patient'))
      expect(await scene.settle(late)).toMatchObject({ code: 'CALL_TIMEOUT' })
      const d = await startHost(scene, 'd')
      expect(await scene.settle(patient)).toBeUndefined()
      expect(begun).toEqual(['patient'])
      expect([reasons(a), reasons(d)]).toEqual([['expired'], []])
    })
  })

  test('it does not leave its node when it has waited there for a connection', async () => {
    await playAnew(async (scene) => {
      const b = await startHost(scene)
      const a = await scene.start('a', { init: onlyCalls })
      await scene.start('c', { init: onlyCalls })
      await scene.settle(callOn(a, '2s').note('before'))
      const { network } = scene.simulation
      network.reset('a', 'b')
      network.cut('a', 'b')
      // What is given to a connection before its end is noticed is lost with it.
      await scene.simulation.run({ for: '100ms' })
      const late = outcome(callOn(a, '2s').note('late'))
      const patient = outcome(callOn(a, '30s').note('patient'))
      expect(await scene.settle(late)).toMatchObject({ code: 'CALL_TIMEOUT' })
      network.heal()
      expect(await scene.settle(patient)).toBeUndefined()
      expect(begun).toEqual(['before', 'patient'])
      expect([reasons(a), reasons(b)]).toEqual([['expired'], []])
    })
  })

  test('it takes along what is left of its time when it has waited', async () => {
    await playAnew(async (scene) => {
      const a = await lonely(scene)
      const holding = outcome(callOn(a, '30s').hold())
      const late = outcome(callOn(a, '30s').note('late'))
      await scene.simulation.run({ for: '10s' })
      const d = await startHost(scene, 'd')
      await scene.simulation.runUntil(() => held.length === 1, { what: 'the entity is busy' })
      const ends = await scene.settle(Promise.all([holding, late]))
      expect(ends).toMatchObject([{ code: 'CALL_TIMEOUT' }, { code: 'CALL_TIMEOUT' }])
      // Thirty seconds from its arrival are far away.
      await scene.simulation.run({ for: '1s' })
      goOn()
      await scene.settle(callOn(a, '2s').note('next'))
      expect(begun).toEqual(['next'])
      expect(reasons(d)).toEqual(['expired'])
    })
  })

  test('what is no time is no limit', async () => {
    await playAnew(async (scene) => {
      await startHost(scene)
      const a = await scene.start('a', { init: onlyCalls })
      const entity = a.sharding.entityRefFor(key, 'a')
      for (const remainingMs of [Number.NaN, Infinity, '0', null, undefined, {}]) {
        const made = { version: 1, command: 'note', args: [show(remainingMs)], remainingMs }
        const asked = entity.ask((replyTo) => ({ ...made, replyTo }) as unknown as EntityCall)
        expect(await scene.settle(asked)).toMatchObject({ type: 'Answered' })
      }
      expect(begun).toHaveLength(6)
    })
  })
})
