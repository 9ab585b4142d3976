/**
 * Benchmark `memory`: heap bytes per idle actor, of a million actors with a trivial behavior.
 * Counted is `heapUsed` after full collections with the actors, less the same before them, divided
 * by their number: the actor, its name, its address and its place in whatever keeps it alive.
 * Measured when all have started, and again after each has handled one message, which shows what a
 * mailbox leaves behind. A process per contestant (`heap.ts`), so heaps do not mix.
 *
 * The peers hold 100,000 actors: a million take them over a gigabyte and half a minute, and came to
 * the same bytes per actor within 2 %.
 */
import { spawnSync } from 'node:child_process'
import type { Benchmark, Measured } from './benchmark.ts'
import type { HeapFigures } from './heap.ts'

export const memory: Benchmark = {
  name: 'memory',
  summary: 'heap bytes per idle actor with a trivial behavior',
  smallerIsBetter: true,
  async run({ nact, xstate }) {
    const sizes = { ours: 1_000_000, bare: 1_000_000, nact: 100_000, xstate: 100_000 }
    const absent = [nact === undefined && 'nact', xstate === undefined && 'xstate']
    const present = Object.entries(sizes).filter(([name]) => !absent.includes(name))
    console.error(`measuring ${present.map(([name]) => name).join(', ')}`)
    const figures = present.map(([name, size]) => [name, measureApart(name, size)] as const)
    const measured = (pick: keyof HeapFigures): Measured[] =>
      figures.map(([name, heap]) => ({ name, samples: [heap[pick]] }))
    return [
      { name: 'started', unit: 'bytes', contestants: measured('started') },
      { name: 'after one message each', unit: 'bytes', contestants: measured('afterOneMessage') },
    ]
  },
}

/** Runs this program again in a process of its own, for one contestant's heap. */
export function measureApart(contestant: string, actors: number): HeapFigures {
  const program = process.argv[1] ?? ''
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=4096', program, '--heap', `${contestant}:${actors}`],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (status !== 0) throw new Error(`the process that measures ${contestant} ended with ${status}`)
  return JSON.parse(stdout) as HeapFigures
}
