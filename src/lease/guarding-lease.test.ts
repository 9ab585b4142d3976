import { describe, expect, test } from 'vitest'
import { CapturedLogs } from '../testkit/index.ts'
import { GuardingLease, type LeaseNews } from './guarding-lease.ts'
import type { Lease } from './lease.ts'
import { defaultLeaseSettings } from './lease-settings.ts'

/** A lease that answers when it is told to, and a clock that is not asked. */
class Scene {
  readonly news: LeaseNews[] = []
  readonly answers: ((isTrue: boolean) => void)[] = []
  readonly guarding: GuardingLease
  releases = 0
  #due: (() => void)[] = []

  constructor() {
    const lease: Lease = {
      ...{ name: 'bank', owner: 'a:1', settings: defaultLeaseSettings, fenceToken: 1 },
      acquire: () => new Promise((resolve) => this.answers.push(resolve)),
      release: () => {
        this.releases++
        return Promise.resolve(true)
      },
      checkLease: () => true,
    }
    const after = (_: number, callback: () => void) => {
      this.#due.push(callback)
      return { cancel: () => (this.#due = this.#due.filter((each) => each !== callback)) }
    }
    this.guarding = new GuardingLease({
      ...{ lease, guarded: 'a bank', logger: new CapturedLogs(), timers: { after } },
      fields: () => ({}),
      step: (news) => this.news.push(news),
    })
  }

  /** Nobody waits any longer. */
  async runOut(): Promise<void> {
    for (const callback of this.#due.splice(0)) callback()
    await settled()
  }

  async answer(place: number, isTrue: boolean): Promise<void> {
    this.answers[place]!(isTrue)
    await settled()
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the lease of something that lives', () => {
  test('is in doubt when nobody answered, and refused without a doubt when another has it', async () => {
    const scene = new Scene()
    scene.guarding.acquire()
    await scene.runOut()
    expect(scene.news).toEqual([{ type: 'LeaseRefused', isDoubtful: true }])
    scene.guarding.acquire()
    await scene.answer(1, false)
    expect(scene.news[1]).toEqual({ type: 'LeaseRefused', isDoubtful: false })
  })

  test('is given back when it is granted after nobody waits for it', async () => {
    const scene = new Scene()
    scene.guarding.acquire()
    await scene.runOut()
    await scene.answer(0, true)
    expect(scene.releases).toBe(1)
    expect(scene.guarding.isHeld()).toBe(false)
  })

  test('is kept when it is granted late, but has been asked for again', async () => {
    const scene = new Scene()
    scene.guarding.acquire()
    await scene.runOut()
    scene.guarding.acquire()
    await scene.answer(0, true)
    await scene.answer(1, true)
    expect(scene.releases).toBe(0)
    expect(scene.guarding.isHeld()).toBe(true)
  })
})
