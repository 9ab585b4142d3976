import { describe, expect, test } from 'vitest'
import type { ClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { outOfTouchAfterMs } from '../../src/cluster/detection/detection-time.ts'
import { downingSettingsTable } from '../../src/cluster/downing/downing-settings.ts'
import { compareAges } from '../../src/cluster/gossip/member.ts'
import { cases, isFull } from '../how-long.ts'
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
    ...(isFull
      ? [
          [100, 1],
          [100, 8],
        ]
      : []),
  ] as [number, number][])(
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

  test.each([18, 19, 20, 60])(
    'also where it was chosen to wait no longer than in a small one, of %i',
    (size) => {
      const downing = { ...new Crowd({ size: 1 }).settings.downing, stableAfterMs: 2_500 }
      for (let seed = 1; seed <= cases({ short: 2, full: 10 }); seed++) {
        const { lives, crowd } = cutOff(size, 1, seed, {
          downing,
          phiThreshold: 1,
          acceptableHeartbeatPauseMs: 1_000,
        })
        const latest = outOfTouchAfterMs(crowd.settings)
        for (const { frozenMs, givenUpMs } of lives) {
          expect(frozenMs).toBeLessThanOrEqual(latest)
          expect(frozenMs).toBeLessThan(givenUpMs)
        }
      }
    },
    120_000,
  )

  test('those that are cut off together with the oldest go on, where it goes by the oldest', () => {
    const chosen = { strategy: 'keep-oldest', downIfAlone: false }
    const downing = downingSettingsTable.complete(chosen)
    for (let seed = 1; seed <= cases({ short: 1, full: 10 }); seed++) {
      const crowd = new Crowd({ size: 100, seed, settings: { downing } })
      crowd.start()
      crowd.runUntil('convergence', () => crowd.isWhole, 60_000)
      const ages = crowd.members[0]!.machine.gossip.members
      const { node } = ages.reduce((old, each) => (compareAges(each, old) < 0 ? each : old))
      const few = crowd.members.filter(({ id }, index) => id === node || index % 40 === 7)
      const at = crowd.now
      crowd.cut(
        few,
        crowd.members.filter((member) => !few.includes(member)),
      )
      crowd.run(2 * outOfTouchAfterMs(crowd.settings))
      const frozen = few.filter(({ events }) =>
        events.some(({ event, at: then }) => then >= at && event.type === 'Frozen'),
      )
      expect([few.length, frozen]).toEqual([4, []])
    }
  })

  test('one that a single link does not reach keeps nobody from giving up the dead', () => {
    const crowd = new Crowd({ size: 24, seed: 2 })
    crowd.start()
    crowd.runUntil('convergence', () => crowd.isWhole, 60_000)
    crowd.run(10_000)
    const receivers = ({ machine }: CrowdMember): readonly string[] =>
      machine.snapshot().heartbeat.receivers
    const [leader] = crowd.members as [CrowdMember]
    const monitored = receivers(leader)
    const unheard = crowd.members.find(
      (other) =>
        other !== leader && !monitored.includes(other.id) && !receivers(other).includes(leader.id),
    )
    crowd.cut([leader], [unheard as CrowdMember])
    crowd.run(20_000)
    const dead = crowd.members.filter(({ id }) => monitored.includes(id)).slice(0, 3)
    for (const member of dead) crowd.crash(member, { silent: true })
    crowd.run(40_000)
    expect(crowd.alive).toHaveLength(21)
    expect(leader.machine.gossip.members).toHaveLength(21)
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
