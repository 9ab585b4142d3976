import { expect, test } from 'vitest'
import { frames } from '../fuzz/frames.ts'
import { startVictim } from '../fuzz/sessions.ts'

const rounds = Number(process.env['SHERD_FUZZ_ROUNDS'] ?? 20_000)

test(`${rounds} mutated sessions: no crash, no hang, no growth past the limit`, async () => {
  const figures = await frames.run({ rounds, seed: 20_260 })
  expect(figures['delivered']).toBeGreaterThan(21)
}, 120_000)

test('a peer that announces more than it sends makes this node reserve nothing', async () => {
  const { system, talk } = await startVictim(4_712)
  const before = process.memoryUsage().arrayBuffers
  for (let round = 0; round < 1_000; round++) talk([Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2])])
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000)
  await system.terminate()
})
