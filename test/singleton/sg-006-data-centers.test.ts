import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { effectsFor, EventSourcedBehavior, type Journal } from '../../src/persistence/index.ts'
import { simulate, type Simulation, startSimulatedNode } from '../../src/simulation/index.ts'

interface Ping {
  readonly replyTo: ActorRef<string>
}

type ToList =
  | { readonly type: 'Add'; readonly item: string; readonly replyTo: ActorRef<'Done'> }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<string> }

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  commands: { increment: (self) => void self.state.count, where: () => 'here' },
})

const seeds = ['controller:2552', 'second:2552']
const dataCenters: Readonly<Record<string, string>> = {
  controller: 'one',
  first: 'one',
  second: 'two',
  third: 'two',
}
const effect = effectsFor<string, readonly string[]>()

const list = (journal: Journal) =>
  EventSourcedBehavior<ToList, string, readonly string[]>({
    ...{ persistenceId: 'Singleton|list', emptyState: [], journal },
    eventHandler: (items, item) => [...items, item],
    commandHandler: (items, command) =>
      command.type === 'Get'
        ? effect.reply(command.replyTo, items.join('|'))
        : effect.persist([command.item]).thenReply(command.replyTo, () => 'Done' as const),
  })

/** Four nodes in two data centers; all but the controller are workers. */
class World {
  readonly simulation: Simulation
  readonly nodes = new Map<string, SherdNode>()
  /** Where an instance of the ponger lives, by data center. */
  readonly homes = new Map<string, Set<string>>()

  constructor(simulation: Simulation) {
    this.simulation = simulation
  }

  async start(name: string, hosts: (node: SherdNode, journal: Journal) => void = () => undefined) {
    const dataCenter = dataCenters[name]!
    const node = await this.simulation.settle(
      startSimulatedNode(this.simulation, name, {
        seeds,
        entities: [Counter],
        roles: name === 'controller' ? [] : ['worker'],
        settings: { cluster: { dataCenter } },
        beforeJoin: (each, { journal }) => hosts(each, journal),
      }),
    )
    this.nodes.set(name, node)
    return node
  }

  startPonger(name: string): ActorRef<Ping> {
    const { singletons } = this.nodes.get(name)!
    return singletons.start<Ping>({
      name: 'ponger',
      role: 'worker',
      behavior: () => this.#ponger(name),
    })
  }

  ping(proxy: ActorRef<Ping>): Promise<string> {
    return this.simulation.settle(proxy.ask<string>((replyTo) => ({ replyTo }), { timeout: '30s' }))
  }

  /** The same where a connection may turn out to be dead only when it is used: what was sent by it is lost. */
  async pingAgain(proxy: ActorRef<Ping>): Promise<string> {
    for (let tries = 0; tries < 5; tries++) {
      const asked = proxy.ask<string>((replyTo) => ({ replyTo }), { timeout: '3s' })
      const answer = await this.simulation.settle(asked.catch(() => undefined))
      if (answer !== undefined) return answer
    }
    return 'nobody'
  }

  #ponger(name: string) {
    return Behaviors.setup<Ping>(() => {
      const dataCenter = dataCenters[name]!
      const homes = this.homes.get(dataCenter) ?? new Set()
      this.homes.set(dataCenter, homes.add(name))
      this.simulation.check('one instance in each data center', homes.size === 1)
      return Behaviors.receiveMessage<Ping>(({ replyTo }) => replyTo.tell(name)).receiveSignal({
        PostStop: () => void homes.delete(name),
      })
    })
  }
}

const names = ['controller', 'first', 'second', 'third']

function play(scenario: (world: World) => Promise<void>, seedCount = 5): Promise<unknown> {
  return simulate('singletons of data centers', {
    seeds: seedCount,
    scenario: (simulation) => scenario(new World(simulation)),
  })
}

describe('SG-006 singletons in two data centers', () => {
  test('one instance in each, on the oldest worker; a proxy reaches that of the other; started twice it is the same', async () => {
    await play(async (world) => {
      for (const name of names) await world.start(name)
      const proxies = names.map((name) => world.startPonger(name))
      const answers: string[] = []
      for (const proxy of proxies) answers.push(await world.ping(proxy))
      expect(answers).toEqual(['first', 'first', 'second', 'second'])
      expect([...world.homes].map(([dc, homes]) => `${dc} ${[...homes].join()}`).sort()).toEqual([
        'one first',
        'two second',
      ])

      const { singletons } = world.nodes.get('third')!
      const options = { role: 'worker', dataCenter: 'one' }
      const far = singletons.proxy<Ping>('ponger', options)
      expect(await world.ping(far)).toBe('first')
      expect(singletons.proxy('ponger', options)).toBe(far)
      expect(world.startPonger('third')).toBe(proxies[3])
      // The own one, spelled out.
      expect(singletons.proxy('ponger', { role: 'worker', dataCenter: 'two' })).toBe(proxies[3])
      expect(() => singletons.proxy('ponger', { dataCenter: 'no/name' })).toThrow(
        'the name of a data center',
      )
    })
  })

  test('proxies of five nodes hold what comes before there is an instance, wherever that is', async () => {
    await play(async (world) => {
      for (const name of names) await world.start(name)
      const { simulation } = world
      const far = world.nodes.get('third')!.singletons
      const proxies = [
        ...names.map((name) => world.nodes.get(name)!.singletons.proxy<Ping>('ponger', 'worker')),
        far.proxy<Ping>('ponger', { role: 'worker', dataCenter: 'one' }),
      ]
      const early = proxies.map((proxy) =>
        proxy.ask<string>((replyTo) => ({ replyTo }), { timeout: '30s' }),
      )
      await simulation.run({ for: '3s' })
      for (const name of ['first', 'second', 'third']) world.startPonger(name)
      const expected = ['first', 'first', 'second', 'second', 'first']
      expect(await simulation.settle(Promise.all(early))).toEqual(expected)
      const later: string[] = []
      for (const proxy of proxies) later.push(await world.ping(proxy))
      expect(later).toEqual(expected)
    })
  })

  test('cut off from each other each has its own; a far proxy finds the other again', async () => {
    await play(async (world) => {
      for (const name of names) await world.start(name)
      for (const name of names) world.startPonger(name)
      const { simulation, nodes } = world
      const far = nodes.get('third')!.singletons.proxy<Ping>('ponger', {
        role: 'worker',
        dataCenter: 'one',
      })
      expect(await world.ping(far)).toBe('first')
      simulation.network.partition(['controller', 'first'], ['second', 'third'])
      const { cluster } = nodes.get('third')!
      await simulation.runUntil(() => cluster.state.unreachableDataCenters.has('one'))
      expect(names.map((name) => nodes.get(name)!.cluster.isFrozen)).toEqual(Array(4).fill(false))
      expect(cluster.state.unreachable.size).toBe(0)
      // The instance of two moves within it.
      await simulation.settle(nodes.get('second')!.stop())
      const own = world.startPonger('third')
      expect(await world.ping(own)).toBe('third')
      simulation.network.heal()
      await simulation.runUntil(() => !cluster.state.unreachableDataCenters.has('one'))
      await simulation.runUntil(() => nodes.get('first')!.cluster.state.members.length === 3)
      expect(await world.pingAgain(far)).toBe('first')
    }, 3)
  })

  test('a persistent one has a|b|c before and after it moved', async () => {
    await play(async (world) => {
      const lists = new Map<string, ActorRef<ToList>>()
      for (const name of names) {
        await world.start(name, ({ singletons }, journal) => {
          // In one data center only: both share the store, and there is one stream.
          if (dataCenters[name] !== 'two') return
          const behavior = () => list(journal)
          lists.set(name, singletons.start<ToList>({ name: 'list', role: 'worker', behavior }))
        })
      }
      const { simulation, nodes } = world
      const own = lists.get('third')!
      const far = nodes.get('first')!.singletons.proxy<ToList>('list', {
        role: 'worker',
        dataCenter: 'two',
      })
      for (const [proxy, item] of [
        [own, 'a'],
        [far, 'b'],
        [own, 'c'],
      ] as const) {
        const added = proxy.ask<'Done'>((replyTo) => ({ type: 'Add', item, replyTo }))
        expect(await simulation.settle(added)).toBe('Done')
      }
      const read = () => simulation.settle(own.ask<string>((replyTo) => ({ type: 'Get', replyTo })))
      expect(await read()).toBe('a|b|c')
      await simulation.settle(nodes.get('second')!.stop())
      expect(await read()).toBe('a|b|c')
    })
  })
})
