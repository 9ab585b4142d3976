import { describe, test } from 'vitest'
import { entityKit } from '../../src/testkit/index.ts'
import { Auction, type Bid, type Errand } from './auction.ts'
import { Wallet } from './wallet.ts'

describe('a wallet', () => {
  const rich = () => entityKit(Wallet, 'ada').given(['PaidIn', 'salary', 100])

  test('holds what there is, once for each bid', async () => {
    const { when } = rich()
    await when.hold('bid-1', 70).then({ events: [['Held', 'bid-1', 70]], answer: 'yes' })
    await when.hold('bid-1', 70).then({ events: [], answer: 'yes' })
    await when.look().then({ answer: { balance: 30, held: 70 } })
  })

  test('says the same no again, also when there is money by now', async () => {
    const { when } = rich()
    await when.hold('bid-1', 101).then({ events: [['HoldRefused', 'bid-1']], answer: 'no' })
    await when.payIn('gift', 50)
    await when.hold('bid-1', 101).then({ events: [], answer: 'no' })
  })

  test('gives back or spends what it holds, and only one of the two', async () => {
    const { when } = rich()
    await when.hold('bid-1', 70)
    await when.release('bid-1').then({ events: [['Released', 'bid-1']] })
    await when.spend('bid-1').then({ events: [] })
    await when.look().then({ answer: { balance: 100, held: 0 } })
  })
})

describe('an auction', () => {
  const bid = (id: string, bidder: string, amount: number): Bid => ({ id, bidder, amount })
  const first = bid('bid-1', 'ada', 10)
  const second = bid('bid-2', 'bob', 15)
  const errand = (does: Errand['does'], { id, amount }: Bid, wallet: string): Errand => ({
    ...{ name: `${does} ${id}`, does, wallet, bid: id, amount },
  })

  const open = () => {
    const kit = entityKit(Auction, 'lot-1')
    const closesAt = kit.time.environment.clock.wallMs() + 60_000
    kit.given(['Opened', { seller: 'sue', item: 'a clock', closesAt }])
    return kit
  }

  test('asks for the money before a bid leads', async () => {
    const kit = open()
    await kit.when.bid(first).then({ events: [['Asked', first]] })
    await kit.when.errands().then({ answer: [errand('hold', first, 'ada')] })
    await kit.when.standing('bid-1').then({ answer: 'asked' })
    await kit.when.done('hold bid-1', 'yes')
    await kit.when.standing('bid-1').then({ answer: 'leads' })
    await kit.when.errands().then({ answer: [] })
  })

  test('gives back the money of whoever is outbid', async () => {
    const kit = open()
    await kit.given(['Asked', first], ['CrossedOut', 'hold bid-1'], ['Led', 'bid-1'])
    await kit.when.bid(second)
    await kit.when.done('hold bid-2', 'yes').then({
      events: [
        ['CrossedOut', 'hold bid-2'],
        ['Led', 'bid-2'],
      ],
    })
    await kit.when.errands().then({ answer: [errand('release', first, 'ada')] })
  })

  test('takes a request that comes twice for one bid, and an errand that is done twice for one', async () => {
    const kit = open()
    await kit.when.bid(first)
    await kit.when.bid(first).then({ events: [] })
    await kit.when.done('hold bid-1', 'yes')
    await kit.when.done('hold bid-1', 'yes').then({ events: [] })
  })

  test('refuses what is too low, and gives back what came too late', async () => {
    const kit = open()
    await kit.when.bid(first)
    await kit.when.bid(second)
    // The lower bid is heard of after the higher one.
    await kit.when.done('hold bid-2', 'yes')
    await kit.when.done('hold bid-1', 'yes')
    await kit.when.errands().then({ answer: [errand('release', first, 'ada')] })
    await kit.when.bid(bid('bid-3', 'cem', 15)).thenFails('BID_TOO_LOW')
  })

  test('closes when its time is over, and lets the winner pay the seller', async () => {
    const kit = open()
    await kit.given(['Asked', first], ['CrossedOut', 'hold bid-1'], ['Led', 'bid-1'])
    await kit.when.look().then({ events: [], answer: false })
    await kit.time.advance('1m')
    await kit.when.bid(second).thenFails('AUCTION_CLOSED')
    await kit.when.look().then({ events: [['Closed']], answer: false })
    const [spend, payIn] = [errand('spend', first, 'ada'), errand('payIn', first, 'sue')]
    await kit.when.errands().then({ answer: [spend, payIn] })
    await kit.when.done('spend bid-1', 'yes')
    await kit.when.done('payIn bid-1', 'yes')
    await kit.when.look().then({ events: [], answer: true })
  })
})
