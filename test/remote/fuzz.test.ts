import { expect, test } from 'vitest'
import { frames } from '../fuzz/frames.ts'
import { cases } from '../how-long.ts'
import { recordSessions, rest, startVictim } from '../fuzz/sessions.ts'

/** Behind the length, kind, magic and version of a Hello. */
const laneAt = 10
const rounds = cases({ short: 6_000, full: 100_000 })

test(`T04 T07 ${rounds} mutated sessions: no crash, no hang, no growth past the limit`, async () => {
  const figures = await frames.run({ rounds, seed: 20_260 })
  expect(figures['delivered']).toBeGreaterThan(26)
}, 600_000)

test('of all values in the place of the lane the three that there are are taken, and no other', async () => {
  const port = 4_713
  const sessions = await recordSessions(port)
  const victim = await startVictim(port)
  const taken = new Set<number>()
  for (let lane = 0; lane < 256; lane++) {
    const before = victim.deliveredCount()
    for (const session of sessions) {
      const bytes = session.by(lane + 1)
      bytes[laneAt] = lane
      victim.talk([bytes])
    }
    await rest()
    if (victim.deliveredCount() > before) taken.add(lane)
  }
  expect([...taken]).toEqual([0, 1, 2])
  await victim.system.terminate()
})

test('T05 a peer that announces more than it sends makes this node reserve nothing', async () => {
  const { system, talk } = await startVictim(4_712)
  const before = process.memoryUsage().arrayBuffers
  for (let round = 0; round < 1_000; round++) talk([Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2])])
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000)
  await system.terminate()
})
