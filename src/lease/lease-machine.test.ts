/** One file because every test tells of one machine and the same store. */
import { describe, expect, test } from 'vitest'
import type { LeaseEffect, LeaseInput, LeaseRead } from './lease-inputs.ts'
import { LeaseMachine } from './lease-machine.ts'
import type { LeaseRecord } from './lease-record.ts'

const ttlMs = 1_000
const validMs = 950
const stillMs = 1_050
const mine = { owner: 'a:1#1', instance: 'mine' }
const theirs = { owner: 'b:1#2', instance: 'theirs', identity: 'process of b' }
const another: LeaseRecord = { holder: theirs, token: 7, renewals: 3, ttlMs }

type Answer<Type extends LeaseInput['type']> = Omit<
  Extract<LeaseInput, { readonly type: Type }>,
  'type' | 'call'
>

/** A machine, and a store that answers when the test says so. */
class Desk {
  readonly machine = new LeaseMachine({
    ...{ holder: mine, ttlMs, validMs },
    ...{ renewIntervalMs: 100, operationTimeoutMs: 400, clockDriftMax: 0.05 },
  })
  now = 0
  #call = 0
  #requests = 0

  give(input: LeaseInput): LeaseEffect[] {
    const effects = this.machine.step(input, this.now)
    for (const effect of effects) if ('call' in effect) this.#call = effect.call
    return effects.filter(({ type }) => type !== 'LookAt')
  }

  acquire(isInDoubt = false): LeaseEffect[] {
    return this.give({ type: 'Acquire', request: ++this.#requests, isInDoubt })
  }

  release(): LeaseEffect[] {
    return this.give({ type: 'Release', request: ++this.#requests })
  }

  read(revision: number, record?: LeaseRecord, isHolderGone = false): LeaseEffect[] {
    return this.#answer<'LeaseRead'>('LeaseRead', { revision, record, isHolderGone })
  }

  written(revision: number): LeaseEffect[] {
    return this.#answer<'LeaseWritten'>('LeaseWritten', { revision })
  }

  changed(): LeaseEffect[] {
    return this.#answer<'LeaseChanged'>('LeaseChanged', {})
  }

  notWritten(isUnknown: boolean): LeaseEffect[] {
    return this.#answer<'LeaseNotWritten'>('LeaseNotWritten', { problem: 'trouble', isUnknown })
  }

  notRead(): LeaseEffect[] {
    return this.#answer<'LeaseNotRead'>('LeaseNotRead', { problem: 'trouble' })
  }

  at(now: number): LeaseEffect[] {
    this.now = now
    return this.give({ type: 'Look' })
  }

  get isHeld(): boolean {
    return this.machine.isValidAt(this.now)
  }

  #answer<Type extends LeaseInput['type']>(type: Type, rest: Answer<Type>): LeaseEffect[] {
    return this.give({ type, call: this.#call, ...rest } as unknown as LeaseInput)
  }
}

/** One that holds the lease since 0, under token 1 and revision 1. */
function holder(): Desk {
  const desk = new Desk()
  desk.acquire()
  desk.read(0)
  desk.written(1)
  return desk
}

const own = (token: number, renewals: number): LeaseRecord => ({
  holder: mine,
  token,
  renewals,
  ttlMs,
})

const isTrue = (request: number) => ({ type: 'Answer', requests: [request], isTrue: true })
const isFalse = (request: number) => ({ type: 'Answer', requests: [request], isTrue: false })

describe('acquiring', () => {
  test('says true only when the store has confirmed the write', () => {
    const desk = new Desk()
    expect(desk.acquire()).toEqual([{ type: 'ReadLease', call: 1 }])
    const write = { type: 'WriteLease', call: 2, expectedRevision: 0, record: own(1, 0) }
    expect(desk.read(0)).toEqual([write])
    expect(desk.isHeld).toBe(false)
    expect(desk.written(1)).toEqual([isTrue(1)])
    expect(desk.isHeld).toBe(true)
  })

  test('looks again when another was quicker, and says whose it is', () => {
    const desk = new Desk()
    desk.acquire()
    desk.read(0)
    expect(desk.changed()).toEqual([{ type: 'ReadLease', call: 3 }])
    expect(desk.read(1, another)).toEqual([isFalse(1)])
  })

  test('looks again when nobody can tell what became of the write, and writes a grant of its own', () => {
    const desk = new Desk()
    desk.acquire()
    desk.read(0)
    expect(desk.notWritten(true)).toEqual([{ type: 'ReadLease', call: 3 }])
    const write = { type: 'WriteLease', call: 4, expectedRevision: 1, record: own(2, 0) }
    expect(desk.read(1, own(1, 0))).toEqual([write])
    expect(desk.written(2)).toEqual([isTrue(1)])
  })

  test('is refused when the store cannot be read, or says that nothing was written', () => {
    const refused = (request: number) => [
      { type: 'Refuse', requests: [request], problem: 'trouble' },
    ]
    const desk = new Desk()
    desk.acquire()
    expect(desk.notRead()).toEqual(refused(1))
    desk.acquire()
    desk.read(0)
    expect(desk.notWritten(false)).toEqual(refused(2))
    expect(desk.isHeld).toBe(false)
  })

  test('is refused when there is no answer in time, and an answer that comes later grants nothing', () => {
    const desk = new Desk()
    desk.acquire()
    desk.read(0)
    expect(desk.at(400)).toEqual([{ type: 'Refuse', requests: [1], problem: undefined }])
    expect(desk.written(1)).toEqual([])
    expect(desk.isHeld).toBe(false)
  })

  test('ends when a store answers and takes no write', () => {
    const desk = new Desk()
    desk.acquire()
    let effects = desk.read(0)
    for (let writes = 1; writes <= 4; writes++) {
      desk.notWritten(true)
      effects = desk.read(0)
      expect(effects).toMatchObject([{ type: 'WriteLease' }])
    }
    expect(desk.notWritten(true)).toMatchObject([{ type: 'Refuse' }])
  })

  test('takes a lease that was given back at once', () => {
    const desk = new Desk()
    desk.acquire()
    const write = { type: 'WriteLease', call: 2, expectedRevision: 9, record: own(8, 0) }
    expect(desk.read(9, { ...another, holder: undefined })).toEqual([write])
  })

  test('takes it from a process that is proven to have ended at once', () => {
    const desk = new Desk()
    desk.acquire()
    expect(desk.read(9, another, true)).toMatchObject([{ expectedRevision: 9, record: own(8, 0) }])
  })

  test('takes it from another only when its revision has stood still for longer than it can last', () => {
    const desk = new Desk()
    desk.acquire()
    desk.now = 100
    expect(desk.read(9, another)).toEqual([isFalse(1)])
    desk.now = 100 + stillMs - 1
    desk.acquire()
    expect(desk.read(9, another)).toEqual([isFalse(2)])
    desk.now = 100 + stillMs
    desk.acquire()
    expect(desk.read(9, another)).toMatchObject([{ expectedRevision: 9, record: own(8, 0) }])
  })

  test('begins to wait anew when the holder has renewed', () => {
    const desk = new Desk()
    desk.acquire()
    desk.read(9, another)
    desk.now = stillMs
    desk.acquire()
    expect(desk.read(10, { ...another, renewals: 4 })).toEqual([isFalse(2)])
    desk.now = 2 * stillMs - 1
    desk.acquire()
    expect(desk.read(10, { ...another, renewals: 4 })).toEqual([isFalse(3)])
  })

  test('waits as long as the holder says that its lease lasts', () => {
    const desk = new Desk()
    const long = { ...another, ttlMs: 10_000 }
    desk.acquire()
    desk.read(9, long)
    desk.now = 2 * stillMs
    desk.acquire()
    expect(desk.read(9, long)).toEqual([isFalse(2)])
  })

  test('does not take another of the same owner for itself', () => {
    const desk = new Desk()
    desk.acquire()
    expect(desk.read(3, { ...another, holder: { ...mine, instance: 'other' } })).toEqual([
      isFalse(1),
    ])
  })
})

describe('holding', () => {
  test('answers the holder without asking the store', () => {
    expect(holder().acquire()).toEqual([isTrue(2)])
  })

  test('lasts from before the question, not from the answer', () => {
    const desk = new Desk()
    desk.acquire()
    desk.now = 10
    desk.read(0)
    desk.now = 300
    desk.written(1)
    desk.now = 10 + validMs - 1
    expect(desk.isHeld).toBe(true)
    desk.now = 10 + validMs
    expect(desk.isHeld).toBe(false)
  })

  test('renews with every interval, and lasts longer by that', () => {
    const desk = holder()
    expect(desk.at(99)).toEqual([])
    const write = { type: 'WriteLease', call: 3, expectedRevision: 1, record: own(1, 1) }
    expect(desk.at(100)).toEqual([write])
    desk.now = 150
    expect(desk.written(2)).toEqual([])
    desk.now = 100 + validMs - 1
    expect(desk.isHeld).toBe(true)
  })

  test('is over when it slept, before anything else is looked at', () => {
    const desk = holder()
    desk.at(100)
    desk.now = 5_000
    expect(desk.isHeld).toBe(false)
    expect(desk.written(2)).toMatchObject([{ type: 'Lost', token: 1, reason: 'expired' }])
    expect(desk.isHeld).toBe(false)
  })

  test('tries a failed renewal again until the deadline, and is lost then, once', () => {
    const desk = holder()
    const seen: LeaseEffect[] = []
    for (let now = 0; now < 2_000; now += 5) {
      const effects = desk.at(now)
      seen.push(...effects)
      if (effects.some(({ type }) => type === 'WriteLease')) seen.push(...desk.notWritten(false))
    }
    const writes = seen.filter(({ type }) => type === 'WriteLease')
    expect(writes.length).toBeGreaterThan(20)
    const detail = 'it could not be renewed in time (trouble)'
    const lost = { type: 'Lost', token: 1, reason: 'expired', detail }
    expect(seen.filter(({ type }) => type !== 'WriteLease')).toEqual([lost])
  })

  test('does not take an earlier renewal of its own for that of another', () => {
    const desk = holder()
    desk.at(100)
    desk.notWritten(true)
    expect(desk.at(125)).toEqual([{ type: 'ReadLease', call: 4 }])
    const write = { type: 'WriteLease', call: 5, expectedRevision: 2, record: own(1, 2) }
    expect(desk.read(2, own(1, 1))).toEqual([write])
    expect(desk.written(3)).toEqual([])
    expect(desk.isHeld).toBe(true)
  })

  test('asks again when a renewal is not answered', () => {
    const desk = holder()
    desk.at(100)
    expect(desk.at(500)).toEqual([])
    expect(desk.at(525)).toEqual([{ type: 'ReadLease', call: 4 }])
  })

  test('is lost as soon as another is seen there, or nobody', () => {
    for (const [record, detail] of [
      [another, 'b:1#2 has it now'],
      [{ ...another, holder: undefined }, 'somebody took it away'],
    ] as const) {
      const desk = holder()
      desk.at(100)
      expect(desk.changed()).toEqual([{ type: 'ReadLease', call: 4 }])
      expect(desk.read(2, record)).toEqual([{ type: 'Lost', token: 1, reason: 'taken', detail }])
      expect(desk.isHeld).toBe(false)
    }
  })

  test('gets another token when it is acquired again after a loss', () => {
    const desk = holder()
    expect(desk.at(validMs)).toMatchObject([{ type: 'Lost' }])
    desk.acquire()
    expect(desk.read(1, own(1, 0))).toMatchObject([{ type: 'WriteLease', record: own(2, 0) }])
  })

  test('asks the store when the clock may have stood still, and is lost when another has it', () => {
    const desk = holder()
    expect(desk.acquire(true)).toMatchObject([{ type: 'ReadLease' }])
    expect(desk.isHeld).toBe(false)
    expect(desk.read(4, another)).toMatchObject([{ type: 'Lost', reason: 'taken' }, isFalse(2)])
    const still = holder()
    still.acquire(true)
    still.read(1, own(1, 0))
    expect(still.written(2)).toEqual([isTrue(2)])
    expect(still.machine.snapshot().token).toBe(2)
  })
})

describe('giving back', () => {
  const free = (token: number): LeaseRecord => ({ holder: undefined, token, renewals: 0, ttlMs })

  test('is not held from the call on, and frees what stands there', () => {
    const desk = holder()
    const write = { type: 'WriteLease', call: 3, expectedRevision: 1, record: free(1) }
    expect(desk.release()).toEqual([write])
    expect(desk.isHeld).toBe(false)
    expect(desk.written(2)).toEqual([isTrue(2)])
    expect(desk.release()).toEqual([isFalse(3)])
  })

  test('does not wait for a renewal that is under way, which may come through before', () => {
    const desk = holder()
    desk.at(100)
    expect(desk.release()).toMatchObject([{ type: 'WriteLease', expectedRevision: 1 }])
    expect(desk.changed()).toMatchObject([{ type: 'ReadLease' }])
    expect(desk.read(2, own(1, 1))).toMatchObject([
      { type: 'WriteLease', expectedRevision: 2, record: free(1) },
    ])
    expect(desk.written(3)).toEqual([isTrue(2)])
  })

  test('finds out by looking what became of a write that nobody can tell of', () => {
    const desk = holder()
    desk.release()
    desk.notWritten(true)
    expect(desk.read(2, free(1))).toEqual([isTrue(2)])
  })

  test('leaves alone what is another’s', () => {
    const desk = holder()
    desk.release()
    desk.changed()
    expect(desk.read(2, another)).toEqual([isFalse(2)])
  })

  test('frees what an acquire without an answer may have left', () => {
    const desk = new Desk()
    desk.acquire()
    desk.read(0)
    desk.at(400)
    expect(desk.release()).toEqual([{ type: 'ReadLease', call: 3 }])
    expect(desk.read(1, own(1, 0))).toMatchObject([{ type: 'WriteLease', record: free(1) }])
  })

  test('takes its turn behind an acquire, and the next acquire behind it', () => {
    const desk = new Desk()
    desk.acquire()
    expect([desk.release(), desk.release(), desk.acquire()]).toEqual([[], [], []])
    desk.read(0)
    const [first, ...rest] = desk.written(1)
    expect(first).toEqual(isTrue(1))
    expect(rest).toMatchObject([{ type: 'WriteLease', record: free(1) }])
    expect(desk.written(2)).toMatchObject([
      { type: 'Answer', requests: [2, 3], isTrue: true },
      { type: 'ReadLease' },
    ])
    desk.read(2, free(1))
    expect(desk.written(3)).toEqual([isTrue(4)])
    expect(desk.machine.snapshot().token).toBe(2)
  })
})

test('says when to look at the clock next', () => {
  const machine = new Desk().machine
  const lookAt = (input: LeaseInput, now: number): number | undefined => {
    const effect = machine.step(input, now).find(({ type }) => type === 'LookAt')
    return (effect as { readonly at: number } | undefined)?.at
  }
  const read: LeaseRead = {
    ...{ type: 'LeaseRead', call: 1, revision: 0 },
    ...{ record: undefined, isHolderGone: false },
  }
  expect(lookAt({ type: 'Acquire', request: 1, isInDoubt: false }, 0)).toBe(400)
  expect(lookAt(read, 10)).toBeUndefined()
  expect(lookAt({ type: 'LeaseWritten', call: 2, revision: 1 }, 20)).toBe(110)
  // A timer that fires a hair too early is set again.
  expect(lookAt({ type: 'Look' }, 109.9)).toBe(110)
  expect(lookAt({ type: 'LeaseWritten', call: 9, revision: 1 }, 109.9)).toBeUndefined()
  expect(lookAt({ type: 'Release', request: 2 }, 109.9)).toBe(509.9)
  expect(lookAt({ type: 'LeaseWritten', call: 3, revision: 2 }, 110)).toBe(Infinity)
})
