/**
 * An auction house on three processes and one store: people bid, a process is killed in the middle of it and another one
 * started, the auctions close, and the money is counted. Ends with 0 when every coin is where it belongs.
 *
 * Read first wallet.ts and auction.ts, the entities; then errands.ts, how money moves between them and survives a kill; then
 * service.ts and server.ts, how it is a service. This file and bidders.ts are the people around it.
 *
 * In a program of your own, write 'sherd' where it says '../../src/index.ts' here.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bidUntilClosed, Client, type Look, type Shown } from './bidders.ts'
import { Servers } from './processes.ts'

const bidders = ['ada', 'bob', 'cem', 'dan', 'eve', 'fay']
const sellers = ['sue', 'tom']
const auctions = Array.from({ length: 8 }, (_, at) => `lot-${at + 1}`)
const coinsEach = 300
const openForMs = 8_000

const folder = mkdtempSync(join(tmpdir(), 'sherd-auction-'))
const servers = new Servers(folder)
const client = new Client(() => servers.running)
try {
  await servers.start()
  await Promise.all([servers.start(), servers.start()])
  console.log('Three processes are up.')

  for (const bidder of bidders) {
    const deposit = { name: 'salary', amount: coinsEach }
    await client.send('POST', `/wallets/${bidder}/deposits`, deposit)
  }
  const closesAt = Date.now() + openForMs
  for (const [at, auction] of auctions.entries()) {
    const offer = { seller: sellers[at % sellers.length]!, item: `item ${at}`, closesAt }
    await client.send('PUT', `/auctions/${auction}`, offer)
  }
  console.log(`${auctions.length} auctions are open for ${openForMs / 1_000} s.`)

  const bidding = bidders.map((bidder) => bidUntilClosed(client, bidder, auctions))
  await pause(openForMs / 4)
  await servers.kill(servers.running[0]!)
  console.log('One process was killed with kill -9.')
  await pause(openForMs / 4)
  await servers.start()
  console.log('Another one has joined.')
  const tallies = await Promise.all(bidding)

  // Whoever closes them, and runs the last errands.
  while ((await client.get<readonly string[]>('/auctions')).length > 0) await pause(100)
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)
  const count = (what: 'bids' | 'refused'): number => sum(tallies.map((tally) => tally[what]))
  console.log(`${count('bids')} bids, ${count('refused')} of them refused.`)
  console.log(`Requests sent again: ${client.sentAgain}.`)

  const shown = await Promise.all(auctions.map((each) => client.get<Shown>(`/auctions/${each}`)))
  const wallets = await Promise.all(
    [...bidders, ...sellers].map((each) => client.get<Look>(`/wallets/${each}`)),
  )
  const paid = sum(shown.map(({ highest }) => highest?.amount ?? 0))
  const earned = sum(wallets.slice(bidders.length).map(({ balance }) => balance))
  const all = sum(wallets.map(({ balance, held }) => balance + held))
  const held = sum(wallets.map(({ held: coins }) => coins))
  console.log(`All auctions are closed; the sellers have earned ${earned} of ${paid}.`)
  const isRight = all === bidders.length * coinsEach && held === 0 && earned === paid
  console.log(`The money is ${isRight ? 'right' : 'WRONG'}: ${all} coins, ${held} of them held.`)
  process.exitCode = isRight ? 0 : 1
} finally {
  await servers.stopAll()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
