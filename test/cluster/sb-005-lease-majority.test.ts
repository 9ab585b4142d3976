import { describe, expect, test } from 'vitest'
import { downAll } from '../../src/cluster/downing/down-all.ts'
import { leaseNameOf } from '../../src/cluster/downing/lease-arbiter.ts'
import { leaseMajority } from '../../src/cluster/downing/lease-majority.ts'
import { isPending } from '../../src/cluster/downing/judgement.ts'
import { asked, decided, id, judged, side, tangle } from './split-views.ts'

const lease = (role?: string) =>
  leaseMajority(
    { role, acquireLeaseDelayForMinorityMs: 2_000, releaseAfterMs: 40_000 },
    () => 4_000,
  )

describe('SB-005 lease-majority (V-17)', () => {
  test.each([
    ['ACE|BD', undefined, 'after 0: BD, refused: ACE'],
    ['BD|ACE', undefined, 'after 2000: ACE, refused: BD'],
    ['ADE|BC', '2', 'after 2000: BC, refused: ADE'],
    ['BC|ADE', '2', 'after 0: ADE, refused: BC'],
    ['AC|B', undefined, 'after 0: B, refused: AC'],
    ['AB|CD', undefined, 'after 0: CD, refused: AB'],
    ['CD|AB', undefined, 'after 2000: AB, refused: CD'],
  ])('%s with role %s: %s', (split, role, expected) => {
    expect(asked(side(split), lease(role))).toBe(expected)
  })

  test('the indirectly connected go in any case, and all others too when the lease is refused', () => {
    expect(asked(tangle('ABC', 'A>B B>A'), lease())).toBe('after 0: AB, refused: ABC')
    const beside = tangle('ABCDE', 'B>C C>B A>D B>D C>D A>E B>E C>E', 'ABC')
    expect(asked(beside, lease())).toBe('after 0: BCDE, refused: ABC')
    expect(asked(side('DE|ABC'), lease())).toBe('after 2000: ABC, refused: DE')
  })

  test('the side that asks later is frozen from the start, the other one when it has waited', () => {
    const freezes = (split: string) => {
      const judgement = judged(side(split), lease())
      return isPending(judgement) && judgement.freezeAfterMs
    }
    expect([freezes('ACE|BD'), freezes('BD|ACE')]).toEqual([4_000, 0])
  })

  test('the lease has a name of its own for each cluster, unless one was given', () => {
    expect(leaseNameOf({ leaseName: undefined }, 'shop')).toBe('shop-split')
    expect(leaseNameOf({ leaseName: '  ' }, 'shop')).toBe('shop-split')
    expect(leaseNameOf({ leaseName: 'mine' }, 'shop')).toBe('mine')
  })
})

describe('SB-005 down-all (V-17)', () => {
  test('downs everybody', () => {
    expect(decided(side('ABC|DE'), downAll())).toBe('All ABCDE')
    expect(decided(side('DE|ABC'), downAll())).toBe('All ABCDE')
    expect(decided(tangle('ABC', 'A>B B>A'), downAll())).toBe('IndirectlyConnected ABC')
  })

  test('lets a node go on by the word of anybody', () => {
    const electorate = side('ABC|').members
    const weigh = (answered: string) =>
      downAll().weigh({
        self: id('A'),
        electorate,
        answered: new Set(answered.split('').map(id)),
        left: new Set(electorate.map(({ node }) => node)),
      })
    expect([weigh('A'), weigh('AC')]).toEqual(['open', 'vouched'])
  })
})
