/** Prints measured cases: a table for people and, when asked, one line of JSON for programs. */
import type { Benchmark, Measured, MeasuredCase } from './benchmark.ts'

const us = 'ours'

export function printTable(benchmark: Benchmark, cases: readonly MeasuredCase[]): void {
  const rounds = cases[0]?.contestants[0]?.samples.length ?? 0
  const better = benchmark.smallerIsBetter ? 'smaller is better' : 'bigger is better'
  const basis = rounds > 1 ? `median of ${rounds} alternating rounds` : 'one measurement each'
  console.log(`${benchmark.name}: ${benchmark.summary} (${basis}; ${better})`)
  for (const measured of cases) printCase(measured)
}

function printCase({ name, unit, contestants }: MeasuredCase): void {
  console.log(
    `\n${name.padEnd(24)}${unit.padStart(14)}${'lowest - highest'.padStart(28)}   spread   ours is`,
  )
  const ours = contestants.find((contestant) => contestant.name === us)
  for (const contestant of contestants) {
    const { samples } = contestant
    const lowest = Math.min(...samples)
    const highest = Math.max(...samples)
    const range = samples.length > 1 ? `${grouped(lowest)} - ${grouped(highest)}` : ''
    const spread = samples.length > 1 ? `${deviationPercent(samples).toFixed(1)} %` : ''
    const ratio = ours === undefined || contestant === ours ? '' : ratioOf(ours, contestant)
    console.log(
      `  ${contestant.name.padEnd(22)}${grouped(median(samples)).padStart(14)}` +
        `${range.padStart(28)}${spread.padStart(9)}${ratio.padStart(10)}`.trimEnd(),
    )
  }
}

/** The shape that programs read: `{name, rows: [{case, ours, unit, baselines}]}`. */
export function toJson(benchmark: Benchmark, cases: readonly MeasuredCase[]): string {
  const rows = cases.map(({ name, unit, contestants }) => {
    const figures = new Map(contestants.map((c) => [c.name, Math.round(median(c.samples))]))
    const ours = figures.get(us)
    figures.delete(us)
    return { case: name, ours, unit, baselines: Object.fromEntries(figures) }
  })
  return JSON.stringify({ name: benchmark.name, rows })
}

function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Half of the rounds are nearer to the median than this, in percent of it. */
function deviationPercent(samples: readonly number[]): number {
  const centre = median(samples)
  return (median(samples.map((sample) => Math.abs(sample - centre))) / centre) * 100
}

function ratioOf(ours: Measured, other: Measured): string {
  const ratio = median(ours.samples) / median(other.samples)
  return `${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)} x`
}

function grouped(figure: number): string {
  return Math.round(figure).toLocaleString('en-US')
}
