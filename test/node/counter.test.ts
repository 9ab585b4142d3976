import { describe, expect, test } from 'vitest'
import { defineEntity, entityType } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { LmdbJournal, MemoryJournal } from '../../src/persistence/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Counter, nodeFor, temporaryFolder, whenAll } from './nodes.ts'

const quick = {
  cluster: {
    heartbeatIntervalMs: 200,
    acceptableHeartbeatPauseMs: 800,
    gossipIntervalMs: 100,
    tickIntervalMs: 50,
    seedRetryIntervalMs: 100,
    seedTimeoutMs: 500,
    downing: { stableAfterMs: 1_000 },
  },
}

describe('the counter on one node', () => {
  test('is durable when it resolves', async () => {
    const store = { folder: temporaryFolder() }
    const first = await nodeFor({ entities: [Counter], store })
    expect(await first.entity(Counter, 'visits').increment(2)).toBe(2)
    await first.stop()
    const second = await nodeFor({ entities: [Counter], store })
    expect(await second.entity(Counter, 'visits').get()).toBe(2)
    expect(await second.entity(Counter, 'visits').increment(1)).toBe(3)
    expect(await second.entity(Counter, 'other').get()).toBe(0)
  })

  test('can be disposed of, stopped twice, and takes no calls afterwards', async () => {
    let kept: SherdNode
    {
      await using node = await nodeFor({ entities: [Counter] })
      expect(await node.entity(Counter, 'a').increment(1)).toBe(1)
      kept = node
    }
    await kept.stop()
    await expect(kept.entity(Counter, 'a').get()).rejects.toMatchObject({ code: 'NODE_STOPPING' })
  })

  test('may be one of more than a hundred types', async () => {
    const others = Array.from({ length: 100 }, (_, index) =>
      defineEntity(`Other${index}`, { state: () => 0, commands: { get: () => index } }),
    )
    const node = await nodeFor({ entities: [Counter, ...others] })
    expect(await node.entity(Counter, 'a').increment(1)).toBe(1)
  })

  test('is explained', async () => {
    const node = await nodeFor({ entities: [Counter] })
    await node.entity(Counter, 'a').increment(1)
    const { text, isHere, isRunning, homeAddress } = await node.explain(Counter, 'a')
    expect({ isHere, isRunning }).toEqual({ isHere: true, isRunning: true })
    expect(homeAddress).toBe(node.address)
    expect(text).toContain('lives on this node')
  })

  test('stops in good order on SIGTERM', async () => {
    let terminate: (signal: 'SIGTERM' | 'SIGINT') => void = () => undefined
    const exits: number[] = []
    const process = {
      onTerminationSignal: (listener: typeof terminate) => {
        terminate = listener
        return { remove: () => undefined }
      },
      onEscapedError: () => ({ remove: () => undefined }),
      exit: (code: number) => void exits.push(code),
      ...{ identity: undefined, isGone: () => false, isRunning: () => false },
    }
    const store = { folder: temporaryFolder() }
    const settings = { actor: { hookSignals: true } }
    const node = await nodeFor({ entities: [Counter], store, settings, environment: { process } })
    const counted = node.entity(Counter, 'a').increment(1)
    terminate('SIGTERM')
    expect(await counted).toBe(1)
    expect(await node.whenStopped).toEqual({ type: 'signal', signal: 'SIGTERM' })
    expect(exits).toEqual([])
    const next = await nodeFor({ entities: [Counter], store })
    expect(await next.entity(Counter, 'a').get()).toBe(1)
  })
})

describe('the counter on three nodes', () => {
  /** LMDB is opened once per process, so the nodes of one process share the journal. */
  async function three(
    logger = new CapturedLogs(),
  ): Promise<readonly [SherdNode, SherdNode, SherdNode]> {
    const store = new MemoryJournal()
    const options = { entities: [Counter], store, settings: quick }
    const a = await nodeFor({ ...options, environment: { logger } })
    const seeds = [a.address]
    const [b, c] = await Promise.all([
      nodeFor({ ...options, seeds }),
      nodeFor({ ...options, seeds }),
    ])
    const nodes = [a, b, c] as const
    await whenAll(nodes, isUpEverywhere)
    return nodes
  }

  const isUpEverywhere = ({ cluster }: SherdNode): boolean =>
    cluster.state.members.filter(({ status }) => status === 'Up').length === 3

  test('can be called from each of them, and lives once', async () => {
    const nodes = await three()
    const ids = Array.from({ length: 30 }, (_, number) => `c${number}`)
    for (const id of ids) {
      for (const node of nodes) await node.entity(Counter, id).increment(1)
    }
    const counts = await Promise.all(ids.map((id) => nodes[2].entity(Counter, id).get()))
    expect(counts).toEqual(ids.map(() => 3))
    const hosts = nodes.map(({ sharding }) => sharding.regionState('Counter').shards.length)
    expect(hosts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
    expect(hosts.filter((count) => count > 0).length).toBe(3)
  }, 60_000)

  test('answers again when one of them dies, with all that was acknowledged', async () => {
    const logs = new CapturedLogs()
    const [a, b, c] = await three(logs)
    const ids = Array.from({ length: 30 }, (_, number) => `c${number}`)
    for (const id of ids) expect(await b.entity(Counter, id).increment(1)).toBe(1)
    // As a process that is killed: nothing more is sent, and nobody is told.
    await c.remoting.stop()
    const isGone = ({ cluster }: SherdNode): boolean => cluster.state.members.length === 2
    await whenAll([a, b], isGone)
    for (const id of ids) {
      expect(await a.entity(Counter, id, { timeout: '20s' }).increment(1)).toBe(2)
    }
    // What the nodes say to each other all the time is counted when it is lost, and not worth a line.
    expect(Object.keys(a.system.lostMessageCounts).join()).toContain('DeadLetter/')
    expect(logs.matching('A message was lost')).toEqual([])
  }, 60_000)

  test('moves away from a node that leaves, and no call fails', async () => {
    const [a, b, c] = await three()
    const ids = Array.from({ length: 30 }, (_, number) => `c${number}`)
    for (const id of ids) await c.entity(Counter, id).increment(1)
    const stopped = c.stop()
    const calls = ids.map((id) => a.entity(Counter, id, { timeout: '20s' }).increment(1))
    expect(await Promise.all(calls)).toEqual(ids.map(() => 2))
    await stopped
    expect(await b.entity(Counter, 'c0').get()).toBe(2)
  }, 60_000)

  test('is called without a failure while one node after the other is replaced', async () => {
    const store = new MemoryJournal()
    const Hosted = { ...Counter, role: 'counters' }
    const logger = new CapturedLogs()
    const common = { entities: [Hosted], store, settings: quick, environment: { logger } }
    const gateway = await nodeFor(common)
    const options = { ...common, seeds: [gateway.address], roles: ['counters'] }
    let nodes = await Promise.all([1, 2, 3].map(() => nodeFor(options)))
    const progress = { isDone: false }
    const counters = Array.from({ length: 10 }, (_, number) =>
      gateway.entity(Hosted, `c${number}`, { timeout: '20s' }),
    )
    const calls = counters.map(async (counter) => {
      let count = 0
      while (!progress.isDone) expect(await counter.increment(1)).toBe(++count)
      return count
    })
    for (let turn = 0; turn < 3; turn++) {
      const [old, ...others] = nodes
      await old?.stop()
      nodes = [...others, await nodeFor(options)]
    }
    progress.isDone = true
    for (const count of await Promise.all(calls)) expect(count).toBeGreaterThan(0)
    // What a coordinator had begun to store when it was handed over is in the store for the next one.
    expect(logger.matching(/DeadLetter\(.*Coordinator/)).toEqual([])
  }, 60_000)

  test('can be called by a node that has only its type', async () => {
    const folder = temporaryFolder()
    const journal = await LmdbJournal.open({ folder })
    const counters = entityType<typeof Counter>('Counter')
    // The oldest of the cluster, so that it would run the coordinator if it hosted the type.
    const gateway = await nodeFor({ proxies: [counters], store: journal, settings: quick })
    const host = await nodeFor({
      entities: [Counter],
      store: journal,
      seeds: [gateway.address],
      settings: quick,
    })
    expect(await gateway.entity(counters, 'a').increment(4)).toBe(4)
    expect(await host.entity(Counter, 'a').get()).toBe(4)
    await expect(gateway.entity(counters, 'a').fail('no such luck')).rejects.toMatchObject({
      code: 'COMMAND_FAILED',
      errorName: 'RangeError',
      errorCode: 'NO',
      message: "Counter 'a': fail failed: no such luck",
    })
    const wrong = gateway.entity(counters, 'a') as unknown as { reset(): Promise<void> }
    await expect(wrong.reset()).rejects.toThrow('Its commands are increment, get, fail')
    expect(gateway.sharding.regionState('Counter').isProxy).toBe(true)
    await gateway.stop()
    await host.stop()
    await journal.close()
  }, 60_000)
})
