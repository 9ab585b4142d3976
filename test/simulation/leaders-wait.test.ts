import { describe, expect, test } from 'vitest'
import type { Gossip } from '../../src/cluster/gossip/gossip.ts'
import type { Member } from '../../src/cluster/gossip/member.ts'
import { LeadersWait } from '../../src/simulation/internals.ts'
import { a, b, c, nextB, told, view } from './views-of-members.ts'

describe('a leader acts only on convergence', () => {
  const rule = 'a leader acts only on convergence'
  const watch = () => told((findings, views) => new LeadersWait(findings, views))
  const settled = view({ [a]: 'Up', [b]: 'Up', [c]: 'Joining' })
  const acted = view({ [a]: 'Up', [b]: 'Up', [c]: 'Up' }, { changes: { [a]: 2 }, seen: [a] })

  test('when all in service have seen what it acts upon', () => {
    const { found, holds } = watch()
    holds(a, view({ [a]: 'Up', [b]: 'Up' }, { changes: { [a]: 0 } }))
    for (const node of [b, a]) holds(node, settled)
    holds(a, acted)
    // Whoever hears of it later has not done it.
    holds(b, acted)
    expect(found).toEqual([])
  })

  test.each([
    ['when all of the others have seen it', [a, b, c], []],
    ['not before', [a, c], [rule]],
    ['not before those who join it have', [a, b], [rule]],
  ])('of a data center lets in the first of it, %s', (_, seenBy, expected) => {
    const { found, holds } = watch()
    const isEast = ({ node }: Member): boolean => node === c || node === nextB
    const inEast = (held: Gossip): Gossip => ({
      ...held,
      members: held.members.map((m) => (isEast(m) ? { ...m, dataCenter: 'east' } : m)),
    })
    const members = { [a]: 'Up', [b]: 'Up', [c]: 'Joining', [nextB]: 'Joining' } as const
    const joined = inEast(view(members))
    const letIn = { ...members, [c]: 'Up', [nextB]: 'Up' } as const
    const early = view({ [a]: 'Up', [b]: 'Up' }, { changes: { [a]: 0 } })
    for (const node of [a, b]) holds(node, early)
    for (const node of [nextB, ...seenBy]) holds(node, joined)
    holds(nextB, inEast(view(letIn, { changes: { [nextB]: 2 }, seen: [nextB] })))
    expect([...new Set(found)]).toEqual(expected)
  })

  test('not before', () => {
    const { found, holds } = watch()
    for (const node of [a, b]) holds(node, view({ [a]: 'Up', [b]: 'Up' }, { changes: { [a]: 0 } }))
    holds(a, settled)
    expect(found).toEqual([])
    holds(a, acted)
    expect(found).toEqual([rule])
  })

  test('when one was let in already by a leader that has told nobody else of it and died', () => {
    const { found, holds } = watch()
    for (const node of [a, b]) holds(node, settled)
    holds(a, acted)
    holds(c, acted)
    const changes = { [a]: 1, [b]: 3 }
    holds(b, view({ [b]: 'Up', [c]: 'Up' }, { changes, tombstones: [a] }))
    expect(found).toEqual([])
  })

  test.each([
    [
      'when a third one tells it that it was let in by one that died, and it leads by that',
      'Up',
      [],
    ],
    ['not when nobody could have told it so', 'Joining', [rule]],
  ] as const)('%s', (_, known, expected) => {
    const { found, holds } = watch()
    const joining = view({ [a]: 'Joining', [b]: 'Up', [c]: 'Up' })
    for (const node of [c, b, a]) holds(node, joining)
    found.length = 0
    holds(b, view({ [a]: 'Up', [b]: 'Up', [c]: 'Up' }, { changes: { [b]: 2 } }))
    const rows = [{ subject: b, status: 'Terminated', version: 1 }] as const
    const reachability = [{ observer: c, version: 1, rows }]
    const changes = { [b]: known === 'Up' ? 2 : 1, [c]: 2 }
    holds(c, view({ [a]: known, [b]: 'Down', [c]: 'Up' }, { changes, reachability }))
    holds(a, view({ [a]: 'Up', [c]: 'Up' }, { changes: { [a]: 2, [c]: 2 }, tombstones: [b] }))
    expect(found).toEqual(expected)
  })

  test('not while somebody who counts is out of reach', () => {
    const { found, holds } = watch()
    const reachability = [
      { observer: a, version: 1, rows: [{ subject: b, status: 'Unreachable', version: 1 }] },
    ] as const
    for (const node of [a, b]) holds(node, settled)
    for (const node of [a, b]) holds(node, { ...settled, reachability })
    expect(found).toEqual([])
    holds(a, { ...acted, reachability })
    expect(found).toEqual([rule])
  })

  test('and nobody else does', () => {
    const { found, holds } = watch()
    for (const node of [a, b]) holds(node, settled)
    holds(b, {
      ...acted,
      version: [
        [a, 1],
        [b, 2],
        [c, 1],
      ] as const,
    })
    expect(found).toEqual([rule])
  })

  test('and removes only who is Down or Exiting', () => {
    const { found, holds } = watch()
    const [before, after] = [
      view({ [a]: 'Up', [b]: 'Up', [c]: 'Up' }),
      view({ [a]: 'Up', [b]: 'Up' }, { changes: { [a]: 2 }, tombstones: [c] }),
    ]
    for (const node of [c, b, a]) holds(node, before)
    found.length = 0
    holds(a, after)
    expect(found).toEqual([rule])
  })

  test('and alone it waits for nobody', () => {
    const { found, holds } = watch()
    holds(a, view({ [a]: 'Up' }, { changes: { [a]: 3 } }))
    holds(a, view({ [a]: 'Up', [b]: 'Up' }, { changes: { [a]: 6 } }))
    expect(found).toEqual([])
  })
})
