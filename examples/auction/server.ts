/** One process of the auction house: a node, its HTTP server, and somebody who looks after auctions that nobody calls. */
import { startNode } from '../../src/index.ts'
import { Auction } from './auction.ts'
import { sweep } from './errands.ts'
import { House } from './house.ts'
import { serviceOf } from './service.ts'
import { Wallet } from './wallet.ts'

const [folder = './auction-data', seeds = ''] = process.argv.slice(2)
const sweepEveryMs = 500

const node = await startNode({
  entities: [Auction, Wallet, House],
  store: { folder },
  seeds: seeds === '' ? [] : seeds.split(','),
})
const app = serviceOf(node)
const address = await app.listen({ host: '127.0.0.1', port: 0 })

let sweeping: Promise<void> | undefined
const sweeper = setInterval(() => {
  // What fails now is tried again by the next look, here or elsewhere.
  sweeping ??= sweep(node)
    .catch(() => undefined)
    .finally(() => (sweeping = undefined))
}, sweepEveryMs)

node.system.shutdown.addTask('service-unbind', 'close the HTTP server', async () => {
  clearInterval(sweeper)
  await app.close()
  await sweeping
})
void node.whenStopped.then(() => process.exit())
process.once('disconnect', () => process.exit(1))
process.send?.({ http: address, node: node.address })
