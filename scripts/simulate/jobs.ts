/**
 * Several processes side by side, for `npm run simulate -- --jobs N`: each runs every Nth seed and writes one line per
 * seed; here the lines become results again, in the order of the seeds, so that N changes nothing but the time.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { SeedResult } from '../../src/simulation/index.ts'
import type { CommandOptions } from './options.ts'

/** What one process tells of a seed. Its events are not told: whoever wants them runs the seed again. */
export function toLine(result: SeedResult): string {
  const violations = result.violations.map((violation) => ({ ...violation, cause: undefined }))
  return JSON.stringify({ ...result, violations, lastEvents: [] })
}

/** This very command, as `words` said it, in several processes. */
export async function* resultsOfJobs(
  { jobs, seeds }: CommandOptions,
  words: readonly string[],
): AsyncGenerator<SeedResult> {
  const count = Math.min(jobs, seeds)
  const started = Array.from({ length: count }, (_, index) => start(words, `${index}/${count}`))
  try {
    for (let place = 0; place < seeds; place++) {
      const { lines, ended } = started[place % count] as Job
      const { done, value } = await lines.next()
      if (done === true) throw new Error(`A process ended before its last seed: ${await ended}`)
      yield JSON.parse(value) as SeedResult
    }
  } finally {
    for (const { child } of started) child.kill()
  }
}

interface Job {
  readonly child: ChildProcess
  readonly lines: AsyncIterator<string, undefined>
  /** How it ended, in words. */
  readonly ended: Promise<string>
}

function start(words: readonly string[], part: string): Job {
  const program = process.argv[1] as string
  const child = spawn(process.execPath, [...process.execArgv, program, ...words, '--part', part], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator](), ended }
}
