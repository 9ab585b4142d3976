/** What a user's `AsyncLocalStorage` shows inside commands: the caller's own where that is kept, and never somebody else's. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { simulate, type Simulation, startSimulatedNode } from '../../src/simulation/index.ts'
import { nodeFor, temporaryFolder, whenAll } from './nodes.ts'

const callers = new AsyncLocalStorage<number>()
const nobody = -1
const seen = (): number => callers.getStore() ?? nobody

const commands = {
  sync: (): number => seen(),
  async: async (): Promise<number[]> => {
    const before = seen()
    await new Promise((resolve) => setImmediate(resolve))
    return [before, seen()]
  },
}
const Plain = defineEntity('Plain', { state: () => 0, commands })
const Durable = defineEntity('Durable', {
  state: () => 0,
  events: { Seen: (state, by: number) => state + by },
  commands: {
    ...commands,
    persist: (self): number => {
      self.persist('Seen', 1)
      return seen()
    },
    through: (self, id: string): Promise<number> => self.entity(Plain, id).sync(),
  },
})
const entities = [Plain, Durable]
const count = 300
const numbers = Array.from({ length: count }, (_, number) => number)

/** Every kind of call, each from a context of its own, all at once, to a few entities that do not run yet. */
function callAll(node: SherdNode): Promise<(readonly number[])[]> {
  const call = async (number: number): Promise<readonly number[]> => {
    const plain = node.entity(Plain, `${number % 3}`)
    const durable = node.entity(Durable, `${number % 3}`)
    const told = await Promise.all([
      ...[plain.sync(), plain.async(), durable.sync(), durable.async()],
      ...[durable.persist(), durable.through(`${number % 3}`)],
    ])
    return [...told.flat(), seen()]
  }
  return Promise.all(numbers.map((number) => callers.run(number, () => call(number))))
}

const same = (value: number): readonly number[] => new Array<number>(9).fill(value)

describe('a command', () => {
  test('sees the context of its own caller where that is kept, also when it has waited for the recovery', async () => {
    const folder = temporaryFolder()
    const first = await nodeFor({ entities, store: { folder } })
    for (const id of ['0', '1', '2']) await first.entity(Durable, id).persist()
    await first.stop()
    const node = await nodeFor({ entities, store: { folder }, keepCallerContext: true })
    expect(await callAll(node)).toEqual(numbers.map((number) => same(number)))
    // The same once they run.
    expect(await callAll(node)).toEqual(numbers.map((number) => same(number)))
  })

  test('sees nobody else where it is not kept; its caller is in its own context afterwards', async () => {
    const node = await callers.run(1_000, () => nodeFor({ entities }))
    const told = await callAll(node)
    expect(told).toEqual(numbers.map((number) => [...same(nobody).slice(1), number]))
  })

  test('that enters a context leaves nothing of it to others', async () => {
    const Entering = defineEntity('Entering', {
      state: () => 0,
      commands: {
        enter: (): void => callers.enterWith(7_000),
        seen: (): number => seen(),
      },
    })
    const node = await nodeFor({ entities: [Entering], keepCallerContext: true })
    const entity = node.entity(Entering, 'one')
    const [, told] = await callers.run(1, () => Promise.all([entity.enter(), entity.seen()]))
    expect([told, seen()]).toEqual([1, nobody])
  })

  test('sees nobody when it is called from another node', async () => {
    const folder = temporaryFolder()
    const host = await callers.run(1_000, () =>
      nodeFor({ entities, store: { folder }, keepCallerContext: true }),
    )
    const caller = await callers.run(2_000, () =>
      nodeFor({ proxies: entities, seeds: [host.address], keepCallerContext: true }),
    )
    await whenAll([host, caller], ({ cluster }) => cluster.state.members.length === 2)
    const told = await callAll(caller)
    // What it calls from there has a caller on its own node, who is in nobody's context.
    expect(told).toEqual(numbers.map((number) => [...same(nobody).slice(1), number]))
  })

  test('sees the same in simulation', async () => {
    const scenario = async (simulation: Simulation): Promise<void> => {
      const options = { entities, keepCallerContext: true }
      const node = await simulation.settle(startSimulatedNode(simulation, 'a', options))
      const told = await simulation.settle(callAll(node))
      expect(told).toEqual(numbers.map((number) => same(number)))
    }
    await simulate('async-context', { scenario, seed: 1 })
  })
})

describe('an actor', () => {
  test('sees nobody, whoever told it something, and whoever started its timer', async () => {
    const { system } = await callers.run(1_000, () => nodeFor({}))
    type Message = { readonly type: 'ask' | 'remind'; readonly replyTo: ActorRef<number> }
    const actor = callers.run(2_000, () =>
      system.spawn(
        Behaviors.withTimers<Message>((timers) =>
          Behaviors.receiveMessage((message) => {
            if (message.type === 'ask') message.replyTo.tell(seen())
            else timers.startSingle(message.replyTo.toString(), 1, { ...message, type: 'ask' })
          }),
        ),
      ),
    )
    const ask = (number: number): Promise<number> =>
      callers.run(number, () =>
        actor.ask<number>((replyTo) => ({ type: number % 7 === 0 ? 'remind' : 'ask', replyTo })),
      )
    expect(await Promise.all(numbers.map(ask))).toEqual(numbers.map(() => nobody))
  })
})
