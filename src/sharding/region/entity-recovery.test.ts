import { describe, expect, test } from 'vitest'
import { VirtualTime } from '../../testkit/virtual-time.ts'
import { EntityRecovery, type RecoveringShard } from './entity-recovery.ts'

/** A shard with so many that sleep, which writes down when it starts how many. */
function sleeping(name: string, count: number, time: VirtualTime, log: string[]): RecoveringShard {
  let left = count
  return {
    recover(max) {
      const started = Math.min(max, left)
      left -= started
      if (started > 0) log.push(`${time.monotonicMs()} ${name} ${started}`)
      return started
    },
  }
}

function recovery(entityRecoveryEntitiesMax: number) {
  const time = new VirtualTime()
  const log: string[] = []
  const settings = { entityRecoveryEntitiesMax, entityRecoveryIntervalMs: 100 }
  const made = new EntityRecovery(time, settings)
  const runTo = (ms: number): void => {
    while (time.fireNext(ms));
    time.moveTo(ms)
  }
  const add = (name: string, count: number): void => made.add(sleeping(name, count, time, log))
  return { recovery: made, log, runTo, add, time }
}

describe('entities that are started again', () => {
  test('keep their rate when shards come one after the other, each before the pause is over', () => {
    const { log, runTo, add } = recovery(5)
    for (let index = 0; index < 4; index++) {
      add(`s${index}`, 5)
      runTo((index + 1) * 10)
    }
    runTo(1_000)
    expect(log).toEqual(['0 s0 5', '100 s1 5', '200 s2 5', '300 s3 5'])
  })

  test('of one shard are done before the next shard begins', () => {
    const { log, runTo, add } = recovery(5)
    add('many', 12)
    add('few', 3)
    runTo(1_000)
    expect(log).toEqual(['0 many 5', '100 many 5', '200 many 2', '300 few 3'])
  })

  test('of shards with few of them share a turn when no rate is set', () => {
    const { log, time, add } = recovery(Infinity)
    for (const name of ['a', 'b', 'c']) add(name, 100)
    time.fireNext(0)
    expect(log).toEqual(['0 a 100', '0 b 100', '0 c 50'])
  })

  test('wait for nothing but a turn when no rate is set, and leave no timer behind', () => {
    const { log, runTo, add, time } = recovery(Infinity)
    add('a', 600)
    runTo(0)
    expect(log).toEqual(['0 a 250', '0 a 250', '0 a 100'])
    expect(time.nextDeadlineMs).toBeUndefined()
  })

  test('of a shard that is gone are not started', () => {
    const { recovery: made, log, runTo, time } = recovery(5)
    const gone = sleeping('gone', 50, time, log)
    made.add(gone)
    runTo(50)
    made.remove(gone)
    runTo(1_000)
    expect(log).toEqual(['0 gone 5'])
  })
})
