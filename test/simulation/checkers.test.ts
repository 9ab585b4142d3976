import { describe, expect, test } from 'vitest'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { LocalShardStarted, LocalShardStopped } from '../../src/sharding/index.ts'
import type { FaultKind, Findings } from '../../src/simulation/index.ts'
import {
  NoSilentLoss,
  NothingAcknowledgedIsLost,
  OneActiveInstance,
  OneCoordinator,
  OneFounding,
  SenderOrder,
  ShardMap,
} from '../../src/simulation/internals.ts'

/** Collects what a checker finds; time goes on by one with every look. */
class Notebook implements Findings {
  readonly found: string[] = []
  readonly excuses: string[] = []
  now = 0
  readonly troubles = new Set<FaultKind>()
  readonly places: string[] = []

  reached(name: string): void {
    this.places.push(name)
  }

  check(name: string, holds: boolean): void {
    if (!holds) this.found.push(name)
  }

  excuse(name: string): void {
    this.excuses.push(name)
  }
}

const life = (label: string) => ({ label, isAlive: true, isPaused: false, pauseCount: 0 })

describe('at most one active instance', () => {
  const twice = 'at most one active instance of an entity'

  test('finds the second start, and the rival when one of two acts', () => {
    const notebook = new Notebook()
    const checker = new OneActiveInstance(notebook)
    const [a, b] = [life('a#1'), life('b#1')]
    checker.started(a, 'Cart/1', '0.1')
    checker.started(b, 'Cart/1', '0.1')
    expect(notebook.found).toEqual([twice])
    checker.acted(a, 'Cart/1')
    expect(notebook.found).toEqual([twice, twice])
  })

  test('does not count who is dead, frozen or stopped', () => {
    const notebook = new Notebook()
    const checker = new OneActiveInstance(notebook)
    const [a, b, c] = [life('a#1'), life('b#1'), life('c#1')]
    checker.started(a, 'Cart/1', '0.1')
    a.isAlive = false
    checker.started(b, 'Cart/1', '0.1')
    checker.frozen(b)
    checker.started(c, 'Cart/1', '0.1')
    checker.stopped(c, 'Cart/1', '0.1')
    checker.thawed(b)
    checker.acted(b, 'Cart/1')
    expect(notebook.found).toEqual([])
    checker.frozen(b)
    checker.acted(b, 'Cart/1')
    expect(notebook.found).toEqual(['nothing is handled on a frozen node'])
  })

  test('blames a sleeper for what it handles after it was replaced, not for having slept', () => {
    const notebook = new Notebook()
    const checker = new OneActiveInstance(notebook)
    const [a, b] = [life('a#1'), life('b#1')]
    checker.started(a, 'Cart/1', '0.1')
    a.pauseCount = 1
    checker.started(b, 'Cart/1', '0.1')
    checker.acted(b, 'Cart/1')
    expect(notebook.found).toEqual([])
    checker.acted(a, 'Cart/1')
    expect(notebook.found).toEqual([twice])
  })

  test('counts what a rule excuses', () => {
    const notebook = new Notebook()
    const checker = new OneActiveInstance(notebook, () => 'a flapping link')
    checker.started(life('a#1'), 'Cart/1', '0.1')
    checker.started(life('b#1'), 'Cart/1', '0.1')
    expect([notebook.found, notebook.excuses]).toEqual([[], ['S1: a flapping link']])
  })
})

test('one coordinator per term, and terms grow', () => {
  const notebook = new Notebook()
  const checker = new OneCoordinator(notebook)
  for (const term of [1, 2, 2, 1]) checker.started(life('a#1'), 'Cart', term)
  expect(notebook.found).toEqual(['one coordinator per term', 'terms of coordinators grow'])
})

test('messages of a sender arrive in order and once, gaps aside', () => {
  const notebook = new Notebook()
  const checker = new SenderOrder(notebook)
  for (const number of [1, 3, 3, 2]) checker.received('a#1', 'i1', number)
  checker.received('b#1', 'i1', 1)
  expect(notebook.found).toHaveLength(2)
})

/** It runs there, and was given to nobody else. */
const atHome = (home: string, ...chosen: string[]) => ({
  homes: new Set([home]),
  chosen: new Set([home, ...chosen]),
  isAtHome: true,
})

describe('no message is given up without a fault', () => {
  const name = 'no message is given up without a fault'

  test('that explains it', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    for (const id of ['in calm', 'overtaken', 'unreachable', 'too many']) checker.sent(id, 'a#1')
    checker.lost('in calm', { reason: 'overtaken', by: 'a#1' })
    expect(notebook.found).toEqual([name])
    notebook.troubles.add('store')
    checker.lost('overtaken', { reason: 'overtaken', by: 'a#1' })
    expect(notebook.found).toEqual([name])
    checker.lost('unreachable', { reason: 'unreachable', by: 'a#1' })
    expect(notebook.found).toEqual([name, name])
    notebook.troubles.add('network')
    checker.lost('too many', { reason: 'shard-buffer-full', by: 'a#1' })
    expect(notebook.found).toEqual([name, name, name])
    expect(notebook.places).toContain('a message is given up: overtaken')
  })

  test('or a node that had no more time, or that was told to stop before', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    checker.sent('early', 'a#1')
    checker.leaves('a#1')
    checker.sent('late', 'a#1')
    checker.lost('late', { reason: 'region-stopped', by: 'a#1' })
    expect(notebook.found).toEqual([])
    checker.overran()
    checker.lost('early', { reason: 'region-stopped', by: 'a#1' })
    checker.conclude()
    expect(notebook.found).toEqual([])
  })

  test('when all leave, there is nobody to take what waits, but everything else is owed', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    for (const id of ['waiting', 'on its way']) checker.sent(id, 'a#1')
    checker.nobodyStays()
    checker.lost('waiting', { reason: 'region-stopped', by: 'a#1' })
    expect(notebook.found).toEqual([])
    checker.lost('on its way', { reason: 'unreachable', by: 'a#1' })
    expect(notebook.found).toEqual([name])
  })

  test('one that was told to stop may only refuse, and only itself', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    checker.leaves('a#1')
    for (const id of ['refused', 'taken', 'refused elsewhere']) checker.sent(id, 'a#1')
    checker.lost('refused', { reason: 'region-stopped', by: 'a#1' })
    expect(notebook.found).toEqual([])
    checker.lost('taken', { reason: 'overtaken', by: 'a#1' })
    expect(notebook.found).toEqual([name])
    checker.lost('refused elsewhere', { reason: 'region-stopped', by: 'b#1' })
    expect(notebook.found).toEqual([name, name])
  })
})

describe('no message is lost silently', () => {
  test('unless it was delivered, or its loss was told', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    for (const id of ['delivered', 'told', 'vanished']) checker.sent(id, 'a#1')
    checker.delivered('delivered')
    notebook.troubles.add('crash')
    checker.lost('told', { reason: 'quarantined', by: 'a#1' })
    checker.conclude()
    expect(notebook.found).toEqual(['no message is lost silently'])
    checker.delivered('delivered')
    expect(notebook.found).toContain('no message is delivered twice')
  })

  test('the death of its sender or of a home excuses what was sent before, that of others does not', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => atHome('b#1'))
    checker.sent('x', 'a#1', 'Cart/1')
    checker.crashed('c#1')
    checker.conclude()
    expect(notebook.found).toEqual(['no message is lost silently'])
    checker.crashed('b#1')
    checker.sent('after', 'a#1', 'Cart/1')
    checker.conclude()
    expect(notebook.excuses).toEqual(['S3: lost when a home died'])
    expect(notebook.found).toHaveLength(2)
    checker.crashed('a#1')
    checker.conclude()
    expect(notebook.found).toHaveLength(2)
  })

  test('while its target has no home, anyone may have held it', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => ({ ...atHome('b#1'), isAtHome: false }))
    checker.sent('x', 'a#1', 'Cart/1')
    checker.crashed('c#1')
    checker.conclude()
    expect(notebook.found).toEqual([])
  })

  test('a broken connection between sender and home excuses as many as were counted', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => atHome('b#2'))
    const lost = 'no message is lost silently'
    for (const id of ['x', 'y']) checker.sent(id, 'a#1', 'Cart/1')
    checker.connectionBroke({ by: 'a#1', peer: 'c#1', unconfirmed: 5 })
    checker.connectionBroke({ by: 'a#1', peer: 'b#1', unconfirmed: 5 })
    checker.conclude()
    expect(notebook.found).toEqual([lost, lost])
    const stricter = new NoSilentLoss(notebook, () => atHome('b#2'))
    for (const id of ['x', 'y']) stricter.sent(id, 'a#1', 'Cart/1')
    stricter.connectionBroke({ by: 'b#2', peer: 'a#1', unconfirmed: 1 })
    stricter.conclude()
    expect(notebook.excuses).toHaveLength(2)
    expect(notebook.found).toEqual([lost, lost, lost])
  })

  test('so does one to a node that was to be its home and never was', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => atHome('b#1', 'c#1'))
    checker.sent('x', 'a#1', 'Cart/1')
    checker.connectionBroke({ by: 'a#1', peer: 'c#1', unconfirmed: 1 })
    checker.conclude()
    expect([notebook.found, notebook.excuses]).toEqual([
      [],
      ['S3: lost in a connection that broke'],
    ])
  })
})

describe('the shard map', () => {
  const codec = new ValueCodec({ use: 'stored' })
  const stored = (type: string, fields: object) => codec.encode([type, { type, ...fields }])
  const home = 'b:2552#00000000000000b1'

  function allocated() {
    const notebook = new Notebook()
    const map = new ShardMap(notebook)
    const store = (bytes: Uint8Array): void => map.stored('$coordinator|Cart', [bytes])
    store(stored('ShardAllocated', { shard: 1, home, epoch: 3 }))
    return { notebook, map, store }
  }

  test('finds a shard that is taken while it runs', () => {
    const { notebook, map, store } = allocated()
    map.started(life('b#1'), new LocalShardStarted('Cart', 1, 3, home))
    store(stored('ShardDeallocated', { shard: 1, epoch: 3 }))
    expect(notebook.found).toEqual([
      'a shard is taken from its home only when it has stopped there',
    ])
  })

  test('finds a life that starts again, and an epoch that falls', () => {
    const { notebook, map, store } = allocated()
    map.started(life('b#1'), new LocalShardStarted('Cart', 1, 3, home))
    map.stopped(new LocalShardStopped('Cart', 1, 3, home))
    store(stored('ShardDeallocated', { shard: 1, epoch: 3 }))
    expect(notebook.found).toEqual([])
    map.started(life('b#1'), new LocalShardStarted('Cart', 1, 3, home))
    store(stored('ShardAllocated', { shard: 1, home, epoch: 2 }))
    expect(notebook.found).toEqual([
      'a life of a shard that has ended never starts again',
      'epochs of a shard grow',
    ])
  })
})

describe('nothing acknowledged is lost', () => {
  function ledger() {
    const notebook = new Notebook()
    const checker = new NothingAcknowledgedIsLost(notebook)
    for (const id of ['x', 'y']) {
      notebook.now++
      checker.invoked(id, 'l1')
      notebook.now++
      checker.acknowledged(id)
    }
    return { notebook, checker }
  }

  test('is content with every acknowledged id once, in real-time order', () => {
    const { notebook, checker } = ledger()
    checker.invoked('unknown', 'l1')
    checker.conclude('l1', ['x', 'y', 'unknown'])
    expect(notebook.found).toEqual([])
  })

  test.each([
    [['x'], 'nothing acknowledged is lost'],
    [['x', 'y', 'y'], 'every command takes effect once'],
    [['x', 'y', 'z'], 'nothing is stored that nobody asked for'],
    [['y', 'x'], 'commands take effect in real-time order'],
  ])('finds what is wrong with %s', (ids, problem) => {
    const { notebook, checker } = ledger()
    checker.conclude('l1', ids)
    expect(notebook.found).toEqual([problem])
  })

  test('a read shows what was acknowledged before it', () => {
    const { notebook, checker } = ledger()
    checker.read('l1', ['x'], 3)
    expect(notebook.found).toEqual([])
    checker.read('l1', ['x'], 5)
    expect(notebook.found).toEqual(['a read shows what was acknowledged before it'])
  })
})

describe('one founding lives', () => {
  const two = 'one founding lives'

  test('finds members of two foundings that act, and nobody who is frozen, asleep, dead or gone', () => {
    const notebook = new Notebook()
    const checker = new OneFounding(notebook)
    const [a, b, c] = [life('a#1'), life('b#1'), life('c#1')]
    checker.entered(a, 'a', false)
    checker.entered(b, 'a', false)
    checker.frozen(a)
    checker.left(b)
    checker.entered(c, 'c', false)
    expect(notebook.found).toEqual([])
    checker.thawed(a)
    expect(notebook.found).toEqual([two])
    a.isAlive = false
    checker.acted(c)
    expect(notebook.found).toEqual([two])
    expect(checker.count).toBe(2)
  })

  test('blames one that slept for what it does afterwards', () => {
    const notebook = new Notebook()
    const checker = new OneFounding(notebook)
    const [a, b] = [life('a#1'), life('b#1')]
    checker.entered(a, 'a', false)
    a.pauseCount++
    checker.entered(b, 'b', false)
    expect(notebook.found).toEqual([])
    checker.acted(a)
    expect(notebook.found).toEqual([two])
  })
})
