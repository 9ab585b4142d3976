import { describe, expect, test } from 'vitest'
import { commandsOf } from '../../../examples/demo/keys.ts'
import { Latencies } from '../../../examples/demo/latency.ts'
import type { MemberReport, NodeEvent, Report } from '../../../examples/demo/messages.ts'
import { parseOptions } from '../../../examples/demo/options.ts'
import { Scene } from '../../../examples/demo/scene.ts'
import { Unattended } from '../../../examples/demo/unattended.ts'
import type { View } from '../../../examples/demo/view.ts'

const books = {
  ...{ accounts: 3, coins: 3_000, check: undefined, done: 0, refused: 0, underWay: 0 },
  longestWaitMs: 0,
}

const member = (address: string, changes: Partial<MemberReport> = {}): MemberReport => ({
  address,
  status: 'Up',
  upNumber: Number(address.at(-1)),
  isReachable: true,
  ...changes,
})

const report = (shards: readonly string[], members: readonly MemberReport[]): Report => ({
  intervalMs: 500,
  calls: 100,
  askedAgain: 1,
  latencies: [],
  isFrozen: false,
  shards,
  entities: shards.length * 4,
  members,
})

const event = (kind: NodeEvent['kind'], address: string): NodeEvent => ({ kind, address })

const both = [member('host:2'), member('host:1')]

/** Two nodes, of which the second is the older. */
function twoNodes(): Scene {
  const scene = new Scene()
  scene.spawned('node 1', 11)
  scene.spawned('node 2', 12)
  scene.started('node 1', 'host:2', 0)
  scene.started('node 2', 'host:1', 0)
  scene.happened(event('MemberUp', 'host:1'), 0)
  scene.reported('node 1', report(['a'], both), 1_000)
  scene.reported('node 2', report(['b', 'c'], both), 1_000)
  return scene
}

const look = (scene: Scene, nowMs: number): View => scene.view(books, { type: 'keys' }, nowMs)
const textsOf = (view: View): string[] => view.news.map(({ text }) => text)

describe('the scene', () => {
  test('lists the oldest member first, and adds up the calls', () => {
    const view = look(twoNodes(), 1_000)
    expect(view.nodes.map(({ name, isOldest }) => [name, isOldest])).toEqual([
      ['node 2', true],
      ['node 1', false],
    ])
    expect(view.nodes[0]).toMatchObject({ pid: 12, shards: 2, entities: 8, ageMs: 1_000 })
    expect(view).toMatchObject({ callsPerSecond: 400, askedAgain: 2, moves: 0 })
  })

  test('keeps a killed node in sight, without its calls, and tells of its next life', () => {
    const scene = twoNodes()
    scene.processIs('node 2', 'gone')
    const members = [member('host:2'), member('host:1', { isReachable: false })]
    scene.reported('node 1', report(['a'], members), 1_100)
    scene.sample(1_100)
    expect(look(scene, 1_100).nodes[0]).toMatchObject({
      process: 'gone',
      isReachable: false,
      callsPerSecond: 0,
    })
    scene.reported('node 1', report(['a'], [member('host:2')]), 1_200)
    scene.sample(1_200)
    expect(look(scene, 1_200).nodes.map(({ name, member: is }) => [name, is])).toEqual([
      ['node 1', 'Up'],
      ['node 2', 'Removed'],
    ])
    scene.spawned('node 2', 22)
    scene.started('node 2', 'host:1', 1_300)
    scene.happened(event('MemberUp', 'host:1'), 1_400)
    expect(textsOf(look(scene, 1_400))).toEqual(['node 2 is Up', 'node 2 is Up'])
  })

  test('forgets the dead beyond the last three', () => {
    const scene = twoNodes()
    for (let count = 3; count <= 7; count++) {
      scene.spawned(`node ${count}`, count)
      scene.started(`node ${count}`, `host:${count}`, 0)
      scene.processIs(`node ${count}`, 'gone')
    }
    scene.sample(1_100)
    expect(look(scene, 1_100).nodes.map(({ name }) => name)).toEqual([
      ...['node 2', 'node 1'],
      ...['node 5', 'node 6', 'node 7'],
    ])
  })

  test('counts a shard as moved when it is seen elsewhere, and tells of all together', () => {
    const scene = twoNodes()
    scene.reported('node 1', report(['a', 'b'], both), 1_100)
    scene.reported('node 1', report(['a', 'b', 'c'], both), 1_200)
    scene.sample(1_300)
    expect(textsOf(look(scene, 1_300))).toEqual(['node 2 is Up'])
    scene.sample(2_000)
    const view = look(scene, 2_000)
    expect(view.moves).toBe(2)
    expect(textsOf(view).at(-1)).toBe('2 shards moved: node 2 → node 1')
    scene.reported('node 2', report(['b'], both), 2_100)
    scene.sample(3_000)
    expect(textsOf(look(scene, 3_000)).at(-1)).toBe('1 shard moved: node 1 → node 2')
  })

  test('believes what most nodes say, not one that has slept', () => {
    const scene = twoNodes()
    scene.spawned('node 3', 13)
    scene.started('node 3', 'host:3', 0)
    const now = [member('host:2'), member('host:3')]
    scene.processIs('node 2', 'paused')
    scene.reported('node 1', report(['a', 'b'], now), 20_000)
    scene.reported('node 3', report(['c'], now), 20_000)
    scene.processIs('node 2', 'running')
    // As it was when it fell asleep.
    scene.reported('node 2', report(['b', 'c'], [member('host:1'), member('host:2')]), 20_100)
    const view = look(scene, 20_200)
    expect(view.moves).toBe(2)
    expect(view.nodes.map(({ name, member: status }) => [name, status])).toEqual([
      ['node 1', 'Up'],
      ['node 3', 'Up'],
      ['node 2', 'Removed'],
    ])
  })

  test('does not believe a frozen node about its shards', () => {
    const scene = twoNodes()
    scene.reported('node 1', { ...report(['a', 'b'], both), isFrozen: true }, 1_100)
    expect(look(scene, 1_100).moves).toBe(0)
  })

  test('tells every change once, however many nodes report it', () => {
    const scene = twoNodes()
    scene.happened(event('UnreachableMember', 'host:2'), 1)
    scene.happened(event('UnreachableMember', 'host:2'), 2)
    scene.happened(event('ReachableMember', 'host:2'), 3)
    scene.happened(event('UnreachableMember', 'host:2'), 4)
    expect(textsOf(look(scene, 5)).slice(1)).toEqual([
      'node 1 is unreachable',
      'node 1 is reachable again',
      'node 1 is unreachable',
    ])
  })

  test('says in plain words why a node stands still', () => {
    const scene = twoNodes()
    scene.happened({ ...event('Frozen', 'host:2'), detail: 'minority' }, 1)
    const [, frozen] = textsOf(look(scene, 5))
    expect(frozen).toBe('node 1 freezes its accounts: it sees too few of the others')
  })

  test('waits with the news of a node until it knows its name', () => {
    const scene = twoNodes()
    scene.spawned('node 3', 13)
    scene.happened(event('MemberJoined', 'host:3'), 1)
    expect(textsOf(look(scene, 5))).toEqual(['node 2 is Up'])
    scene.started('node 3', 'host:3', 6)
    expect(textsOf(look(scene, 7)).at(-1)).toBe('node 3 asks to join')
  })

  test('chooses round and round', () => {
    const scene = twoNodes()
    expect(scene.chosen).toBe('node 1')
    scene.choose(1, 1_000)
    expect(scene.chosen).toBe('node 2')
    scene.choose(-1, 1_000)
    expect(scene.chosen).toBe('node 1')
  })
})

describe('the plan for nobody at the keys', () => {
  const whole = { healthy: 3, isChanging: false }

  test('kills and lets join in a short run, and leaves time to recover', () => {
    const plan = new Unattended(8)
    expect(plan.next({ ...whole, elapsedMs: 1_900 })).toBeUndefined()
    expect(plan.next({ ...whole, elapsedMs: 2_000 })).toBe('kill')
    expect(plan.next({ healthy: 2, isChanging: true, elapsedMs: 4_000 })).toBe('add')
    expect(plan.next({ healthy: 2, isChanging: true, elapsedMs: 6_000 })).toBeUndefined()
    expect(plan.next({ ...whole, elapsedMs: 7_000 })).toBeUndefined()
  })

  test('waits for a whole cluster before it kills again', () => {
    const plan = new Unattended(40)
    expect(plan.next({ ...whole, elapsedMs: 6_000 })).toBe('kill')
    expect(plan.next({ healthy: 2, isChanging: true, elapsedMs: 12_000 })).toBe('add')
    expect(plan.next({ healthy: 3, isChanging: true, elapsedMs: 19_000 })).toBeUndefined()
    expect(plan.next({ ...whole, elapsedMs: 20_000 })).toBe('kill-oldest')
  })

  test('does not hurry in a long run', () => {
    const plan = new Unattended(600)
    expect(plan.next({ ...whole, elapsedMs: 6_000 })).toBe('kill')
    expect(plan.next({ ...whole, elapsedMs: 11_999 })).toBeUndefined()
  })
})

test('keys are read one by one, whatever arrives at once', () => {
  expect(commandsOf('\u001b[Ak\u001b[Bx\u0003')).toEqual(['up', 'kill', 'down', 'quit'])
  expect(commandsOf('KQ')).toEqual(['kill', 'quit'])
})

test('latencies are known to about a tenth', () => {
  const latencies = new Latencies()
  expect(latencies.percentileMs(0.5)).toBeUndefined()
  for (let ms = 1; ms <= 100; ms++) latencies.add(ms)
  const merged = new Latencies()
  merged.merge(latencies.take())
  expect(Math.abs(merged.percentileMs(0.5)! - 50)).toBeLessThan(7)
  expect(Math.abs(merged.percentileMs(0.99)! - 99)).toBeLessThan(13)
  expect(latencies.percentileMs(0.5)).toBeUndefined()
})

test('options that are not understood are explained', () => {
  expect(parseOptions(['--seconds', '8'])).toEqual({ seconds: 8, store: undefined })
  expect(() => parseOptions(['--seconds', '3'])).toThrow('from 5 to 99999, not "3"')
  expect(parseOptions(['--help'])).toBeUndefined()
})
