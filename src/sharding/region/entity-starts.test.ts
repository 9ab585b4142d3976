import { describe, expect, test } from 'vitest'
import { VirtualTime } from '../../testkit/virtual-time.ts'
import { EntityStarts } from './entity-starts.ts'

interface Sent {
  readonly at: number
  readonly shard: number
  readonly ask: number
  readonly ids: readonly string[]
}

function starts(retryIntervalMs = 400) {
  const time = new VirtualTime()
  const sent: Sent[] = []
  const made = new EntityStarts({
    ...{ timers: time, retryIntervalMs },
    send: (shard, ask, ids) => void sent.push({ at: time.monotonicMs(), shard, ask, ids }),
  })
  const runTo = (ms: number): void => {
    while (time.fireNext(ms));
    time.moveTo(ms)
  }
  const heard: string[] = []
  const start = (shard: number, ids: readonly string[], isWanted = () => true): void =>
    made.start(shard, ids, { started: (news) => void heard.push(...news), isWanted })
  return { starts: made, time, sent, runTo, start, heard }
}

describe('a start that is asked for', () => {
  test('is told again after pauses that grow up to the retry interval', () => {
    const { sent, start, runTo } = starts()
    start(1, ['a'])
    runTo(1_600)
    expect(sent.map(({ at }) => at)).toEqual([0, 50, 150, 350, 750, 1_150, 1_550])
  })

  test('is told again however often others are asked for', () => {
    const { sent, start, runTo } = starts()
    start(1, ['first'])
    for (let at = 20; at <= 400; at += 20) {
      runTo(at)
      start(2, [`other-${at}`])
    }
    const first = sent.filter(({ shard }) => shard === 1)
    expect(first.map(({ at }) => at)).toEqual([0, 50, 150, 350])
  })

  test('is not told again after its answer, which is heard once, nor when nobody wants it', () => {
    const { starts: made, sent, start, runTo, heard, time } = starts()
    let isWanted = true
    start(1, ['a', 'b'])
    start(2, ['c'], () => isWanted)
    made.answered({ ask: 1, entityIds: ['b', 'stranger'] })
    made.answered({ ask: 1, entityIds: ['b'] })
    runTo(60)
    made.answered({ ask: 1, entityIds: ['a'] })
    isWanted = false
    runTo(5_000)
    expect(heard).toEqual(['b', 'a'])
    expect(sent.map(({ at, ids }) => `${at} ${ids.join()}`)).toEqual([
      ...['0 a,b', '0 c', '50 a', '50 c'],
    ])
    expect(time.nextDeadlineMs).toBeUndefined()
  })

  test('shares a turn with a bounded number of others', () => {
    const { sent, start, time } = starts()
    for (let ask = 0; ask < 5_000; ask++) start(1, [`${ask}`])
    sent.length = 0
    time.fireNext(50)
    expect(sent.length).toBe(1_000)
    for (let turn = 0; turn < 4; turn++) time.fireNext(50)
    expect(sent.length).toBe(5_000)
    expect(new Set(sent.map(({ ids }) => ids[0])).size).toBe(5_000)
  })
})
