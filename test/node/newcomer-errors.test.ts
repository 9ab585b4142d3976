import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { open } from 'lmdb'
import { describe, expect, test } from 'vitest'
import { defineEntity, entityType } from '../../src/entity/index.ts'
import type { NodeOptions, SherdNode } from '../../src/node/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { Counter, nodeFor, refusalOf, temporaryFolder } from './nodes.ts'

const soon = {
  cluster: {
    joinDeadlineMs: 1_500,
    seedTimeoutMs: 500,
    seedRetryIntervalMs: 100,
    joinTimeoutMs: 500,
  },
}
const secret = 'a secret of sixteen characters'

describe('a node that cannot join says why', () => {
  test('when no seed can be reached', async () => {
    const error = await refusalOf({ entities: [Counter], seeds: ['127.0.0.1:1'], settings: soon })
    expect(error).toMatchObject({ code: 'JOIN_FAILED' })
    expect(error.message).toContain('could not join a cluster')
    expect(error.message).toContain('127.0.0.1:1')
    expect(error.message).toContain('Check that the seeds run, that their addresses are right')
    expect(error.message).not.toContain('no answer from')
  })

  test('when a seed has a name that nobody knows', async () => {
    const seeds = ['nobody-knows-this.invalid:1']
    const error = await refusalOf({ seeds, settings: soon })
    expect(error).toMatchObject({
      code: 'JOIN_FAILED',
      reasons: [
        expect.stringMatching(
          /^nobody-knows-this\.invalid:1 has a host name that cannot be resolved: correct it, or make it known to DNS or \/etc\/hosts \((ENOTFOUND|EAI_AGAIN)\)$/,
        ),
      ],
    })
    expect(error.message).toContain('nobody-knows-this.invalid:1 has a host name that cannot be')
  })

  test('when it is stopped before it is let in', async () => {
    let begun: (node: SherdNode) => void = () => undefined
    const joining = new Promise<SherdNode>((resolve) => (begun = resolve))
    const refusal = refusalOf({ seeds: ['127.0.0.1:1'], beforeJoin: (node) => begun(node) })
    void (await joining).stop()
    const error = await refusal
    expect(error).toMatchObject({ code: 'NEVER_UP' })
    expect(error.message).toMatch(
      /^127\.0\.0\.1:\d+#\w+ was stopped before a cluster had let it in\. Start it again when it is to join\.$/,
    )
    expect(error.stack).toBe(`NeverUp: ${error.message}`)
  })

  test('when one of its entity types has another number of shards', async () => {
    const store = new MemoryJournal()
    const seed = await nodeFor({ entities: [Counter], store })
    const Other = { ...Counter, numberOfShards: 7 }
    const seeds = [seed.address]
    const error = await refusalOf({ entities: [Other], store, seeds })
    expect(error).toMatchObject({
      code: 'INCOMPATIBLE_SETTINGS',
      problems: [
        'the entity Counter: its numberOfShards is 7, that of the cluster 128; give all nodes the same and restart this one',
      ],
    })
    // One that only calls has started, and hears it with its calls.
    const web = await nodeFor({ proxies: [Other], store, seeds })
    const call = web.entity(Other, 'a').get()
    await expect(call).rejects.toMatchObject({ code: 'ENTITY_UNAVAILABLE', mayHaveHappened: false })
    await expect(call).rejects.toThrow(/restart this one\. Nothing of it has happened\.$/)
    expect(await seed.entity(Counter, 'a').increment(1)).toBe(1)
  })

  test('when the seed belongs to another cluster', async () => {
    const { address } = await nodeFor({ name: 'shop' })
    const error = await refusalOf({ name: 'bank', seeds: [address], settings: soon })
    expect(error.message).toContain(`${address} belongs to a different cluster than "bank"`)
    expect(error.message).toContain(
      'Give both nodes the same cluster name (option `name` of startNode)',
    )
  })

  test('when the seed has a different secret', async () => {
    const { address } = await nodeFor({ secret })
    const seeds = [address]
    const error = await refusalOf({ secret: `${secret}!`, seeds, settings: soon })
    expect(error.message).toContain(
      `${address} has a different secret than this node. Give every node of the cluster the same one. While it is replaced, all nodes list the old one and the new one.`,
    )
    const without = await refusalOf({ seeds, settings: soon })
    expect(without.message).toContain(
      'demands a secret and this node has none. Give this node the secret of the cluster.',
    )
  })
})

describe('a node that cannot listen says why', () => {
  test('when the port is taken', async () => {
    const { address } = await nodeFor({})
    const port = Number(address.split(':')[1])
    const error = await refusalOf({ port })
    expect(error.message).toBe(
      `Cannot listen on 127.0.0.1:${port}: another process listens there; is this node already running? Choose another port, or 0 for any free one.`,
    )
  })

  test('when the name of its host means nothing', async () => {
    const host = 'nobody-knows-this.invalid'
    const error = await refusalOf({ host, secret })
    expect(error).toMatchObject({ code: 'HOST_NOT_OURS', host })
    expect(error.message).toContain(`the name ${host} cannot be resolved (E`)
  })

  test('when other machines could reach it without a secret', async () => {
    const error = await refusalOf({ host: '0.0.0.0', advertised: { host: '10.0.0.7' } })
    expect(error.message).toContain('whoever reaches it could join the cluster')
    expect(error.message).toContain('Give every node the same `secret`')
  })

  test('when that is all its host says, and says how others reach it as well', async () => {
    const error = await refusalOf({ host: '0.0.0.0' })
    expect(error).toMatchObject({ code: 'INSECURE_BIND' })
    expect(error.message).toContain('Give every node the same `secret`')
    expect(error.message).toContain('Besides, others cannot reach 0.0.0.0: give advertised.host')
  })
})

describe('a store that cannot be used is named', () => {
  test('when its folder cannot be made', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, 'not a folder')
    const folder = join(file, 'data')
    const error = await refusalOf({ entities: [Counter], store: { folder } })
    expect(error).toMatchObject({ code: 'JOURNAL_FOLDER_UNUSABLE' })
    expect(error.message).toMatch(
      /The journal cannot use the folder .* it, or something above it, is a file; .*choose another folder\.$/,
    )
  })

  test('when its folder may not be written', async () => {
    const folder = temporaryFolder()
    mkdirSync(folder, { mode: 0o500, recursive: true })
    const isRoot = process.getuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    const error = await refusalOf({ entities: [Counter], store: { folder } }).finally(() => {
      if (isRoot) process.seteuid?.(0)
    })
    expect(error).toMatchObject({ code: 'JOURNAL_FOLDER_UNUSABLE' })
    expect(error.message).toContain('this user may not write there; change its owner or mode, or')
  })

  test('when something else lies in it', async () => {
    const folder = temporaryFolder()
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'data.mdb'), 'x'.repeat(100_000))
    const error = await refusalOf({ entities: [Counter], store: { folder } })
    expect(error).toMatchObject({ code: 'JOURNAL_CORRUPTED' })
    expect(error.message).toContain(`The journal in ${folder} is damaged: data.mdb is not an LMDB`)
    expect(error.message).toContain('Restore it from a copy; do not go on writing.')
  })
})

test('a store of another version is named, with what to do', async () => {
  const folder = temporaryFolder()
  const node = await nodeFor({ entities: [Counter], store: { folder } })
  await node.entity(Counter, 'a').increment(1)
  await node.stop()
  const store = open({ path: folder, noSubdir: false, overlappingSync: false })
  const meta = store.openDB('meta', { encoding: 'binary', keyEncoding: 'binary' })
  meta.putSync(Buffer.from('format'), Buffer.from('sherd journal, format 9'))
  await store.close()
  const error = await refusalOf({ entities: [Counter], store: { folder } })
  expect(error).toMatchObject({ code: 'JOURNAL_FORMAT_MISMATCH' })
  expect(error.message).toMatch(
    /holds "sherd journal, format 9", written by a newer version of Sherd; this version of Sherd reads ("sherd journal, format \d+",? )+and "sherd journal, format \d+"\. Use the version that wrote it, or another folder\.$/,
  )
})

describe('a store that the others do not use is named', () => {
  const seedWith = (store: NodeOptions['store'] & {}) =>
    nodeFor({ entities: [Counter], store, port: 0 })
  const words = [
    'the nodes of a cluster share one store',
    'the cluster another one. Give all nodes of this host the same `store.folder`',
    'nodes on several hosts need a shared store, which is not there yet',
    "with 'memory' share one journal object",
  ]

  test('when it is another folder', async () => {
    const { address } = await seedWith({ folder: temporaryFolder() })
    const folder = temporaryFolder()
    const error = await refusalOf({ entities: [Counter], store: { folder }, seeds: [address] })
    expect(error).toMatchObject({ code: 'INCOMPATIBLE_SETTINGS' })
    for (const text of [...words, `this node uses the folder ${folder}`]) {
      expect(error.message).toContain(text)
    }
  })

  test('and is removed when it was made just now, or whoever misses the lost one would take it for that', async () => {
    const { address } = await seedWith({ folder: temporaryFolder() })
    const folder = join(temporaryFolder(), 'lost')
    const refuse = () => refusalOf({ entities: [Counter], store: { folder }, seeds: [address] })
    expect(await refuse()).toMatchObject({ code: 'INCOMPATIBLE_SETTINGS' })
    expect(existsSync(folder)).toBe(false)
    mkdirSync(folder)
    expect(await refuse()).toMatchObject({ code: 'INCOMPATIBLE_SETTINGS' })
    expect(readdirSync(folder)).toEqual([])
    const alone = await nodeFor({ entities: [Counter], store: { folder } })
    await alone.stop()
    expect(await refuse()).toMatchObject({ code: 'INCOMPATIBLE_SETTINGS' })
    expect(readdirSync(folder)).toContain('data.mdb')
  })

  test('when it is memory, or another journal in memory', async () => {
    const { address } = await seedWith('memory')
    const memory = await refusalOf({ entities: [Counter], store: 'memory', seeds: [address] })
    for (const text of [...words, "this node uses 'memory'"]) expect(memory.message).toContain(text)
    const store = new MemoryJournal()
    const journal = await refusalOf({ entities: [Counter], store, seeds: [address] })
    for (const text of [...words, 'this node uses a journal object']) {
      expect(journal.message).toContain(text)
    }
  })

  test('also when it asks a member that has no entities', async () => {
    const { address } = await seedWith('memory')
    const proxy = await nodeFor({ proxies: [Counter], seeds: [address] })
    const error = await refusalOf({ entities: [Counter], seeds: [proxy.address] })
    expect(error.message).toContain(words[0])
    expect(await proxy.entity(Counter, 'a').increment(2)).toBe(2)
  })
})

describe('a call that cannot be says why', () => {
  test('when an argument cannot travel', async () => {
    const node = await nodeFor({ entities: [Counter] })
    const wrong = node.entity(Counter, 'a').increment((() => 2) as never)
    await expect(wrong).rejects.toThrow(
      'increment: args[0] is a function and cannot travel; send data only',
    )
  })

  test('when there is no such command', async () => {
    const node = await nodeFor({ entities: [Counter] })
    const counter = node.entity(Counter, 'a') as unknown as { incremnt(by: number): Promise<void> }
    await expect(counter.incremnt(1)).rejects.toThrow(
      "Counter 'a': incremnt is not a command of Counter. Its commands are increment, get, fail; does every node run the same version?",
    )
  })

  test('when the entity throws', async () => {
    const node = await nodeFor({ entities: [Counter] })
    await expect(node.entity(Counter, 'a').fail('too much')).rejects.toThrow(
      "Counter 'a': fail failed: too much",
    )
  })

  test('when the id cannot be one', async () => {
    const node = await nodeFor({ entities: [Counter] })
    expect(() => node.entity(Counter, '')).toThrow("'' cannot be an entity id: it is empty.")
    expect(() => node.entity(Counter, 7 as never)).toThrow('it is not a string')
    expect(() => node.entity(Counter, 'x'.repeat(600))).toThrow('512 are allowed')
  })

  test('when the node was not told of the type', async () => {
    const node = await nodeFor({ entities: [Counter] })
    expect(() => node.entity('Counter' as never, 'a')).toThrow(
      "'Counter' is not an entity type. Give the definition itself",
    )
    expect(() => node.entity(undefined as never, 'a')).toThrow('undefined is not an entity type.')
    expect(inspect(node)).toBe(`SherdNode(${node.address})`)
    expect(() => node.entity(entityType('Cart'), 'a')).toThrow(
      "This node does not know the entity type 'Cart'; it knows Counter. Add it to `entities`, or to `proxies`",
    )
  })
})

describe('options that cannot be used are all told at once', () => {
  test('wrong settings', async () => {
    const error = await refusalOf({
      entities: [Counter, defineEntity('Counter', { state: () => 0, commands: {} })],
      port: 70_000,
      seeds: ['somewhere'],
      secret: 'short',
      name: 'my shop',
      settings: { sharding: { numberOfShards: 0 }, cluster: { gossipIntervalMs: -1 } },
      ...{ colour: 'red' },
    })
    expect(error).toMatchObject({ code: 'INVALID_SETTINGS' })
    for (const line of [
      'The options of startNode cannot be used:',
      "two entity types have the name 'Counter'; rename one",
      'port must be a whole number from 0 to 65535, not 70000',
      "seeds: 'somewhere' is not a host:port such as 10.0.0.7:2552",
      'secret must have at least 16 characters; draw it at random',
      'name must be a text of 1 to 100 letters',
      'settings.sharding.numberOfShards must be a whole number of at least 1, not 0',
      'settings.cluster.gossipIntervalMs',
      'colour is not an option; known: entities',
    ]) {
      expect(error.message).toContain(line)
    }
  })

  test('a type without its implementation, and a store that is none', async () => {
    const error = await refusalOf({
      entities: [entityType('Cart') as never, 5 as never],
      store: { file: 'x' } as never,
    })
    expect(error.message).toContain('Cart has no implementation: put it into proxies')
    expect(error.message).toContain('5 is not an entity; make it with defineEntity or entityType')
    expect(error.message).toContain(
      "store must be { folder: '…' }, 'postgres://…', { postgres: { url: '…' } }, 'memory', a journal or a function that opens one, not { file: 'x' }",
    )
  })

  test('what is not there yet', async () => {
    expect((await refusalOf({ dashboard: {} } as never)).message).toBe(
      '`dashboard` is not there yet in this version of Sherd. Read `node.cluster.state` and `node.explain`.',
    )
  })

  test.each([
    ...['distributedData', 'allocation', 'allocationStrategy', 'leases'],
    ...['reliableDelivery', 'queries', 'dashboard', 'management', 'dataCenter'],
  ])('what is not there yet: %s', async (option) => {
    const error = await refusalOf({ [option]: {} })
    expect(error).toMatchObject({ code: 'NOT_THERE_YET', option: `\`${option}\`` })
    expect(error.message).toMatch(/^`\w+` is not there yet in this version of Sherd\. .+\.$/)
  })

  test.each([
    ['downing', '`downing` belongs in settings.cluster'],
    ['downingStrategy', '`downingStrategy` is `settings.cluster.downing.strategy` here'],
  ])('what belongs to the settings: %s', async (option, words) => {
    expect((await refusalOf({ [option]: {} })).message).toContain(words)
  })

  test.each(['rememberEntities', 'lease'])('what belongs to a definition: %s', async (option) => {
    const error = await refusalOf({ [option]: true })
    expect(error.message).toContain(`\`${option}\` belongs to defineEntity, not to startNode`)
  })

  test.each([['sharding.stateStoreMode', { sharding: { stateStoreMode: 'ddata' } }]])(
    'what is not there yet in the settings: %s',
    async (path, settings) => {
      const error = await refusalOf({ settings } as never)
      expect(error.message).toContain(`\`settings.${path}\` is not there yet`)
    },
  )
})
