/**
 * Benchmark `failover`: how long counters are away when their host dies or leaves, on three processes with one store, at
 * the default settings, while a caller per counter calls and repeats. Where the time of a scene went is told on standard error.
 *
 * On one host others see that a process has ended. Where root can make network namespaces (Linux) it is measured without
 * that as well: each process has a host of its own, and nothing but refused connections tells.
 */
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { HostsApart } from './failover-apart.ts'
import { type Note, playTogether, type Row, rows } from './failover-scenes.ts'

/** No round begins that would end later than this, going by the longest before it. */
const budgetMs = 50_000
const roundsMax = 5

export const failover: Benchmark = {
  name: 'failover',
  summary: '100 durable counters on three processes at default settings, milliseconds',
  smallerIsBetter: true,
  async run() {
    const samples = new Map<Row, number[]>()
    const note: Note = (row, ms) => samples.set(row, [...(samples.get(row) ?? []), ms])
    const apart = HostsApart.make()
    try {
      await playRounds(note, apart)
    } finally {
      apart?.dispose()
    }
    return (Object.keys(rows) as Row[])
      .filter((row) => samples.has(row))
      .map((row): MeasuredCase => ({
        name: rows[row],
        unit: 'ms',
        contestants: [{ name: 'ours', samples: samples.get(row) ?? [] }],
      }))
  },
}

async function playRounds(note: Note, apart: HostsApart | undefined): Promise<void> {
  const beganMs = performance.now()
  let longestMs = 0
  for (let round = 1; round <= roundsMax; round++) {
    const roundMs = performance.now()
    if (roundMs - beganMs + longestMs > budgetMs) break
    await playTogether(note)
    await apart?.play(note)
    longestMs = Math.max(longestMs, performance.now() - roundMs)
  }
}
