import { describe, expect, test } from 'vitest'
import { defineEntity } from '../../src/index.ts'
import { simulate, SimulationFailed } from '../../src/simulation/index.ts'
import { rehearse } from './rehearsal.ts'
import { Wallet } from './wallet.ts'

/** A wallet that does not recognise a bid it has held money for: an errand that is run twice is booked twice. */
const ForgetfulWallet: typeof Wallet = defineEntity('Wallet', {
  state: Wallet.state,
  events: Wallet.events,
  commands: {
    ...Wallet.commands,
    hold: (self, bid: string, amount: number) => {
      if (self.state.balance < amount) return 'no'
      self.persist('Held', bid, amount)
      return 'yes'
    },
  },
})

describe('the auction house under simulation', () => {
  test('loses no coin and doubles none', { timeout: 120_000 }, async () => {
    const report = await simulate('auction', {
      seeds: 30,
      scenario: (simulation) => rehearse(simulation, Wallet),
    })
    expect(report.violations).toBe(0)
  })

  test(
    'finds a wallet that books twice, and shows the two commands',
    { timeout: 120_000 },
    async () => {
      const failure: unknown = await simulate('forgetful', {
        seeds: 100,
        scenario: (simulation) => rehearse(simulation, ForgetfulWallet),
      }).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(SimulationFailed)
      const { message } = failure as SimulationFailed
      const [, bidder = ''] = /Wallet\/(\w+) has \d+ and should have \d+/.exec(message) ?? []
      const holds = [
        ...message.matchAll(
          new RegExp(`Wallet/${bidder} +hold\\('(bid-\\d+)', (\\d+)\\)  ->  persisted Held`, 'g'),
        ),
      ].map(([, bid]) => bid)
      // One bid, held twice.
      expect(new Set(holds).size).toBeLessThan(holds.length)
    },
  )
})
