/**
 * The auction house in a simulation: three nodes, bidders who ask again when no answer comes, a node that dies in the middle of
 * it, and looks at what was left undone. In the end every coin must be where it belongs. The wallet is given, so that a test
 * can plant a bug in it and see it found.
 */
import { CodedError, type SherdNode } from '../../src/index.ts'
import { ClusterChecks, type Simulation, startSimulatedNode } from '../../src/simulation/index.ts'
import { Auction, type Bid } from './auction.ts'
import { runErrands, sweep } from './errands.ts'
import { House, theHouse } from './house.ts'
import type { Wallet } from './wallet.ts'

const bidders = ['ada', 'bob', 'cem']
const coinsEach = 100
const openForMs = 20_000

export async function rehearse(simulation: Simulation, wallet: typeof Wallet): Promise<void> {
  const checks = new ClusterChecks(simulation)
  const nodes = new Map<string, SherdNode>()
  const start = async (name: string): Promise<void> => {
    const node = await startSimulatedNode(simulation, name, {
      entities: [Auction, wallet, House],
      seeds: ['a:2552', 'b:2552', 'c:2552'],
      beforeJoin: (each, life) => checks.attach(each, life),
    })
    nodes.set(name, node)
  }
  const anyNode = (): SherdNode => simulation.random.pick([...nodes.values()])
  const { settle, random } = {
    settle: simulation.settle.bind(simulation),
    random: simulation.random,
  }

  simulation.network.latency({ minMs: 1, meanMs: 5 })
  simulation.store.setFaults({ latencyMeanMs: 5 })
  await settle(Promise.all(['a', 'b', 'c'].map(start)))
  for (const bidder of bidders) {
    await settle(anyNode().entity(wallet, bidder).payIn('salary', coinsEach))
  }
  await settle(anyNode().entity(House, theHouse).list('lot-1'))
  // The clock of a node: that of the scenario itself, outside of any node, is the real one.
  const closesAt = anyNode().system.environment.clock.wallMs() + openForMs
  await settle(
    anyNode().entity(Auction, 'lot-1').open({ seller: 'sue', item: 'a clock', closesAt }),
  )

  for (let count = 1; count <= 12; count++) {
    const bid = { id: `bid-${count}`, bidder: random.pick(bidders), amount: 5 * count }
    simulation.after(random.below(openForMs), () => void persistently(anyNode, bid))
  }
  for (let at = 500; at < openForMs + 10_000; at += 500) {
    simulation.after(at, () => void sweep(anyNode()).catch(onlyOurs))
  }
  simulation.after(random.below(openForMs), () => {
    nodes.delete('c')
    simulation.crash('c')
  })
  await simulation.run({ for: openForMs + 30_000 })

  await settle(sweep(anyNode()))
  const left = await settle(anyNode().entity(House, theHouse).underWay())
  simulation.check('every auction ends', left.length === 0, `Auction/lot-1 has errands left`)
  const { highest } = await settle(anyNode().entity(Auction, 'lot-1').show())
  for (const bidder of bidders) {
    const { balance, held } = await settle(anyNode().entity(wallet, bidder).look())
    const right = coinsEach - (highest?.bidder === bidder ? highest.amount : 0)
    simulation.check(
      'everybody has what they had, less what they won',
      balance === right && held === 0,
      `Wallet/${bidder} has ${balance} and should have ${right}`,
    )
  }
}

/** As a browser would: the same request again, to whichever process, until somebody answers. */
async function persistently(anyNode: () => SherdNode, bid: Bid): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const node = anyNode()
    try {
      await node.entity(Auction, 'lot-1').bid(bid)
      return await runErrands(node, 'lot-1')
    } catch (error) {
      onlyOurs(error)
      if ((error as CodedError).code === 'COMMAND_FAILED') return
    }
  }
}

/** What a call can come to: the one who made it tries again, or somebody else does. */
function onlyOurs(error: unknown): void {
  if (!(error instanceof CodedError)) throw error
}
