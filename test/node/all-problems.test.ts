import { expect, test } from 'vitest'
import { InvalidSettings } from '../../src/actor/index.ts'
import { defaultDowningSettings } from '../../src/cluster/index.ts'
import { defineEntity } from '../../src/entity/index.ts'
import { type NodeOptions, startNode } from '../../src/node/index.ts'
import { Counter, nodeFor, refusalOf } from './nodes.ts'

/** As somebody without types may call it. */
const refusalOfAnything = async (options: unknown): Promise<InvalidSettings> => {
  const refusal: unknown = await startNode(options as NodeOptions).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(InvalidSettings)
  return refusal as InvalidSettings
}

test.each([undefined, null, 'counter', 5, [Counter]])(
  '%s is no set of options',
  async (options) => {
    const { message } = await refusalOfAnything(options)
    expect(message).toContain('they must be an object such as { entities: [Counter] }, not ')
  },
)

test('the problems of all rooms are told at once, before anything starts', async () => {
  const { problems } = await refusalOfAnything({
    entities: Counter,
    host: '0.0.0.0',
    secret: 'short',
    advertised: { port: 70_000 },
    seeds: ['10.0.0.7', 'node_1:2552'],
    roles: [''],
    appVersion: 'latest',
    beforeJoin: 'soon',
    environment: { loger: {}, logger: {}, clock: null },
    transport: { listen: () => undefined },
    settings: {
      actor: { askTimeoutMs: 0 },
      remote: { queueBytesMax: -1, serialization: { depthMax: 0 } },
      cluster: { downing: { stableAfterMs: 1 } },
      singleton: { retryIntervalMs: 0, stopTimeoutMs: 7_000 },
      sharding: { numberOfShards: 0, gracefulShutdownTimeoutMs: 7_000 },
      entity: { stashedCommandsMax: 0 },
      journal: { commitTimeoutMs: 'long' },
      concurrentRecoveriesMax: 0,
    },
  })
  expect(problems).toEqual([
    'secret must have at least 16 characters; draw it at random',
    "seeds: '10.0.0.7' is not a host:port such as 10.0.0.7:2552",
    "seeds: 'node_1:2552' is not a host:port such as 10.0.0.7:2552",
    'roles must be a list of at most 100 texts, none of them empty',
    expect.stringMatching(/^appVersion must be one to four numbers .* not 'latest'$/),
    '`environment.loger` is not known; did you mean `environment.logger`?',
    'environment.clock must be an object with the functions monotonicMs, wallMs, not null',
    'environment.logger lacks the functions trace, debug, info, warn, error',
    'transport lacks the function connect',
    "beforeJoin must be a function, not 'soon'",
    'settings.actor.askTimeoutMs must be a positive number of milliseconds, not 0',
    'settings.remote.queueBytesMax must be a whole number of at least 1, not -1',
    'settings.remote.serialization.depthMax must be a whole number from 1 to 1000, not 0',
    expect.stringContaining('settings.cluster.downing.stableAfterMs (1) must be at least'),
    expect.stringContaining('settings.singleton.retryIntervalMs must be'),
    expect.stringContaining('settings.singleton.stopTimeoutMs (7000) and actor.handlerStop'),
    expect.stringContaining('settings.sharding.numberOfShards must be'),
    expect.stringContaining('settings.sharding.gracefulShutdownTimeoutMs (7000) and actor.handler'),
    'settings.entity.stashedCommandsMax must be a whole number of at least 1, not 0',
    "settings.journal.commitTimeoutMs must be a whole number of at least 1, not 'long'",
    'settings.concurrentRecoveriesMax must be a whole number of at least 1, not 0',
    'advertised.port must be a whole number from 0 to 65535, not 70000',
    'others cannot reach 0.0.0.0: give advertised.host, the name or address they use',
    'entities must be a list, such as [Counter]',
  ])
})

test('a name that is none is refused in every section, with those there are', async () => {
  const names = ['actor', 'remote', 'cluster', 'singleton', 'sharding', 'entity', 'journal']
  const settings = Object.fromEntries(names.map((name) => [name, { colour: 'red' }]))
  const { problems } = await refusalOfAnything({ settings: { ...settings, network: {} } })
  expect(problems).toHaveLength(1 + names.length)
  expect(problems[0]).toContain('settings.network is not a setting; known: actor, remote, ')
  for (const [index, name] of names.entries()) {
    const known = `^settings\\.${name}\\.colour is not a setting; known: \\w+, `
    expect(problems[index + 1]).toMatch(new RegExp(known))
  }
})

test('a section that is no object is told, and so is what two sections do not agree on', async () => {
  const { problems } = await refusalOfAnything({
    settings: {
      actor: 5,
      cluster: { downing: 'fast' },
      entity: { appendEventsMax: 512 },
      journal: { appendEventsMax: 128 },
    },
  })
  expect(problems).toEqual([
    'settings.actor must be an object, not 5',
    "settings.cluster.downing must be an object, not 'fast'",
    'settings.entity.appendEventsMax (512) must be at most settings.journal.appendEventsMax (128), or such an append is refused',
    'settings.journal.appendEventsMax (128) must be at least what a coordinator appends at once (256), or coordinators cannot store what they decide',
  ])
})

test('what lets others in without a secret is told with the rest', async () => {
  const error = await refusalOf({ host: '10.0.0.7', port: -1 })
  expect(error.message).toContain('port must be a whole number')
  expect(error.message).toContain('10.0.0.7 can be reached from other machines')
})

test('settings for downing may be given in part', async () => {
  const settings = { cluster: { downing: { stableAfterMs: 3_000 } } }
  const { cluster } = await nodeFor({ settings })
  expect(cluster.settings.downing).toMatchObject({
    stableAfterMs: 3_000,
    downAllWhenUnstableMs: 'by-size',
  })
})

test('settings for downing may be given whole, with a strategy that there is', async () => {
  const { cluster } = await nodeFor({ settings: { cluster: { downing: defaultDowningSettings } } })
  expect(cluster.settings.downing).toEqual(defaultDowningSettings)
  const downing = { strategy: 'auto-down' }
  const { problems } = await refusalOfAnything({ settings: { cluster: { downing } } })
  expect(problems).toEqual([
    expect.stringMatching(
      /^settings\.cluster\.downing\.strategy must be one of .*keep-majority.*, not 'auto-down'$/,
    ),
  ])
})

test('what is undefined in the options of a node, an entity or a call is not given', async () => {
  const names = ['proxies', 'name', 'host', 'port', 'seeds', 'secret', 'insecure', 'roles']
  const others = ['appVersion', 'transport', 'beforeJoin']
  const undefineds = Object.fromEntries([...names, ...others].map((name) => [name, undefined]))
  const rooms = ['remote', 'cluster', 'singleton', 'sharding', 'entity', 'journal']
  const settings = Object.fromEntries(rooms.map((name) => [name, undefined]))
  const options = { role: undefined, numberOfShards: undefined, passivateAfter: undefined }
  const Bell = defineEntity('Bell', {
    ...options,
    state: () => 0,
    commands: { ring: () => 'ding' },
  })
  const node = await nodeFor({
    ...{ ...undefineds, entities: [Bell], store: 'memory' },
    advertised: { host: undefined, port: undefined },
    settings: { ...settings, concurrentRecoveriesMax: undefined },
  })
  const bell = node.entity(Bell, 'a', { timeout: undefined, signal: undefined })
  expect(await bell.ring()).toBe('ding')
  expect(node.address).toMatch(/^127\.0\.0\.1:/)
})

test('what is undefined in the environment is not given', async () => {
  const names = ['clock', 'timers', 'random', 'dispatcher', 'process']
  const undefineds = Object.fromEntries(names.map((name) => [name, undefined]))
  const node = await nodeFor({ entities: [Counter], environment: undefineds })
  expect(await node.entity(Counter, 'a').increment(2)).toBe(2)
  expect(node.system.environment.clock.wallMs()).toBeGreaterThan(0)
})
