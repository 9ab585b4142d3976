import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, PoisonPill } from '../../src/actor/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { simulate, type Simulation, startSimulatedNode } from '../../src/simulation/index.ts'

const names = ['n1', 'n2', 'n3', 'n4']
const seeds = names.map((name) => `${name}:2552`)

/** Nobody is given up but by hand: what is watched here is the watch. */
const byHand = {
  cluster: { processLookIntervalMs: Infinity, downing: { stableAfterMs: 600_000 } },
}

async function four(simulation: Simulation): Promise<SherdNode[]> {
  const start = (name: string) => startSimulatedNode(simulation, name, { seeds, settings: byHand })
  const nodes = await simulation.settle(Promise.all(names.map(start)))
  const areAll = () => nodes.every(({ cluster }) => cluster.state.members.length === names.length)
  await simulation.runUntil(areAll)
  return nodes
}

/** What one actor is told, in order: the messages of others, and whom it has seen die. */
class Listener {
  readonly heard: string[] = []
  readonly ref: ActorRef<string | { readonly watch: ActorRef<never> }>

  constructor({ system }: SherdNode, name = 'listener') {
    this.ref = system.spawn(
      Behaviors.receive<string | { readonly watch: ActorRef<never> }>((context, message) => {
        if (typeof message === 'string') this.heard.push(message)
        else context.watch(message.watch)
      }).receiveSignal({
        Terminated: (_, { ref }) => void this.heard.push(`${ref.path.name} is gone`),
      }),
      name,
    )
  }

  watch(ref: ActorRef<never>): void {
    this.ref.tell({ watch: ref })
  }
}

const idle = ({ system }: SherdNode, name: string): void =>
  void system.spawn(Behaviors.ignore, name)

const refFrom = (from: SherdNode, to: SherdNode, name: string): ActorRef<never> =>
  from.remoting.refAt(to.id, `/user/${name}`)

const isRemovedBy = (viewer: SherdNode, gone: SherdNode) => (): boolean =>
  viewer.cluster.state.members.every(({ node }) => node !== gone.id)

describe('CL-013 death watch across the cluster', () => {
  test('the actors of members that were downed are gone once those are removed, each told once', async () => {
    await simulate('watch of downed members', {
      seeds: 5,
      scenario: async (simulation) => {
        const [n1, n2, n3, n4] = (await four(simulation)) as [
          SherdNode,
          SherdNode,
          SherdNode,
          SherdNode,
        ]
        for (const node of [n2, n3]) idle(node, `of-${node.address.slice(0, 2)}`)
        const listeners = [n1, n4].map((node) => ({ node, listener: new Listener(node) }))
        for (const { node, listener } of listeners) {
          listener.watch(refFrom(node, n2, 'of-n2'))
          listener.watch(refFrom(node, n3, 'of-n3'))
        }
        await simulation.run({ for: '1s' })
        simulation.crash('n2')
        await simulation.runUntil(() => n3.cluster.state.unreachable.has(n2.id))
        expect(listeners.map(({ listener }) => listener.heard)).toEqual([[], []])
        n3.cluster.down(n2.id)
        await simulation.runUntil(isRemovedBy(n1, n2))
        await simulation.runUntil(isRemovedBy(n4, n2))
        simulation.crash('n3')
        await simulation.runUntil(() => n1.cluster.state.unreachable.has(n3.id))
        await simulation.run({ for: '5s' })
        for (const { listener } of listeners) expect(listener.heard).toEqual(['of-n2 is gone'])
        n1.cluster.down(n3.id)
        await simulation.runUntil(isRemovedBy(n1, n3))
        await simulation.runUntil(isRemovedBy(n4, n3))

        // Of a member that is already gone: at once, and not only when somebody finds out.
        for (const { node, listener } of listeners) listener.watch(refFrom(node, n2, 'another'))
        const begun = simulation.now
        const hasAll = () => listeners.every(({ listener }) => listener.heard.length === 3)
        await simulation.runUntil(hasAll)
        expect(simulation.now - begun).toBeLessThan(10_000)
        await simulation.run({ for: '20s' })
        for (const { listener } of listeners) {
          expect(listener.heard).toEqual(['of-n2 is gone', 'of-n3 is gone', 'another is gone'])
        }
      },
    })
  })

  test('a watch that was begun during a partition reaches the other side when it heals', async () => {
    await simulate('watch during a partition', {
      seeds: 5,
      scenario: async (simulation) => {
        const [n1, n2] = (await four(simulation)) as [SherdNode, SherdNode]
        const listener = new Listener(n1)
        const target = n2.system.spawn(Behaviors.ignore, 'target')
        simulation.network.partition(['n1'], ['n2', 'n3', 'n4'])
        await simulation.runUntil(() => n1.cluster.state.unreachable.has(n2.id))
        listener.watch(refFrom(n1, n2, 'target'))
        listener.watch(refFrom(n1, n2, 'never-there'))
        await simulation.run({ for: '5s' })
        simulation.network.heal()
        await simulation.runUntil(() => n1.cluster.state.unreachable.size === 0)
        await simulation.runUntil(() => listener.heard.length > 0)
        expect(listener.heard).toEqual(['never-there is gone'])
        target.tell(PoisonPill)
        await simulation.runUntil(() => listener.heard.length > 1)
        await simulation.run({ for: '20s' })
        expect(listener.heard).toEqual(['never-there is gone', 'target is gone'])
      },
    })
  })

  test('a member that could not be reached yet is awaited for as long as it is one', async () => {
    await simulate('watch of a member out of reach', {
      seeds: 3,
      scenario: async (simulation) => {
        simulation.network.partition(['n1'], ['n4'])
        const [n1, , , n4] = (await four(simulation)) as [
          SherdNode,
          SherdNode,
          SherdNode,
          SherdNode,
        ]
        const listener = new Listener(n1)
        const target = n4.system.spawn(Behaviors.ignore, 'target')
        listener.watch(refFrom(n1, n4, 'target'))
        // One that nobody has heard of, as a peer may name it.
        listener.watch(n1.remoting.refAt('n5:2552#0000000000000001', '/user/stranger'))
        await simulation.run({ for: '60s' })
        expect(listener.heard).toEqual(['stranger is gone'])
        simulation.network.heal()
        target.tell(PoisonPill)
        await simulation.runUntil(() => listener.heard.length > 1)
        expect(listener.heard).toEqual(['stranger is gone', 'target is gone'])
      },
    })
  })

  test.each(['its actor stops', 'its system terminates', 'its node leaves'])(
    'all that an actor sent comes before the news of its death: %s',
    async (how) => {
      await simulate(how, {
        seeds: 5,
        scenario: async (simulation) => {
          const [n1, n2] = (await four(simulation)) as [SherdNode, SherdNode]
          const listener = new Listener(n1)
          const speaker = n2.system.spawn(
            Behaviors.setup<string>(() => {
              const there = n2.remoting.refAt(n1.id, '/user/listener')
              return Behaviors.receiveMessage<string>(() => {
                for (let word = 1; word <= 100; word++) there.tell(`${word}`)
                if (how === 'its actor stops') return Behaviors.stopped()
                if (how === 'its node leaves') n2.cluster.leave()
                else void n2.stop()
                return Behaviors.same
              })
            }),
            'speaker',
          )
          listener.watch(refFrom(n1, n2, 'speaker'))
          await simulation.run({ for: '1s' })
          speaker.tell('go')
          await simulation.runUntil(() => listener.heard.includes('speaker is gone'))
          await simulation.run({ for: '20s' })
          const words = Array.from({ length: 100 }, (_, index) => `${index + 1}`)
          expect(listener.heard).toEqual([...words, 'speaker is gone'])
        },
      })
    },
  )
})
