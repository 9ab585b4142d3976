import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Mail, type Step, plan } from './ledger.ts'
import { nothingMayEscape } from './stage.ts'
import { Theatre } from './theatre.ts'

/** Numbers grow with each message sent, so a sender's handled ones must grow as well, unless some were stashed. */
function isInOrder(handled: readonly Mail[]): boolean {
  const last = new Map<number, number>()
  return handled.every(({ sender, number }) => {
    const isLater = number > (last.get(sender) ?? -1)
    last.set(sender, number)
    return isLater
  })
}

describe('conservation of messages', () => {
  nothingMayEscape()

  test('every message is handled once, or lost once with a reason, or was the one that failed', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (drawn) => {
        const theatre = new Theatre(drawn)
        await theatre.run()
        expect(theatre.ledger.discrepancies).toEqual([])
      }),
      { numRuns: 1_500, endOnFailure: false },
    )
  })

  test('the messages of one sender that are handled without a stash are handled in order', async () => {
    const isUnstashed = (each: Step): boolean =>
      each.type !== 'send' || !each.deed.includes('stash')
    const withoutStash = plan.map((drawn) => ({
      ...drawn,
      steps: drawn.steps.filter(isUnstashed),
    }))
    await fc.assert(
      fc.asyncProperty(withoutStash, async (drawn) => {
        const theatre = new Theatre(drawn)
        await theatre.run()
        expect(isInOrder(theatre.ledger.handled)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
