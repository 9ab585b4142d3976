import { describe, expect, test } from 'vitest'
import type { EntityCall, EntityReply } from '../../entity/internals.ts'
import type { AppendResult } from '../../persistence/index.ts'
import { EntityStarted, LocalShardStarted, LocalShardStopped } from '../../sharding/index.ts'
import { mentions } from './mentions.ts'
import { Story } from './story.ts'

const node = 'b:2552#1' as never

function told(): {
  readonly story: Story
  readonly clock: { nowUs: number }
  readonly begins: (id: string, command: string, ...args: unknown[]) => Command
} {
  const clock = { nowUs: 12_040_000 }
  const story = new Story(clock)
  const witness = story.witnessFor('b#1')
  const begins = (id: string, command: string, ...args: unknown[]): Command =>
    witness.begins('Account', id, { command, args } as unknown as EntityCall) as Command
  return { story, clock, begins }
}

type Command = Required<NonNullable<ReturnType<ReturnType<Story['witnessFor']>['begins']>>>

const answered = (value: unknown): EntityReply => ({ type: 'Answered', version: 1, value })

const batch = (from: number, count: number) => ({
  persistenceId: 'Account|alice',
  epoch: 1,
  expectedSequenceNr: from - 1,
  events: Array.from({ length: count }, () => new Uint8Array()),
})

const appended: AppendResult = { type: 'Appended', highestSequenceNr: 0 }

describe('a command in the story', () => {
  test('has its events with their numbers, and its answer', () => {
    const { story, clock, begins } = told()
    const command = begins('alice', 'withdraw', 70)
    command.persists('Withdrawn', [70])
    command.ends(1)
    expect(story.lines()).toEqual([
      '    12.040 s  node b  Account/alice  withdraw(70)  ->  persisted Withdrawn(70), not stored  ->  not answered',
    ])
    story.appended(batch(4, 1), appended, 'b#1')
    command.answers(answered(30))
    expect(story.lines()).toEqual([
      '    12.040 s  node b  Account/alice  withdraw(70)  ->  persisted Withdrawn(70) #4  ->  answered 30',
    ])
    const later = begins('alice', 'get')
    clock.nowUs += 5_000
    later.answers(answered({ balance: 30 }))
    expect(story.lines()[1]).toMatch(/get\(\)  ->  answered \{ balance: 30 \} at 12\.045 s$/)
  })

  test('that fails leaves its events to nobody', () => {
    const { story, begins } = told()
    const failing = begins('alice', 'withdraw', 70)
    failing.persists('Withdrawn', [70])
    failing.ends(0)
    const good = begins('alice', 'move', 1)
    good.persists('Withdrawn', [1])
    good.persists('Deposited', [1])
    good.ends(2)
    story.appended(batch(4, 2), appended, 'b#1')
    const error = Object.assign(new Error('only 3'), { code: 'NOT_ENOUGH' })
    failing.answers({ type: 'Refused', version: 1, error, node: 'b', mayHaveHappened: false })
    good.answers(answered(undefined))
    const [first, second] = story.lines()
    expect(first).toMatch(/withdraw\(70\)  ->  failed: NOT_ENOUGH: only 3$/)
    expect(second).toMatch(
      /move\(1\)  ->  persisted Withdrawn\(1\) #4, Deposited\(1\) #5  ->  answered undefined$/,
    )
  })

  test('whose write is refused, or whose entity starts again, has not stored', () => {
    const { story, begins } = told()
    const first = begins('alice', 'withdraw', 70)
    first.persists('Withdrawn', [70])
    first.ends(1)
    story.appended(batch(4, 1), { type: 'Fenced' } as AppendResult, 'b#1')
    story.claimed('Account|alice', 'b#1', { epoch: 2, highestSequenceNr: 3 })
    const second = begins('alice', 'withdraw', 1)
    second.persists('Withdrawn', [1])
    second.ends(1)
    story.appended(batch(4, 1), appended, 'b#1')
    story.storeFault('append of Account|alice unknown, not stored')
    const lines = story.lines().join('\n')
    expect(lines).toContain('Account/alice  a fault of the store: append unknown, not stored')
    expect(lines).toContain('Withdrawn(70), not stored')
    expect(lines).toContain('an event refused by the store: Fenced')
    expect(lines).toContain('recovers from 3 stored events')
    expect(lines).toContain('Withdrawn(1) #4')
  })

  test('that deletes what is stored has a line for it, and a recovery counts what is left', () => {
    const { story, begins } = told()
    const closing = begins('alice', 'close')
    closing.persists('Withdrawn', [70])
    closing.persists('Closed', [])
    closing.ends(1)
    story.appended(batch(5, 1), appended, 'b#1', true)
    closing.answers(answered(undefined))
    const claim = { epoch: 2, highestSequenceNr: 5 }
    story.claimed('Account|alice', 'b#1', { ...claim, deletedSequenceNr: 4 })
    story.claimed('Account|alice', 'b#1', { ...claim, deletedSequenceNr: 5 })
    story.appended(batch(6, 0), { type: 'Fenced' } as AppendResult, 'b#1', true)
    expect(story.lines().map((line) => line.slice(37))).toEqual([
      'close()  ->  persisted Closed() #5  ->  answered undefined',
      'deleted everything up to #4',
      'recovers from 1 stored event',
      'has no stored events',
      'a deletion refused by the store: Fenced',
    ])
  })
})

describe('what a story is about', () => {
  test('is found by the names in a text', () => {
    const { story, begins } = told()
    for (const id of ['alice', 'bob', '7']) begins(id, 'get')
    expect(story.spokenOf('Account/alice has -40')).toEqual(['Account/alice'])
    expect(story.spokenOf(`Account 'bob': get failed`)).toEqual(['Account/bob'])
    expect(story.spokenOf('accepted Account|bob 3..3')).toEqual(['Account/bob'])
    expect(story.spokenOf('Account 7 and bob')).toEqual(['Account/7'])
    expect(story.spokenOf('alice and bob are poor')).toEqual(['Account/alice', 'Account/bob'])
    expect(story.spokenOf('malice in 7 cases')).toEqual([])
    expect(story.about('nobody')).toHaveLength(3)
    expect(new Story({ nowUs: 0 }).about('anything')).toEqual([])
  })

  test.each([
    ['alice', 'alice: -40', true],
    ['alice', 'it is alice.', true],
    ['alice', 'malice', false],
    ['alice', 'alice-2', false],
    ['alice', 'alice2 and alice', true],
    ['', 'anything', false],
  ])('mentions %s in "%s": %s', (name, text, isThere) => {
    expect(mentions(text, name)).toBe(isThere)
  })

  test('has the moves of its shard, and what happened to nodes', () => {
    const { story, begins } = told()
    const shard = { entityType: 'Account', shard: 17, node }
    const started = () => new LocalShardStarted('Account', 17, 1, node)
    story.shardStarted('a#1', started())
    story.entityStarted('a#1', new EntityStarted({ ...shard, entityId: 'alice', instance: 1 }))
    story.shardStopped('a#1', new LocalShardStopped('Account', 17, 1, node))
    story.shardStarted('b#1', started())
    begins('alice', 'get')
    story.nodeEnded('b#1', 'crash')
    story.shardStarted('a#2', started())
    story.shardStarted('c#1', started())
    expect(story.lines(['Account/alice']).map((line) => line.trim().slice(10).trim())).toEqual([
      'shard 17 of Account starts on a',
      'node a  Account/alice  starts',
      'shard 17 of Account moves a -> b (handed over)',
      'node b  Account/alice  get()  ->  not answered',
      'node b  dies',
      'shard 17 of Account moves b -> a#2 (b has ended)',
      'shard 17 of Account moves a#2 -> c (a#2 was given up)',
    ])
  })

  test('is bounded, however much happens', () => {
    const { story, begins } = told()
    for (let count = 0; count < 10_000; count++) begins('alice', 'get', count)
    for (let count = 0; count < 10_000; count++) begins(`x${count}`, 'get')
    expect(story.lines(['Account/alice'])).toEqual([])
    for (let count = 0; count < 1_000; count++) begins('alice', 'get', count)
    const lines = story.lines(['Account/alice'])
    expect(lines).toHaveLength(50)
    expect(lines.at(-1)).toContain('get(999)')
  })
})
