/**
 * Runs what auctions have written down: each errand is a call to a wallet, and then a word to the auction that it is done. Any
 * process may run any errand, also two at once; wallet and auction recognise by its name what they have done.
 */
import type { HandleOf, SherdNode } from '../../src/index.ts'
import { Auction, type Errand } from './auction.ts'
import { House, theHouse } from './house.ts'
import { Wallet } from './wallet.ts'

/** What is needed of a node: a test gives another. */
export type Callers = Pick<SherdNode, 'entity'>

/** Until none is left: one that is done may cause the next. */
export async function runErrands(node: Callers, auctionId: string): Promise<void> {
  const auction = node.entity(Auction, auctionId)
  for (;;) {
    const errands = await auction.errands()
    if (errands.length === 0) return
    for (const errand of errands) {
      const answer = await run(node.entity(Wallet, errand.wallet), errand)
      await auction.done(errand.name, answer)
    }
  }
}

async function run(
  wallet: HandleOf<typeof Wallet>,
  { does, bid, amount, name }: Errand,
): Promise<'yes' | 'no'> {
  if (does === 'hold') return wallet.hold(bid, amount)
  if (does === 'payIn') await wallet.payIn(name, amount)
  else await wallet[does](bid)
  return 'yes'
}

/** One look at all auctions under way: closes those whose time is over, and runs what others have left undone. */
export async function sweep(node: Callers): Promise<void> {
  const house = node.entity(House, theHouse)
  for (const id of await house.underWay()) {
    await node.entity(Auction, id).look()
    await runErrands(node, id)
    if (await node.entity(Auction, id).look()) await house.ended(id)
  }
}
