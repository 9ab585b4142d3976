import { expect, test } from 'vitest'
import { cases } from '../how-long.ts'
import { Crowd } from './crowd.ts'

const size = cases({ short: 80, full: 1_000 })
const restMs = 5_000

test(`${size} members start together, lose ten and agree again, for few bytes of each pair and each member`, () => {
  const crowd = new Crowd({ size, countsBytes: true })
  crowd.start()
  const startMs = crowd.runUntil('convergence', () => crowd.isWhole, 30_000)
  const start = crowd.takeTraffic()
  expect(startMs).toBeLessThan(15_000)
  expect((start.bytes - start.heartbeatBytes) / size ** 2).toBeLessThan(300)

  crowd.run(restMs)
  const rest = crowd.takeTraffic()
  expect(rest.bytes / size / (restMs / 1_000)).toBeLessThan(2_500)

  // Wherever they stand: a seed, the leader, and others.
  const dead = crowd.members.filter((_, index) => index % Math.floor(size / 10) === 0).slice(0, 10)
  for (const member of dead) crowd.crash(member, { silent: true })
  const removalMs = crowd.runUntil('removal', () => crowd.isWhole, 120_000)
  expect(crowd.alive).toHaveLength(size - dead.length)
  const { gossipBytes } = crowd.takeTraffic()
  const removal = gossipBytes - rest.gossipBytes * (removalMs / restMs)
  expect(removal / size / dead.length).toBeLessThan(10_000)
  for (const { events } of crowd.alive)
    expect(events.map(({ event }) => event.type)).not.toContain('Frozen')
}, 900_000)
