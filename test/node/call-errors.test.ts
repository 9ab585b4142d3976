import { describe, expect, test } from 'vitest'
import { CallError, defineEntity, EntityUnavailable } from '../../src/entity/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Counter, nodeFor } from './nodes.ts'

/** Its implementation lives nowhere in these tests. */
const Far = defineEntity('Far', { role: 'far', state: () => 0, commands: { get: () => 1 } })

const Broken = defineEntity('Broken', {
  state: (): number => {
    throw new Error('no state today')
  },
  commands: { get: (self) => self.state },
})

const outcome = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error)

describe('a call that does not get as far as its entity', () => {
  test('is refused at once when too many wait', async () => {
    const settings = { sharding: { bufferedMessagesMax: 1 } }
    const node = await nodeFor({ entities: [Far], settings })
    const far = node.entity(Far, 'a', { timeout: '200ms' })
    const waiting = outcome(far.get())
    const error = await outcome(far.get())
    expect(error).toBeInstanceOf(EntityUnavailable)
    expect(error).toMatchObject({
      code: 'ENTITY_UNAVAILABLE',
      reason: 'shard-buffer-full',
      mayHaveHappened: false,
      message: expect.stringContaining('setting sharding.bufferedMessagesMax') as string,
    })
    expect(await waiting).toMatchObject({ code: 'CALL_TIMEOUT', mayHaveHappened: true })
  })

  test('is told at once when its entity stops before its turn', async () => {
    const store = new MemoryJournal()
    const host = await nodeFor({ entities: [Broken], store })
    const other = await nodeFor({ proxies: [Broken], store, seeds: [host.address] })
    for (const node of [host, other]) {
      const broken = node.entity(Broken, 'a', { timeout: '30s' })
      const errors = await Promise.all([broken.get(), broken.get(), broken.get()].map(outcome))
      for (const error of errors) {
        expect(error).toMatchObject({
          code: 'ENTITY_UNAVAILABLE',
          mayHaveHappened: false,
          message:
            "Broken 'a': get was not handled: the entity has stopped before its turn came; if it failed, the log of its node says why. Nothing of it has happened; it can be called again.",
        })
      }
    }
  })

  test('says so when a node outside of the cluster writes to its store', async () => {
    const store = new MemoryJournal()
    const logger = new CapturedLogs()
    const options = { entities: [Counter], store }
    const first = await nodeFor({ ...options, environment: { logger } })
    await first.entity(Counter, 'a').increment(1)
    await first.entity(Counter, 'b').increment(1)
    const second = await nodeFor({ ...options, name: 'another' })
    const words = `'${second.id}' is not a member of this cluster: a node outside of it writes to the same store. Did you forget \`seeds\`?`
    for (const id of ['a', 'b']) {
      await second.entity(Counter, id).increment(1)
      const error = await outcome(first.entity(Counter, id).increment(1))
      expect(error).toMatchObject({ code: 'NOT_STORED', reason: 'WRITER_FENCED' })
      expect((error as Error).message).toContain(words)
    }
    expect(logger.matching(words, 'warn')).toHaveLength(1)
  })

  test('says so when a coordinator outside of the cluster has taken its stream', async () => {
    const store = new MemoryJournal()
    const logger = new CapturedLogs()
    const options = { entities: [Counter], store }
    const first = await nodeFor({ ...options, environment: { logger } })
    const second = await nodeFor({ ...options, name: 'another' })
    const calling = first.entity(Counter, 'a').increment(1)
    const advice = `'${second.id}' is not a member of this cluster: a node outside of it writes to the same store. Did you forget \`seeds\`? If it does not belong to this cluster, stop it or give it a store of its own.`
    const line = await logger.expect('The coordinator of Counter on this node stops', {
      level: 'warn',
    })
    expect(line.message).toContain(`'${second.id}' coordinates now. ${advice}`)
    expect(line.fields['err']).toMatchObject({ code: 'COORDINATOR_FENCED', byWriter: second.id })
    expect((await first.explain(Counter, 'a')).text).toContain(advice)
    expect(await calling).toBe(1)
    expect((await first.explain(Counter, 'a')).text).not.toContain(advice)
  })

  test('ends with an error for callers, also while its node is given up', async () => {
    const logger = new CapturedLogs()
    const settings = { cluster: { downedLingerMs: 100 } }
    const node = await nodeFor({ entities: [Counter], environment: { logger }, settings })
    const progress = { isOver: false }
    void node.whenStopped.then(() => (progress.isOver = true))
    node.cluster.down(node.id)
    const errors = new Set<unknown>()
    for (let number = 0; !progress.isOver; number++) {
      const counter = node.entity(Counter, `c${number % 10}`, { timeout: '1s' })
      const result = await outcome(counter.increment(1))
      if (typeof result !== 'number') errors.add(result)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await node.whenStopped).toEqual({ type: 'downing' })
    for (const error of errors) expect(error).toBeInstanceOf(CallError)
    const last = await outcome(node.entity(Counter, 'c').get())
    expect(last).toMatchObject({ code: 'NODE_STOPPING', mayHaveHappened: false })
    const [line, ...more] = logger.matching('This node was removed from the cluster', 'error')
    expect(line?.message).toContain('let the setting `actor.exitProcess` end it')
    expect(more).toEqual([])
  })
})

test('the stack of a call that fails names who awaits it', async () => {
  const Failing = defineEntity('Failing', {
    state: () => 0,
    commands: {
      fail: () => {
        throw new Error('not today')
      },
    },
  })
  const node = await nodeFor({ entities: [Failing, Far] })
  async function checkOut(): Promise<void> {
    await node.entity(Failing, 'a').fail()
  }
  async function lookFar(): Promise<void> {
    await node.entity(Far, 'a', { timeout: 1 }).get()
  }
  const stackOf = async (call: Promise<void>) => ((await outcome(call)) as Error).stack
  expect(await stackOf(checkOut())).toMatch(/^CommandFailed: .*\n(.*\n)*.*at (async )?checkOut/)
  expect(await stackOf(lookFar())).toMatch(/^CallTimeout: .*\n(.*\n)*.*at (async )?lookFar/)
})
