import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, PoisonPill } from '../../src/actor/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { PeerQuarantined, ThisNodeQuarantined } from '../../src/remote/index.ts'
import { simulate, type Simulation, startSimulatedNode } from '../../src/simulation/index.ts'

const systemGiveUpAfterMs = 60_000
/** In which two that can reach each other again have spoken: the longest pause between two attempts, and an attempt. */
const reconnectMs = 12_000
const names = ['n1', 'n2', 'n3', 'n4']
const seeds = names.map((name) => `${name}:2552`)

/** Nobody is given up by the cluster: what is looked at is what remoting does. */
const settings = {
  cluster: { processLookIntervalMs: Infinity, downing: { stableAfterMs: 600_000 } },
  remote: { systemGiveUpAfterMs },
}

async function fourMembers(simulation: Simulation): Promise<readonly SherdNode[]> {
  const start = (name: string) => startSimulatedNode(simulation, name, { seeds, settings })
  const nodes = await simulation.settle(Promise.all(names.map(start)))
  const areAll = () => nodes.every(({ cluster }) => cluster.state.members.length === names.length)
  await simulation.runUntil(areAll)
  return nodes
}

/** n1 with an actor that watches, and n2 with one to be watched; what n1 heard, and who gave up whom. */
async function watcherAndWatched(simulation: Simulation) {
  const [n1, n2] = (await fourMembers(simulation)) as [SherdNode, SherdNode]
  const target = n2.system.spawn(Behaviors.ignore, 'target')
  const heard: { readonly what: string; readonly at: number }[] = []
  const watcher = n1.system.spawn(
    Behaviors.receive<ActorRef<never>>((context, ref) => {
      context.watch(ref)
    }).receiveSignal({
      Terminated: (_, { ref }) => {
        heard.push({ what: `${ref.path.name} is gone`, at: simulation.now })
      },
    }),
  )
  const givenUp: string[] = []
  for (const { system, address } of [n1, n2]) {
    const note = (what: string): void => void givenUp.push(`${address.slice(0, 2)}: ${what}`)
    system.eventStream.subscribe(PeerQuarantined, ({ isInReturn }) =>
      note(isInReturn ? 'gives up in return' : 'gives up'),
    )
    system.eventStream.subscribe(ThisNodeQuarantined, () => note('is told'))
  }
  const watch = (): void => watcher.tell(n1.remoting.refAt(n2.id, '/user/target'))
  const words = (): readonly string[] => heard.map(({ what }) => what)
  return { n1, n2, target, heard, words, givenUp, watch }
}

describe('a system message that waits for its confirmation', () => {
  test('is delivered to a peer that comes back just before it is given up, and nothing was lost', async () => {
    await simulate('back in time', {
      seeds: 3,
      scenario: async (simulation) => {
        const { target, words, givenUp, watch } = await watcherAndWatched(simulation)
        simulation.network.partition(['n1'], ['n2'])
        watch()
        await simulation.run({ for: systemGiveUpAfterMs - reconnectMs })
        simulation.network.heal()
        await simulation.run({ for: systemGiveUpAfterMs })
        expect([words(), givenUp]).toEqual([[], []])
        target.tell(PoisonPill)
        await simulation.runUntil(() => words().length > 0)
        await simulation.run({ for: '20s' })
        expect([words(), givenUp]).toEqual([['target is gone'], []])
      },
    })
  })

  test('is given up with its peer when its time is over: who waits is told then, once, whoever comes back', async () => {
    await simulate('back too late', {
      seeds: 3,
      scenario: async (simulation) => {
        const { target, heard, words, givenUp, watch } = await watcherAndWatched(simulation)
        simulation.network.partition(['n1'], ['n2'])
        const beginMs = simulation.now
        watch()
        await simulation.run({ for: systemGiveUpAfterMs - 1_000 })
        expect(heard).toEqual([])
        await simulation.run({ for: 2_000 })
        expect(heard).toHaveLength(1)
        expect(heard[0]!.at - beginMs).toBeGreaterThanOrEqual(systemGiveUpAfterMs)
        expect(givenUp).toEqual(['n1: gives up'])
        simulation.network.heal()
        target.tell(PoisonPill)
        await simulation.run({ for: '60s' })
        expect(words()).toEqual(['target is gone'])
        // It heard that from the one which gave it up, when it called.
        expect(givenUp).toContain('n2: is told')
      },
    })
  })

  test('about a death comes to who watched when the network is whole again in time', async () => {
    await simulate('told in time', {
      seeds: 3,
      scenario: async (simulation) => {
        const { target, words, givenUp, watch } = await watcherAndWatched(simulation)
        watch()
        await simulation.run({ for: '5s' })
        simulation.network.partition(['n1'], ['n2'])
        target.tell(PoisonPill)
        await simulation.run({ for: systemGiveUpAfterMs - reconnectMs })
        expect(words()).toEqual([])
        simulation.network.heal()
        await simulation.runUntil(() => words().length > 0)
        await simulation.run({ for: systemGiveUpAfterMs })
        expect([words(), givenUp]).toEqual([['target is gone'], []])
      },
    })
  })

  test('about a death is not lost in silence when it is given up: the node that waits for it learns that it was, and ends', async () => {
    await simulate('told too late', {
      seeds: 3,
      scenario: async (simulation) => {
        const { n1, target, words, givenUp, watch } = await watcherAndWatched(simulation)
        let hasEnded = false
        void n1.whenStopped.then(() => (hasEnded = true))
        watch()
        await simulation.run({ for: '5s' })
        simulation.network.partition(['n1'], ['n2'])
        target.tell(PoisonPill)
        // The news waits a little for what the dead had sent.
        await simulation.run({ for: systemGiveUpAfterMs + 5_000 })
        expect([words(), givenUp]).toEqual([[], ['n2: gives up']])
        simulation.network.heal()
        await simulation.runUntil(() => hasEnded)
        expect(givenUp).toEqual(['n2: gives up', 'n1: is told', 'n1: gives up in return'])
      },
    })
  })
})
