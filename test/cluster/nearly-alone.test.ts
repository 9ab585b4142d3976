import { describe, expect, test } from 'vitest'
import type { ClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { outOfTouchAfterMs } from '../../src/cluster/detection/detection-time.ts'
import { cases } from '../how-long.ts'
import { Crowd, type CrowdMember } from './crowd.ts'

/** Those who are cut off, and when each of them froze and was given up. */
function cutOff(size: number, part: number, seed: number, settings: Partial<ClusterSettings> = {}) {
  const crowd = new Crowd({ size, seed, settings })
  crowd.start()
  crowd.runUntil('convergence', () => crowd.isWhole, 60_000)
  // The leader, the seeds and others, wherever they stand on the ring.
  const lonely = new Set<CrowdMember>()
  while (lonely.size < part) lonely.add(crowd.machines.random.pick(crowd.members))
  const rest = crowd.members.filter((member) => !lonely.has(member))
  const at = crowd.now
  crowd.cut([...lonely], rest)
  const isGivenUp = (member: CrowdMember): boolean =>
    rest.every(({ machine }) => !machine.gossip.members.some(({ node }) => node === member.id))
  crowd.runUntil('removal', () => [...lonely].every(isGivenUp), 120_000)
  const timeOf = (member: CrowdMember, type: string, node?: string): number =>
    (member.events.find(
      ({ event, at: then }) =>
        then >= at &&
        event.type === type &&
        (node === undefined || ('member' in event && event.member.node === node)),
    )?.at ?? Infinity) - at
  return {
    crowd,
    rest,
    lives: [...lonely].map((member) => ({
      member,
      frozenMs: timeOf(member, 'Frozen'),
      thawedMs: timeOf(member, 'Thawed'),
      givenUpMs: Math.min(...rest.map((other) => timeOf(other, 'MemberDowned', member.id))),
    })),
  }
}

describe('in a cluster where a member monitors only some of the others', () => {
  test.each([
    [60, 1],
    [60, 3],
    [100, 1],
    [100, 8],
  ])(
    'of %i members, each of %i that are cut off freezes long before it is given up',
    (size, part) => {
      for (let seed = 1; seed <= cases({ short: 1, full: 10 }); seed++) {
        const { rest, lives, crowd } = cutOff(size, part, seed)
        const latest = outOfTouchAfterMs(crowd.settings)
        for (const { frozenMs, thawedMs, givenUpMs } of lives) {
          expect(frozenMs).toBeLessThanOrEqual(latest)
          expect(givenUpMs).toBeGreaterThan(frozenMs)
          expect(thawedMs).toBe(Infinity)
        }
        // The others have enough to hear.
        for (const { events } of rest)
          expect(events.map(({ event }) => event.type)).not.toContain('Frozen')
      }
    },
    600_000,
  )

  test('also where it was chosen to wait no longer than in a small one', () => {
    const downing = { ...new Crowd({ size: 1 }).settings.downing, stableAfterMs: 2_500 }
    const { lives } = cutOff(60, 1, 3, {
      downing,
      phiThreshold: 1,
      acceptableHeartbeatPauseMs: 1_000,
    })
    for (const { frozenMs, givenUpMs } of lives) expect(frozenMs).toBeLessThan(givenUpMs)
  })

  test('one that was cut off for a moment goes on', () => {
    const crowd = new Crowd({ size: 60, seed: 1 })
    crowd.start()
    crowd.runUntil('convergence', () => crowd.isWhole, 60_000)
    const [, , , , lonely] = crowd.members as [never, never, never, never, CrowdMember]
    crowd.cut(
      [lonely],
      crowd.members.filter((member) => member !== lonely),
    )
    crowd.runUntil('frozen', () => lonely.machine.isFrozen, 10_000)
    crowd.machines.heal()
    crowd.runUntil('thawed', () => !lonely.machine.isFrozen, 10_000)
    crowd.runUntil('convergence', () => crowd.isWhole, 60_000)
    expect(crowd.alive).toHaveLength(60)
  })
})
