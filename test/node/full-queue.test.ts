import { expect, test } from 'vitest'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { Counter, nodeFor, whenAll } from './nodes.ts'

test('a call that does not fit into the queue to another node fails at once, and has not happened', async () => {
  const store = new MemoryJournal()
  const host = await nodeFor({ entities: [Counter], store })
  const settings = { remote: { queueMessagesMax: 16 }, actor: { askTimeoutMs: 600_000 } }
  const caller = await nodeFor({ proxies: [Counter], store, seeds: [host.address], settings })
  await whenAll([host, caller], ({ cluster }) => cluster.state.members.length === 2)
  const counter = caller.entity(Counter, 'a')
  expect(await counter.get()).toBe(0)
  const calls = await Promise.allSettled(Array.from({ length: 64 }, () => counter.increment(1)))
  const refused = calls.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  for (const { reason } of refused as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({
      code: 'ENTITY_UNAVAILABLE',
      reason: 'outbound-queue-full',
      mayHaveHappened: false,
    })
  }
  expect(await counter.get()).toBe(calls.length - refused.length)
})

test('a refused call names the caller in its stack, and none of the runtime in that of its cause', async () => {
  const store = new MemoryJournal()
  const host = await nodeFor({ entities: [Counter], store })
  const settings = { remote: { queueMessagesMax: 1 } }
  const caller = await nodeFor({ proxies: [Counter], store, seeds: [host.address], settings })
  const counter = caller.entity(Counter, 'a')
  await counter.get()
  async function refusedCall(): Promise<unknown> {
    try {
      return await counter.get()
    } catch (error) {
      return error
    }
  }
  const [answer, error] = await Promise.all([counter.get(), refusedCall()])
  expect(answer).toBe(0)
  const { stack, cause } = error as Error
  expect(stack).toContain('refusedCall')
  expect((cause as Error).stack).not.toMatch(/^ +at /m)
})
