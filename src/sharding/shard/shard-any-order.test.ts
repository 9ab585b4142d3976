/** A shard with all its duties at once, in any order of what can happen to it: the same questions after every step. */
import { describe, expect, test } from 'vitest'
import { ActiveEntities } from '../passivation/active-entities.ts'
import { makeStrategy } from '../passivation/make-strategy.ts'
import { shardingSettings } from '../sharding-settings.ts'
import type { ShardDuties, ShardEffect, ShardInput, ShardTimer } from './shard-inputs.ts'
import { ShardMachine } from './shard-machine.ts'

interface Duties {
  readonly remembers: boolean
  readonly hasLease: boolean
  readonly limit: number | undefined
}

const ids = ['a', 'b', 'c', 'd', 'e', 'f']
const settings = shardingSettings({ entityBufferedMessagesMax: 12, passivateIdleAfterMs: 1_000 })
const policies = ['least-recently-used', 'most-recently-used', 'adaptive'] as const

/** Asked very often: cheaper than `expect`. */
function must(holds: boolean, words: string): void {
  if (!holds) throw new Error(words)
}

/** Numbers from 0 on, below 1, the same for the same seed. */
function chance(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What is around a shard: its store, its entities, its region. */
class World {
  readonly store = new Set<string>()
  readonly #random: () => number
  readonly #duties: Duties
  /** Whether entities often end though nobody asked them to. */
  readonly #areFrail: boolean
  #machine: ShardMachine<string, number>
  #limit: number
  /** Entities that run, by id: which instance, and whether it was asked to stop. */
  readonly #alive = new Map<string, { instance: number; isAsked: boolean }>()
  readonly #timers = new Set<ShardTimer>()
  #write: { started: readonly string[]; stopped: readonly string[] } | undefined
  #calls = { isLoading: false, isAcquiring: false, isReleasing: false }
  #isFrozen = false
  #isHandedOff = false
  #isReady = false
  #moving: string[] = []
  /** Those that may be on their way out of the store. */
  readonly #leaving = new Set<string>()
  #sent = 0
  /** Messages that have neither arrived nor been dropped, by id, in order. */
  readonly #under = new Map<string, number[]>()
  lives = 0

  constructor(seed: number, duties: Duties) {
    this.#random = chance(seed)
    this.#duties = duties
    this.#areFrail = this.#random() < 0.3
    this.#limit = duties.limit ?? Infinity
    this.#machine = this.#begin()
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)]
  }

  #begin(): ShardMachine<string, number> {
    const { remembers, hasLease, limit } = this.#duties
    const replacement = this.#pick(policies) as (typeof policies)[number]
    const active =
      limit === undefined ? undefined : new ActiveEntities(makeStrategy({ replacement }), limit)
    this.#limit = limit ?? Infinity
    const duties: ShardDuties = { remembers, hasLease, active }
    const look = { mailIn: () => 0, isRecovering: () => false }
    this.#machine = new ShardMachine<string, number>(settings, look, duties)
    this.#isHandedOff = false
    this.#isReady = !remembers && !hasLease
    this.#write = undefined
    this.#calls = { isLoading: false, isAcquiring: false, isReleasing: false }
    this.#timers.clear()
    this.#moving = []
    this.#leaving.clear()
    this.lives++
    if (this.#isFrozen) this.step({ type: 'Frozen' })
    if (!this.#isReady) this.step({ type: 'Begin' })
    return this.#machine
  }

  step(input: ShardInput<number>): void {
    for (const effect of this.#machine.step(input)) this.#perform(effect)
    this.#check()
  }

  #perform(effect: ShardEffect<number>): void {
    switch (effect.type) {
      case 'StartEntity': {
        const { entityId, instance } = effect
        must(!this.#alive.has(entityId), `${entityId} lives once`)
        must(!this.#duties.remembers || this.store.has(entityId), 'it is stored before it runs')
        this.#alive.set(entityId, { instance, isAsked: false })
        this.#leaving.delete(entityId)
        return
      }
      case 'Deliver': {
        const { entityId, instance, parcel } = effect
        this.#mustTake(entityId, instance)
        must(this.#under.get(entityId)?.shift() === parcel, 'messages arrive in order')
        return
      }
      case 'StopEntity': {
        const found = this.#alive.get(effect.entityId)
        must(found?.instance === effect.instance, 'one that runs is stopped')
        if (found !== undefined) found.isAsked = true
        return
      }
      case 'ForceStop':
        must(this.#alive.get(effect.entityId)?.instance === effect.instance, 'it runs')
        return
      case 'Drop': {
        const [entityId, left] =
          [...this.#under].find(([, each]) => each.includes(effect.parcel)) ?? []
        must(entityId !== undefined, 'a message is dropped once')
        left?.splice(left.indexOf(effect.parcel), 1)
        return
      }
      case 'StartTimer':
        this.#timers.add(effect.timer)
        return
      case 'CancelTimer':
        this.#timers.delete(effect.timer)
        return
      default:
        return this.#performDuty(effect)
    }
  }

  #performDuty(effect: ShardEffect<number>): void {
    switch (effect.type) {
      case 'AcquireLease':
        this.#calls.isAcquiring = true
        return
      case 'ReleaseLease':
        must(this.#alive.size === 0, 'nobody runs any more')
        this.#calls.isReleasing = true
        return
      case 'LoadRemembered':
        this.#calls.isLoading = true
        return
      case 'StoreRemembered':
        must(this.#write === undefined, 'one write at a time')
        this.#write = effect.change
        return
      case 'Ready':
        this.#isReady = true
        return
      case 'Unready':
        this.#isReady = false
        return
      case 'Finish':
        must(this.#alive.size === 0, 'nobody runs any more')
        must(this.#waiting === 0, 'nothing waits for one that is over')
        // What was on its way to the store may arrive, or not.
        if (this.#write !== undefined && this.#random() < 0.5) this.#apply()
        this.#isFinished = true
        return
      default:
    }
  }

  #isFinished = false

  #apply(): void {
    for (const id of this.#write?.started ?? []) this.store.add(id)
    for (const id of this.#write?.stopped ?? []) this.store.delete(id)
    this.#write = undefined
  }

  get #waiting(): number {
    return [...this.#under.values()].flat().length
  }

  #mustTake(entityId: string, instance: number): void {
    const found = this.#alive.get(entityId)
    must(found?.instance === instance && !found.isAsked, `${entityId} takes messages`)
  }

  #check(): void {
    const machine = this.#machine
    if (!machine.isServing) return
    if (this.#duties.remembers) {
      const known = new Set<string>()
      for (const id of machine.remembered) {
        must(this.store.has(id) && !known.has(id), `${id} is remembered as it is stored, and once`)
        known.add(id)
      }
      for (const id of this.store) must(known.has(id) || this.#leaving.has(id), `${id} is not lost`)
    }
    if (this.#isFrozen) return
    const active = [...this.#alive.values()].filter(({ isAsked }) => !isAsked)
    must(active.length <= this.#limit, `${active.length} are active, at most ${this.#limit} may be`)
  }

  /** Something happens. */
  happen(): void {
    const running = [...this.#alive].map(([entityId, { instance, isAsked }]) => ({
      ...{ entityId, instance, isAsked },
    }))
    const id = this.#pick(ids) as string
    const what = this.#random()
    if (what < 0.25) return this.#send(id)
    if (what < 0.3) {
      const found = this.#pick(running)
      return found && this.step({ type: 'Passivate', ...found })
    }
    if (what < 0.5) {
      return this.#end(this.#pick(running.filter(({ isAsked }) => isAsked || this.#areFrail)))
    }
    if (what < 0.54) return this.#end(this.#pick(running))
    if (what < 0.56) return this.step({ type: 'Sweep' })
    if (what < 0.58) {
      if (this.#duties.limit === undefined) return undefined
      this.#limit = 1 + Math.floor(this.#random() * 4)
      return this.step({ type: 'LimitActiveEntities', limit: this.#limit })
    }
    if (what < 0.62) {
      this.#isFrozen = !this.#isFrozen
      return this.step({ type: this.#isFrozen ? 'Frozen' : 'Thawed' })
    }
    if (what < 0.66) {
      const timer = this.#pick([...this.#timers])
      if (timer === undefined) return undefined
      this.#timers.delete(timer)
      return this.step({ type: 'TimerFired', timer })
    }
    if (what < 0.7) return this.step({ type: 'StartEntity', entityId: id, asker: {} })
    if (what < 0.75) {
      const entityIds = this.#machine.nextAsleep(2)
      if (this.#random() < 0.8) return this.step({ type: 'Recover', entityIds })
      this.#moving.push(...entityIds)
      return this.step({ type: 'BelongElsewhere', entityIds })
    }
    if (what < 0.77) return this.#moved()
    if (what < 0.93) return this.#answer()
    if (what < 0.935) {
      this.#isHandedOff = true
      return this.step({ type: 'HandOff', isForced: this.#random() < 0.3 })
    }
    if (what < 0.945) return this.#duties.hasLease ? this.step({ type: 'LeaseLost' }) : undefined
    return undefined
  }

  #send(entityId: string): void {
    if (!this.#isReady || this.#isHandedOff || this.#isFinished) return
    const parcel = ++this.#sent
    const under = this.#under.get(entityId) ?? []
    this.#under.set(entityId, [...under, parcel])
    const live = this.#machine.touch(entityId)
    if (live !== undefined) {
      this.#mustTake(entityId, live.instance)
      must(this.#under.get(entityId)?.shift() === parcel, 'messages arrive in order')
      return
    }
    this.step({ type: 'Message', entityId, parcel })
  }

  #moved(): void {
    const entityIds = this.#moving.splice(0)
    for (const id of entityIds) if (!this.#alive.has(id)) this.#leaving.add(id)
    this.step({ type: 'MovedAway', entityIds })
  }

  #end(found: { entityId: string; instance: number } | undefined): void {
    if (found === undefined) return
    const { entityId, instance } = found
    if (this.#alive.get(entityId)?.isAsked === true) this.#leaving.add(entityId)
    this.#alive.delete(entityId)
    this.step({ type: 'EntityTerminated', entityId, instance })
  }

  /** Of the store, or of the lease. */
  #answer(): void {
    const calls = this.#calls
    if (calls.isAcquiring) {
      calls.isAcquiring = false
      return this.step({ type: this.#random() < 0.7 ? 'LeaseAcquired' : 'LeaseRefused' })
    }
    if (calls.isReleasing) {
      calls.isReleasing = false
      return this.step({ type: 'LeaseReleased' })
    }
    if (calls.isLoading) {
      calls.isLoading = false
      if (this.#random() < 0.1) return this.step({ type: 'StoreFailed' })
      this.step({ type: 'Loading', change: { started: [...this.store], stopped: [] } })
      return this.step({ type: 'Loaded' })
    }
    if (this.#write === undefined) return undefined
    if (this.#random() < 0.03) return this.step({ type: 'StoreFailed' })
    this.#apply()
    this.step({ type: 'Stored' })
    return undefined
  }

  beginAnewWhenFinished(): void {
    if (!this.#isFinished) return
    this.#isFinished = false
    this.#begin()
  }

  /** Nothing bad happens any more: what waits arrives, and what is remembered runs. */
  calm(): void {
    if (this.#isFrozen) {
      this.#isFrozen = false
      this.step({ type: 'Thawed' })
    }
    for (let round = 0; round < 400; round++) {
      this.beginAnewWhenFinished()
      for (const [entityId, { instance, isAsked }] of [...this.#alive]) {
        if (isAsked || this.#machine.hasFailed) this.#end({ entityId, instance })
      }
      this.#answer()
      this.#moved()
      this.step({ type: 'Recover', entityIds: this.#machine.nextAsleep(10) })
      const calmly = ['restart', 'lease', 'force-stop'] as const
      for (const timer of calmly) {
        if (this.#timers.delete(timer)) this.step({ type: 'TimerFired', timer })
      }
    }
    expect(this.#machine.isServing).toBe(true)
    expect(this.#waiting).toBe(0)
    expect(this.#machine.entities.waitingCount).toBe(0)
    if (this.#duties.remembers) {
      expect([...this.#alive.keys()].sort(), 'all run').toEqual([...this.store].sort())
    }
  }
}

const all = [false, true].flatMap((remembers) =>
  [false, true].flatMap((hasLease) =>
    [undefined, 2].map((limit): Duties => ({ remembers, hasLease, limit })),
  ),
)

describe.each(all)('a shard with $remembers, $hasLease, $limit', (duties) => {
  test('keeps its promises whatever happens', () => {
    let lives = 0
    for (let seed = 1; seed <= 30; seed++) {
      const world = new World(seed, duties)
      let turn = 0
      try {
        for (; turn < 400; turn++) {
          world.happen()
          world.beginAnewWhenFinished()
        }
        world.calm()
      } catch (error) {
        ;(error as Error).message += ` (seed ${seed}, turn ${turn})`
        throw error
      }
      lives += world.lives
    }
    expect(lives).toBeGreaterThan(30)
  })
})
