import { describe, expect, test } from 'vitest'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { LocalShardStarted, LocalShardStopped } from '../../src/sharding/index.ts'
import {
  CallsEnd,
  NothingAcknowledgedIsLost,
  OneActiveInstance,
  OneCoordinator,
  OneFounding,
  SenderOrder,
  ShardMap,
  StopComesLast,
} from '../../src/simulation/internals.ts'
import { life, Notebook } from './notebook.ts'

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

test('nothing comes behind the stop message of an entity, until its next instance', () => {
  const notebook = new Notebook()
  const checker = new StopComesLast(notebook)
  const [a, b] = [life('a#1'), life('b#1')]
  checker.acted(a, 'Cart/1')
  checker.told(a, 'Cart/1')
  checker.acted(b, 'Cart/1')
  checker.acted(a, 'Cart/2')
  expect(notebook.found).toEqual([])
  checker.acted(a, 'Cart/1')
  expect(notebook.found).toEqual(['nothing comes behind the stop message of an entity'])
  checker.isOver(a, 'Cart/1')
  checker.acted(a, 'Cart/1')
  expect(notebook.found).toHaveLength(1)
})

describe('a call ends before its time is over', () => {
  const late = 'a call ends before its time is over'

  function followed() {
    const notebook = new Notebook()
    const checker = new CallsEnd(notebook)
    const caller = { ...life('a#1'), isPaused: false }
    const call = deferred()
    checker.made({ life: caller, what: 'x', timeoutMs: 2_000 }, call.promise)
    return { notebook, checker, caller, call }
  }

  function deferred() {
    let resolve = (): void => {}
    let reject = (_error: Error): void => {}
    const promise = new Promise<void>((yes, no) => {
      resolve = yes
      reject = no
    })
    return { promise, resolve, reject }
  }

  test('by an answer or by an error', async () => {
    const { notebook, checker, call } = followed()
    notebook.now = 2_500
    call.reject(new Error('it timed out'))
    await call.promise.catch(() => {})
    notebook.now = 60_000
    checker.conclude()
    expect(notebook.found).toEqual([])
  })

  test('and not later', async () => {
    const { notebook, call } = followed()
    notebook.now = 4_000
    call.resolve()
    await call.promise
    expect(notebook.found).toEqual([late])
  })

  test('and not never', () => {
    const { notebook, checker, caller } = followed()
    notebook.now = 4_000
    checker.conclude()
    expect(notebook.found).toEqual([late])
    caller.isAlive = false
    checker.conclude()
    expect(notebook.found).toEqual([late])
  })

  test('unless its node slept meanwhile', async () => {
    const { notebook, caller, call } = followed()
    notebook.now = 30_000
    caller.pauseCount = 1
    call.resolve()
    await call.promise
    expect(notebook.found).toEqual([])
  })
})

test('messages of a sender arrive in order and once, gaps aside', () => {
  const notebook = new Notebook()
  const checker = new SenderOrder(notebook)
  for (const number of [1, 3, 3, 2]) checker.received('a#1', 'i1', number)
  checker.received('b#1', 'i1', 1)
  expect(notebook.found).toHaveLength(2)
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
