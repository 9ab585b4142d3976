import { describe, expect, test } from 'vitest'
import { type Gossip, mergeGossip } from '../../src/cluster/gossip/gossip.ts'
import { asUp, joiningMember } from '../../src/cluster/gossip/member.ts'
import type { NodeId } from '../../src/foundation/node-id.ts'
import {
  FormerLivesAreSilent,
  MembersMoveForward,
  RemovedStayRemoved,
  SeenMeansSeen,
  SoundViews,
  ThawedAreMembers,
  ViewsConverge,
} from '../../src/simulation/internals.ts'
import { life } from './notebook.ts'

import { a, b, c, nextB, told, view, watching } from './views-of-members.ts'

describe('a seen set names only who has seen', () => {
  const rule = 'a seen set names only who has seen'
  const watch = () => told((findings, views) => new SeenMeansSeen(findings, views))
  const former = view({ [a]: 'Up', [b]: 'Up' })
  const latter = view({ [a]: 'Up', [b]: 'Up' }, { changes: { [a]: 2 }, seen: [a] })

  test('holds for one that has it, or a later one', () => {
    const { found, holds } = watch()
    holds(a, latter)
    holds(b, former)
    holds(b, latter)
    holds(b, { ...latter, seen: [b], version: [...latter.version.slice(0, 1), [b, 2]] })
    holds(a, { ...latter, seen: [a, b] })
    expect(found).toEqual([])
  })

  test('finds one that has not', () => {
    const { found, holds } = watch()
    holds(b, former)
    holds(a, { ...latter, seen: [a, b] })
    expect(found).toEqual([rule])
  })

  test('does not count changes of those who are gone', () => {
    const { found, holds } = watch()
    const all = view({ [a]: 'Up', [b]: 'Up', [c]: 'Down' }, { seen: [] })
    holds(b, all)
    holds(b, view({ [a]: 'Up', [b]: 'Up' }, { tombstones: [c] }))
    holds(b, view({ [a]: 'Up', [b]: 'Up' }))
    holds(a, { ...all, seen: [b] })
    expect(found).toEqual([])
  })
})

describe('a member never goes backwards', () => {
  const rule = 'a member never goes backwards'
  const watch = () => told((findings, views) => new MembersMoveForward(findings, views))

  test('but forward, and away with a tombstone', () => {
    const { found, holds } = watch()
    for (const status of ['Joining', 'Up', 'Leaving', 'Exiting', 'Down'] as const) {
      holds(a, view({ [a]: 'Up', [b]: status }))
    }
    holds(a, view({ [a]: 'Up' }, { tombstones: [b] }))
    expect(found).toEqual([])
  })

  test.each<[string, Gossip]>([
    ['in status', view({ [a]: 'Up', [b]: 'Up' })],
    ['nor without a tombstone', view({ [a]: 'Up' })],
    ['nor in what is known', view({ [a]: 'Up', [b]: 'Leaving' }, { changes: { [b]: 1 } })],
    [
      'nor in its number',
      {
        ...view({ [a]: 'Up', [b]: 'Leaving' }, { changes: { [b]: 2 } }),
        members: [asUp(joiningMember(a), 1), { ...asUp(joiningMember(b), 7), status: 'Leaving' }],
      },
    ],
  ])('%s', (_, after) => {
    const { found, holds } = watch()
    holds(a, view({ [a]: 'Up', [b]: 'Leaving' }, { changes: { [b]: 2 } }))
    holds(a, after)
    expect(found).toContain(rule)
  })
})

test('a removed member stays removed, also when its tombstone is gone', () => {
  const { found, holds } = told((findings, views) => new RemovedStayRemoved(findings, views))
  holds(a, view({ [a]: 'Up', [b]: 'Down' }))
  holds(a, view({ [a]: 'Up' }, { tombstones: [b] }))
  holds(a, view({ [a]: 'Up', [nextB]: 'Joining' }))
  // One that has not heard of it.
  holds(c, view({ [b]: 'Down', [c]: 'Up' }))
  expect(found).toEqual([])
  holds(a, view({ [a]: 'Up', [b]: 'Leaving' }))
  expect(found).toEqual(['a removed member stays removed'])
})

describe('a view is about its members', () => {
  const rule = 'a view is about its members'
  const watch = () => told((findings, views) => new SoundViews(findings, views))
  const sound = view({ [a]: 'Up', [b]: 'Up' }, { tombstones: [c] })

  test.each([
    ['who has seen it', { seen: [a, b, c] }],
    ['who observes', { reachability: [{ observer: c, version: 1, rows: [] }] }],
    ['who is counted in its version', { version: [...sound.version, [c, 1] as const] }],
    ['and nobody is a member and removed', { tombstones: [b, c] }],
  ])('%s', (_, wrong) => {
    const { found, holds } = watch()
    holds(a, sound)
    expect(found).toEqual([])
    holds(b, { ...sound, ...wrong })
    expect(found).toEqual([rule])
  })
})

describe('nothing is heard', () => {
  const watch = () => watching((findings, views) => new FormerLivesAreSilent(findings, views))

  test('of a former incarnation, once its successor was met', () => {
    const { notebook, checker } = watch()
    checker.heard(a, b)
    checker.met(c, nextB)
    checker.heard(a, b)
    expect(notebook.found).toEqual([])
    checker.heard(a, nextB)
    checker.heard(a, nextB)
    expect(notebook.found).toEqual([])
    checker.heard(a, b)
    checker.heard(c, b)
    const rule = 'no former incarnation is heard'
    expect(notebook.found).toEqual([rule, rule])
  })

  test('after quarantine, but of that incarnation alone', () => {
    const { notebook, checker } = watch()
    checker.quarantined(a, b)
    checker.heard(a, c)
    checker.heard(c, b)
    expect(notebook.found).toEqual([])
    checker.heard(a, b)
    expect(notebook.found).toEqual(['nothing is heard after quarantine'])
    checker.heard(a, nextB)
    expect(notebook.found).toHaveLength(1)
  })
})

describe('whoever thaws is still a member', () => {
  const rule = 'whoever thaws is still a member'

  function frozenB(excuse?: () => string) {
    const world = watching((findings, views) => new ThawedAreMembers(findings, views, excuse))
    const { checker, views } = world
    const lives = { a: life('a#1'), b: life('b#1') }
    checker.begins(a, lives.a, false)
    checker.begins(b, lives.b, false)
    checker.frozen(b)
    views.take(b, view({ [a]: 'Up', [b]: 'Up' }))
    return { ...world, lives }
  }

  test.each([
    ['Down', view({ [a]: 'Up', [b]: 'Down' })],
    ['removed', view({ [a]: 'Up' }, { tombstones: [b] })],
  ])('finds one that is %s to one that goes on', (_, held) => {
    const { notebook, checker, views } = frozenB()
    views.take(a, held)
    checker.thawed(b)
    expect(notebook.found).toEqual([rule])
  })

  test('does not heed one that has left in order, unless it was given up on its way', () => {
    const removed = view({ [a]: 'Up' }, { tombstones: [b] })
    const { notebook, checker, views } = frozenB()
    views.take(b, view({ [a]: 'Up', [b]: 'Exiting' }))
    views.take(a, removed)
    checker.thawed(b)
    expect(notebook.found).toEqual([])
    views.take(a, view({ [a]: 'Up', [b]: 'Down' }))
    views.take(a, removed)
    checker.thawed(b)
    expect(notebook.found).toEqual([rule])
  })

  test('heeds one that was on its way out and was removed because it was silent', () => {
    const { notebook, checker, views } = frozenB()
    const rows = [{ subject: b, status: 'Unreachable', version: 1 }] as const
    const reachability = [{ observer: a, version: 1, rows }]
    views.take(a, view({ [a]: 'Up', [b]: 'Exiting' }, { reachability }))
    views.take(a, view({ [a]: 'Up' }, { tombstones: [b] }))
    checker.thawed(b)
    expect(notebook.found).toEqual([rule])
  })

  test('does not heed who is dead, asleep, frozen, gone or Down itself', () => {
    const { notebook, checker, views, lives } = frozenB()
    views.take(a, view({ [a]: 'Down', [b]: 'Down' }))
    checker.thawed(b)
    views.take(a, view({ [a]: 'Up', [b]: 'Down' }))
    lives.a.isAlive = false
    checker.thawed(b)
    Object.assign(lives.a, { isAlive: true, isPaused: true })
    checker.thawed(b)
    lives.a.isPaused = false
    checker.frozen(a)
    checker.thawed(b)
    checker.left(a)
    checker.thawed(a)
    checker.thawed(b)
    expect(notebook.found).toEqual([])
  })

  test('does not heed one that was never let in', () => {
    const { notebook, checker, views } = frozenB()
    views.take(b, view({ [a]: 'Up', [b]: 'Joining' }))
    views.take(a, view({ [a]: 'Up', [b]: 'Down' }))
    checker.thawed(b)
    expect(notebook.found).toEqual([])
  })

  test('counts what a rule excuses', () => {
    const { notebook, checker, views } = frozenB(() => 'a flapping link')
    views.take(a, view({ [a]: 'Up', [b]: 'Down' }))
    checker.thawed(b)
    expect([notebook.found, notebook.excuses]).toEqual([[], ['S1: thawed after a flapping link']])
  })
})

describe('views converge', () => {
  const one = view({ [a]: 'Up', [b]: 'Up' }, { seen: [a, b] })

  function disagreement(held: Readonly<Record<NodeId, Gossip>>): string | undefined {
    const { views, checker } = watching((_, all) => new ViewsConverge(all))
    for (const [node, each] of Object.entries(held)) views.take(node, each)
    return checker.disagreementOf([a, b])
  }

  test('when all hold one, and know it of each other', () => {
    expect(disagreement({ [a]: one, [b]: { ...one, version: [...one.version] } })).toBeUndefined()
  })

  test.each([
    ['b#1 is in no cluster', undefined],
    ['a#1 and b#1 have two versions', { ...one, version: [...one.version, [c, 1] as const] }],
    ['a#1 and b#1 have two views of one version', { ...one, tombstones: [c] }],
    ['b#1 does not know that a#1 has seen its view', { ...one, seen: [b] }],
  ])('says that %s', (text, other) => {
    expect(disagreement({ [a]: one, ...(other && { [b]: other }) })).toBe(text)
  })
})

test('what is compared is what nodes hold: a merge of two views is sound', () => {
  const { found, holds } = told((findings, views) => new SoundViews(findings, views))
  holds(a, mergeGossip(view({ [a]: 'Up', [b]: 'Up' }), view({ [a]: 'Up' }, { tombstones: [b] })))
  expect(found).toEqual([])
})
