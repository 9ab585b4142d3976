import { describe, expect, test } from 'vitest'
import { defineEntity, type SherdNode } from '../../src/index.ts'
import {
  Simulation,
  SimulationFailed,
  simulate,
  startSimulatedNode,
} from '../../src/simulation/index.ts'

const Wallet = defineEntity('Wallet', {
  state: () => ({ balance: 0 }),
  events: {
    Filled: (state, amount: number) => ({ balance: state.balance + amount }),
    Paid: (state, amount: number) => ({ balance: state.balance - amount }),
  },
  commands: {
    fill: (self, amount: number) => self.persist('Filled', amount).balance,
    balance: (self) => self.state.balance,
    // The planted bug: it trusts whoever looked at the balance before.
    pay: (self, amount: number, _order: string) => self.persist('Paid', amount).balance,
    close: (self) => self.delete(),
    refuse: () => {
      throw new Error('not today')
    },
  },
})

/** Looks first and pays then: between the two another order may do the same. */
function orders(node: () => SherdNode) {
  return defineEntity('Order', {
    state: () => ({ isPaid: false }),
    commands: {
      buy: async (self, owner: string, price: number) => {
        const wallet = node().entity(Wallet, owner)
        if ((await wallet.balance()) < price) return 'too poor'
        await wallet.pay(price, self.id)
        self.state.isPaid = true
        return 'bought'
      },
    },
  })
}

async function shop(simulation: Simulation, withinMs = 40): Promise<readonly SherdNode[]> {
  const nodes: SherdNode[] = []
  const Order = orders(() => nodes[1] as SherdNode)
  const start = (name: string) =>
    startSimulatedNode(simulation, name, { entities: [Wallet, Order], seeds: ['a:2552', 'b:2552'] })
  simulation.network.latency({ minMs: 1, meanMs: 5 })
  simulation.store.setFaults({ latencyMeanMs: 5 })
  nodes.push(...(await simulation.settle(Promise.all(['a', 'b'].map(start)))))
  for (const owner of ['alice', 'bob']) {
    await simulation.settle(nodes[0]!.entity(Wallet, owner).fill(100))
  }
  for (const id of ['first', 'second']) {
    simulation.after(simulation.random.below(withinMs), () => {
      void nodes[1]!.entity(Order, id).buy('alice', 70)
    })
  }
  await simulation.run({ for: '10s' })
  return nodes
}

async function overdrawn(simulation: Simulation): Promise<void> {
  const [a] = await shop(simulation)
  const balance = await simulation.settle(a!.entity(Wallet, 'alice').balance())
  simulation.check('no wallet is overdrawn', balance >= 0, `Wallet/alice has ${balance}`)
}

async function failureOf(promise: Promise<unknown>): Promise<SimulationFailed> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(SimulationFailed)
  return error as SimulationFailed
}

describe('the story of a violation', () => {
  test('tells the two commands that overdrew a wallet, with their events and answers', async () => {
    const { message } = await failureOf(simulate('shop', { seeds: 500, scenario: overdrawn }))
    expect(message).toContain('Wallet/alice has -40')
    const times = String.raw`\d+\.\d{3} s`
    const paid = (number: number, balance: number) =>
      new RegExp(
        String.raw`${times}  node [ab]  Wallet/alice  pay\(70, '(first|second)'\)  ->  persisted Paid\(70\) #${number}  ->  answered ${balance}( at ${times})?\n`,
      )
    const [, first] = paid(2, 30).exec(message) ?? []
    const [, second] = paid(3, -40).exec(message) ?? []
    expect(new Set([first, second])).toEqual(new Set(['first', 'second']))
    // Both had looked before either paid.
    const lines = message.split('\n')
    const looks = lines.flatMap((line, at) =>
      line.includes('balance()  ->  answered 100') ? at : [],
    )
    const pays = lines.findIndex((line) => line.includes('pay(70'))
    expect(looks).toHaveLength(2)
    expect(looks.every((at) => at < pays)).toBe(true)
    // It is the story of this wallet, and turns are for those who ask for them.
    expect(message).not.toContain('bob')
    expect(message).not.toContain('The last events')
  }, 60_000)

  test('shows the last events as well when they are asked for', async () => {
    const scenario = async (simulation: Simulation): Promise<void> => {
      await shop(simulation)
      simulation.check('bob is rich', false, 'Wallet/bob has 100')
    }
    const { message } = await failureOf(simulate('shop', { seed: 1, scenario, trace: true }))
    expect(message).toMatch(
      /Wallet\/bob +fill\(100\)  ->  persisted Filled\(100\) #1  ->  answered 100/,
    )
    expect(message).toMatch(/The last events:\n[^]* turn /)
    expect(message).not.toContain('Wallet/alice')
  }, 60_000)

  test('is told of all entities when a violation names none, and is the same again', async () => {
    const scenario = async (simulation: Simulation): Promise<void> => {
      await shop(simulation, 1_000)
      simulation.check('all is well', false)
    }
    const [one, other] = await Promise.all(
      [1, 2].map(() => failureOf(simulate('shop', { seed: 3, scenario }))),
    )
    const { story = [] } = one!.violations[0]!
    for (const name of ['Wallet/alice', 'Wallet/bob', 'Order/first', 'Order/second']) {
      expect(story.some((line) => line.includes(name))).toBe(true)
    }
    expect(other!.violations[0]!.story).toEqual(story)
  }, 60_000)

  test('is told of the entity that a scenario fails by', async () => {
    const scenario = async (simulation: Simulation): Promise<void> => {
      const [a] = await shop(simulation)
      await simulation.settle(a!.entity(Wallet, 'bob').refuse())
    }
    const { message } = await failureOf(simulate('shop', { seed: 1, scenario }))
    expect(message).toMatch(/node [ab]  Wallet\/bob  refuse\(\)  ->  failed: not today/)
    expect(message).not.toContain('alice')
  }, 60_000)

  test('says what an entity has deleted', async () => {
    using simulation = new Simulation({ seed: 5 })
    const options = { entities: [Wallet], seeds: ['a:2552'] }
    const node = await simulation.settle(startSimulatedNode(simulation, 'a', options))
    const wallet = node.entity(Wallet, 'alice')
    await simulation.settle(wallet.fill(1))
    await simulation.settle(wallet.fill(2))
    await simulation.settle(wallet.close())
    await simulation.settle(wallet.fill(3))
    const told = simulation.story('Wallet/alice').slice(-4)
    const begins = ['fill(2)', 'close()', 'deleted everything up to #2', 'fill(3)']
    expect(told.map((line) => line.split(/Wallet\/alice +|  ->/)[1])).toEqual(begins)
    expect(told[3]).toContain('persisted Filled(3) #3')
  })

  test('has moves and faults in it', async () => {
    const simulation = new Simulation({ seed: 5 })
    const start = (name: string) =>
      startSimulatedNode(simulation, name, {
        entities: [Wallet],
        seeds: ['a:2552', 'b:2552', 'c:2552'],
      })
    const nodes = await simulation.settle(Promise.all(['a', 'b', 'c'].map(start)))
    const wallets = Array.from({ length: 9 }, (_, index) => `w${index}`)
    for (const wallet of wallets) {
      await simulation.settle(nodes[0]!.entity(Wallet, wallet).fill(1))
    }
    const lost = nodes[0]!.entity(Wallet, 'w1', { timeout: '100ms' }).fill(1)
    lost.catch(() => undefined)
    simulation.network.partition(['a'], ['b', 'c'])
    await simulation.run({ for: '200ms' })
    simulation.network.heal()
    simulation.crash('c')
    simulation.pause('b', '100ms')
    simulation.network.partition(['a'], ['b'])
    await simulation.run({ for: '1s' })
    simulation.network.heal()
    await simulation.run({ for: '1m' })
    const read = async (): Promise<void> => {
      for (const wallet of wallets)
        await nodes[0]!.entity(Wallet, wallet, { timeout: '1m' }).balance()
    }
    await simulation.settle(read(), { within: '5m' })
    const story = simulation.story(...wallets.map((wallet) => `Wallet/${wallet}`)).join('\n')
    for (const text of [
      'node c  dies',
      'node b  stops answering (SIGSTOP for 100 ms)',
      'node b  goes on (SIGCONT)',
      'partition of a | b',
      'node a  Wallet/w1  fill: a caller on this node gets no answer (ASK_TIMEOUT)',
      'the network is whole again',
    ]) {
      expect(story).toContain(text)
    }
    expect(story).toMatch(/shard \d+ of Wallet moves c -> [ab] \(c has ended\)/)
    expect(story).toMatch(/node [ab]  Wallet\/w\d  recovers from 1 stored event\n/)
    expect(simulation.story('Wallet/nobody')).toEqual([])
    simulation[Symbol.dispose]()
  }, 60_000)
})
