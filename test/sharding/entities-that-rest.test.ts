import { describe, expect, test } from 'vitest'
import { defineEntity, type EntityHandle, type EntityType } from '../../src/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { EntityStarted, EntityStopped } from '../../src/sharding/index.ts'
import { Simulation, startSimulatedNode } from '../../src/simulation/index.ts'

const options = { numberOfShards: 4, passivateAfter: 'never' } as const

/** Counters that say how often they were asked, in memory, by events, and by their state. */
const kinds = {
  plain: defineEntity('Plain', {
    ...options,
    state: () => ({ count: 0 }),
    commands: {
      add: (self) => ++self.state.count,
      rest: (self) => {
        self.passivate()
        return ++self.state.count
      },
      restLater: async (self) => {
        self.passivate()
        await Promise.resolve()
        return ++self.state.count
      },
      fail: (self) => {
        self.passivate()
        throw new Error('no rest')
      },
    },
  }),
  events: defineEntity('Events', {
    ...options,
    state: () => ({ count: 0 }),
    events: { Added: ({ count }) => ({ count: count + 1 }) },
    commands: {
      add: (self) => self.persist('Added').count,
      rest: (self) => {
        self.passivate()
        return self.persist('Added').count
      },
      restLater: async (self) => {
        self.passivate()
        await Promise.resolve()
        return self.persist('Added').count
      },
      fail: (self) => {
        self.persist('Added')
        self.passivate()
        throw new Error('no rest')
      },
    },
  }),
  durable: defineEntity('Durable', {
    ...options,
    durable: true,
    state: () => ({ count: 0 }),
    commands: {
      add: (self) => (self.state = { count: self.state.count + 1 }).count,
      rest: (self) => {
        self.passivate()
        return (self.state = { count: self.state.count + 1 }).count
      },
      restLater: async (self) => {
        self.passivate()
        await Promise.resolve()
        return (self.state = { count: self.state.count + 1 }).count
      },
      fail: (self) => {
        self.passivate()
        throw new Error('no rest')
      },
    },
  }),
}

/** What they have in common. */
type Commands = Readonly<
  Record<'add' | 'rest' | 'restLater', (self: never) => number | Promise<number>> &
    Record<'fail', (self: never) => never>
>
type Counter = EntityHandle<Commands>

interface Stage {
  readonly simulation: Simulation
  readonly node: SherdNode
  /** Starts and stops of entities, in order. */
  readonly lives: string[]
  readonly counter: (id: string) => Counter
}

async function onNode(kind: keyof typeof kinds, story: (stage: Stage) => Promise<void>) {
  for (let seed = 1; seed <= 5; seed++) {
    await using simulation = new Simulation({ seed })
    const entity = kinds[kind] as unknown as EntityType<Commands>
    const lives: string[] = []
    const node = await simulation.settle(
      startSimulatedNode(simulation, 'a', {
        entities: [kinds[kind]],
        beforeJoin: ({ system: { eventStream } }) => {
          eventStream.subscribe(EntityStarted, ({ entityId }) => void lives.push(`+${entityId}`))
          eventStream.subscribe(EntityStopped, ({ entityId }) => void lives.push(`-${entityId}`))
        },
      }),
    )
    const counter = (id: string): Counter => node.entity(entity, id)
    await story({ simulation, node, lives, counter })
    expect(simulation.violations).toEqual([])
  }
}

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('an entity (%s)', (kind) => {
  const isKept = kind !== 'plain'

  test('rests after the command that asks for it, sync or async, and comes back when it is called', async () => {
    await onNode(kind, async ({ simulation, lives, counter }) => {
      for (const [nth, rest] of (['rest', 'restLater'] as const).entries()) {
        expect(await simulation.settle(counter('a')[rest]())).toBe(isKept ? nth + 1 : 1)
        const what = { what: 'the entity has stopped' }
        await simulation.runUntil(() => lives.at(-1) === '-a', what)
      }
      expect(lives).toEqual(['+a', '-a', '+a', '-a'])
      expect(await simulation.settle(counter('a').add())).toBe(isKept ? 3 : 1)
    })
  })

  test('answers every call that comes while it is about to rest, in order', async () => {
    await onNode(kind, async ({ simulation, lives, counter }) => {
      const calls = Array.from({ length: 60 }, (_, nth) =>
        nth % 20 === 7 ? counter('a').restLater() : counter('a').add(),
      )
      const answers = await simulation.settle(Promise.all(calls))
      const all = Array.from({ length: 60 }, (_, nth) => nth + 1)
      if (isKept) expect(answers).toEqual(all)
      // Each life counts from the start.
      else expect(answers.filter((count) => count === 1).length).toBe(lives.filter(isStart).length)
    })
  })

  test('stays where the command fails', async () => {
    await onNode(kind, async ({ simulation, lives, counter }) => {
      const failed = counter('a').fail()
      await simulation.settle(failed.catch((error: unknown) => error))
      await expect(failed).rejects.toThrow('no rest')
      await simulation.settle(counter('a').add())
      await simulation.run({ for: '10s' })
      expect(lives).toEqual(['+a'])
    })
  })
})

const isStart = (text: string): boolean => text.startsWith('+')

test('an async command that takes long is not hurried because it has asked for rest', async () => {
  await using simulation = new Simulation({ seed: 1 })
  let end: () => void = () => undefined
  const until = new Promise<void>((resolve) => (end = resolve))
  let isAborted = false
  const Slow = defineEntity('Slow', {
    ...options,
    state: () => undefined,
    commands: {
      work: async (self) => {
        self.passivate()
        self.signal.addEventListener('abort', () => (isAborted = true))
        await until
        return 'done'
      },
    },
  })
  const node = await simulation.settle(startSimulatedNode(simulation, 'a', { entities: [Slow] }))
  const answer = node.entity(Slow, 'a', { timeout: '10m' }).work()
  await simulation.run({ for: '5m' })
  end()
  expect(await simulation.settle(answer)).toBe('done')
  expect(isAborted).toBe(false)
  await simulation.runUntil(() => !node.sharding.regionState('Slow').shards.some(hasAny), {
    what: 'the entity has stopped',
  })
})

const hasAny = ({ entityIds }: { readonly entityIds: readonly string[] }) => entityIds.length > 0

test('a remembered entity that rests is forgotten, and the others are not', async () => {
  await using simulation = new Simulation({ seed: 3 })
  const Kept = defineEntity('Kept', {
    ...{ numberOfShards: 4, rememberEntities: true },
    state: () => undefined,
    commands: { wake: () => true, rest: (self) => self.passivate() },
  })
  const seeds = ['a:2552']
  const node = await simulation.settle(
    startSimulatedNode(simulation, 'a', { entities: [Kept], seeds }),
  )
  for (const id of ['x', 'y', 'z']) await simulation.settle(node.entity(Kept, id).wake())
  await simulation.settle(node.entity(Kept, 'y').rest())
  const running = ({ sharding }: SherdNode): string[] =>
    sharding
      .regionState('Kept')
      .shards.flatMap(({ entityIds }) => entityIds)
      .toSorted()
  const two = { what: 'y has stopped' }
  await simulation.runUntil(() => running(node).join() === 'x,z', two)
  await simulation.run({ for: '2s' })
  simulation.crash('a')
  const again = await simulation.settle(
    startSimulatedNode(simulation, 'a', { entities: [Kept], seeds }),
  )
  await simulation.runUntil(() => running(again).length >= 2, { what: 'they run again' })
  await simulation.run({ for: '10s' })
  expect(running(again)).toEqual(['x', 'z'])
})
