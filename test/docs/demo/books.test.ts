import { describe, expect, test } from 'vitest'
import { Desk } from '../../../examples/demo/desk.ts'
import { LiveAudit } from '../../../examples/demo/live-audit.ts'
import { booked, Ledger, type Statement, type Transfer } from '../../../examples/demo/transfers.ts'

const opening = (): Map<string, Statement> =>
  new Map(['a', 'b', 'c'].map((id) => [id, { balance: 100, bookings: 0, seal: 0 }]))

const transfer = (number: number, from: string, to: string, amount: number): Transfer => ({
  teller: 'teller-1',
  number,
  from,
  to,
  amount,
})

/** What honest accounts would hold after these. */
function accountsAfter(...transfers: readonly Transfer[]): Map<string, Statement> {
  const accounts = opening()
  for (const each of transfers) {
    accounts.set(each.from, booked(accounts.get(each.from)!, each, -each.amount))
    accounts.set(each.to, booked(accounts.get(each.to)!, each, each.amount))
  }
  return accounts
}

describe('the ledger', () => {
  const first = transfer(1, 'a', 'b', 30)
  const second = transfer(2, 'b', 'c', 5)

  const ledger = (): Ledger => {
    const books = new Ledger(opening())
    books.acknowledge(first, 'done')
    books.acknowledge(second, 'done')
    books.acknowledge(transfer(3, 'c', 'a', 1_000), 'refused')
    return books
  }

  test('balances when each transfer was booked once, in whatever order', () => {
    expect(ledger().audit(accountsAfter(first, second))).toEqual([])
    expect(ledger().audit(accountsAfter(second, first))).toEqual([])
    expect(ledger()).toMatchObject({ done: 2, refused: 1, coins: 300 })
  })

  test('finds one that is missing, doubled or half', () => {
    expect(ledger().audit(accountsAfter(first))).not.toEqual([])
    expect(ledger().audit(accountsAfter(first, first, second))).not.toEqual([])
    const half = accountsAfter(first, second)
    half.set('c', accountsAfter(first).get('c')!)
    expect(ledger().audit(half)).toEqual([
      'there should be 300 coins, there are 295',
      'c holds 100 and should hold 105',
    ])
  })

  test('finds other transfers with the same sums', () => {
    expect(ledger().audit(accountsAfter(first, transfer(4, 'b', 'c', 5)))).toEqual([
      'b has other bookings than those acknowledged',
      'c has other bookings than those acknowledged',
    ])
  })

  test('finds an account that is missing', () => {
    const accounts = accountsAfter(first, second)
    accounts.delete('a')
    expect(ledger().audit(accounts)).toContain('a is missing')
  })
})

describe('a look into the accounts while money moves', () => {
  const booking = transfer(1, 'a', 'b', 30)
  const later = transfer(2, 'b', 'c', 5)

  test('takes every state of what is under way for right', () => {
    const audit = new LiveAudit(opening(), [booking])
    audit.begun(later)
    const half = accountsAfter(booking, later)
    half.set('b', accountsAfter(booking).get('b')!)
    for (const found of [opening(), accountsAfter(later), accountsAfter(booking, later), half]) {
      expect(audit.judge(found)).toEqual({ problems: [], undecided: 0 })
    }
  })

  test('finds what nothing under way explains', () => {
    const audit = new LiveAudit(accountsAfter(booking), [later])
    const doubled = accountsAfter(booking, later, later)
    expect(audit.judge(doubled).problems).toEqual([
      'b holds 120, which no transfer explains',
      'c holds 110, which no transfer explains',
    ])
    expect(audit.judge(opening()).problems).toHaveLength(2)
    // The same sums by another transfer.
    expect(audit.judge(accountsAfter(booking, transfer(9, 'b', 'c', 5))).problems).toHaveLength(2)
  })

  test('leaves open what has too much under way', () => {
    const many = Array.from({ length: 20 }, (_, at) => transfer(at, 'a', 'b', 1))
    expect(new LiveAudit(opening(), many).judge(opening())).toEqual({ problems: [], undecided: 2 })
  })
})

describe('the desk', () => {
  test('knows the longest that anybody has waited', () => {
    const desk = open()
    desk.opened('one')
    const first = desk.next(1_000)!
    desk.next(2_000)
    expect(desk.longestWaitMs(2_500)).toBe(1_500)
    desk.finished(first.transfer, 4_000)
    expect([desk.longestWaitMs(4_100), desk.longestWaitMs(5_500)]).toEqual([3_000, 3_500])
  })

  const open = (): Desk =>
    new Desk({ accounts: ['a', 'b', 'c'], tellers: 4, firstNumber: 1, random: () => 0.5 })

  const begin = (desk: Desk, customers: number) =>
    Array.from({ length: customers }, () => desk.next(0)).filter((each) => each !== undefined)

  test('spreads the work over the nodes, and turns away whom nobody can serve', () => {
    const desk = open()
    expect(desk.next(0)).toBeUndefined()
    desk.opened('one')
    desk.opened('two')
    const nodes = begin(desk, 6).map(({ node }) => node)
    expect(nodes).toEqual(['one', 'two', 'one', 'two'])
    expect(desk.underWay).toHaveLength(4)
  })

  test('gives the same transfer to another node when its node is gone', () => {
    const desk = open()
    desk.opened('one')
    const before = begin(desk, 3)
    expect(desk.closed('one', true)).toEqual([])
    const after = desk.opened('two')
    expect(after.map((each) => each.transfer)).toEqual(before.map((each) => each.transfer))
    expect(after.every(({ node }) => node === 'two')).toBe(true)
  })

  test('leaves a draining node what it has, and gives it nothing new', () => {
    const desk = open()
    desk.opened('one')
    begin(desk, 1)
    desk.opened('two')
    expect(desk.closed('one', false)).toEqual([])
    expect(desk.next(0)?.node).toBe('two')
  })

  test('takes an answer once, whichever node gave it', () => {
    const desk = open()
    desk.opened('one')
    const { transfer: given } = desk.next(0)!
    expect(desk.finished(given, 0)).toBe(true)
    expect(desk.finished(given, 0)).toBe(false)
    const { transfer: next } = desk.next(0)!
    expect(next.teller).toBe(given.teller)
    expect(next.number).toBeGreaterThan(given.number)
    expect(desk.finished(given, 0)).toBe(false)
  })

  test('begins nothing new once it closes, but finishes what it has', () => {
    const desk = open()
    desk.opened('one')
    begin(desk, 1)
    desk.close()
    expect(desk.next(0)).toBeUndefined()
    expect(desk.underWay).toHaveLength(1)
    desk.opened('two')
    expect(desk.closed('one', true)).toHaveLength(1)
  })

  test('never sends money from an account to itself', () => {
    for (const random of [0, 0.34, 0.999]) {
      const desk = new Desk({
        accounts: ['a', 'b'],
        tellers: 1,
        firstNumber: 1,
        random: () => random,
      })
      desk.opened('one')
      const { transfer: given } = desk.next(0)!
      expect(given.from).not.toBe(given.to)
      expect(given.amount).toBeGreaterThan(0)
    }
  })
})
