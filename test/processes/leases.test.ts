import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LmdbLock } from '../../src/persistence/journals/lmdb-lock.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { cases } from '../how-long.ts'
import { compiledFile } from './harness/compiled.ts'

const program = compiledFile(new URL('./lease-main.ts', import.meta.url))
const patienceMs = 30_000

/** A process that wants the lease, and all that it has said. */
class LeaseProcess {
  readonly lines: string[] = []
  readonly #child: ChildProcess
  #listeners: (() => void)[] = []
  #errors = ''

  constructor(folder: string, owner: string, ttlMs: number) {
    this.#child = spawn(process.execPath, [program, folder, owner, `${ttlMs}`])
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()))
    createInterface(this.#child.stdout!).on('line', (line) => {
      this.lines.push(line)
      for (const tell of this.#listeners.splice(0)) tell()
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The first line like this from that place on. */
  async line(pattern: RegExp, from = 0): Promise<string> {
    const endMs = performance.now() + patienceMs
    for (;;) {
      const found = this.lines.slice(from).find((line) => pattern.test(line))
      if (found !== undefined) return found
      if (performance.now() > endMs) {
        throw new Error(`no ${pattern}, but ${this.lines.join(', ')}. ${this.#errors}`)
      }
      await Promise.race([new Promise<void>((tell) => this.#listeners.push(tell)), delay(1_000)])
    }
  }

  /** The token by which it would act; undefined when it does not hold the lease. */
  async use(): Promise<number | undefined> {
    const from = this.lines.length
    this.ask()
    return tokenIn(await this.line(/^used/, from))
  }

  ask(): void {
    this.#child.stdin?.write('use\n')
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await closed
  }
}

const tokenIn = (line: string): number | undefined =>
  line.endsWith(' no') ? undefined : Number(line.split(' ')[1])

/** Every thread of it. */
function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).startsWith('T')
  })
}

describe.runIf(process.platform === 'linux')('a lease on LMDB, wanted by two processes', () => {
  let folder: string
  let running: LeaseProcess[]
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-leases-'))
    running = []
  })
  afterEach(async () => {
    await Promise.all(running.map((each) => each.end()))
    rmSync(folder, { recursive: true })
  })
  const start = (owner: string, ttlMs: number): LeaseProcess => {
    const started = new LeaseProcess(folder, owner, ttlMs)
    running.push(started)
    return started
  }
  /** Not within a commit: there it would be ended by the other, and could not come back. */
  const stop = async (victim: LeaseProcess): Promise<void> => {
    for (;;) {
      victim.signal('SIGSTOP')
      while (!isStopped(victim.pid)) await delay(1)
      if (new LmdbLock(folder).holder()?.pid !== victim.pid) return
      victim.signal('SIGCONT')
      await delay(1)
    }
  }

  test('is not used by a holder that was stopped for longer than it lasts', async () => {
    const ttlMs = 1_000
    const random = new SeededRandom(1, 'stops')
    const pair = [start('a', ttlMs), start('b', ttlMs)] as const
    await Promise.race(pair.map((each) => each.line(/^held 1$/)))
    let last = 0
    /** By which tokens they would act just now: one of them at most, and never by one that is behind another. */
    const tokens = async (): Promise<readonly (number | undefined)[]> => {
      const both = await Promise.all(pair.map((each) => each.use()))
      const used = both.filter((token) => token !== undefined)
      expect(used.length).toBeLessThan(2)
      for (const token of used) expect(token).toBeGreaterThanOrEqual(last)
      last = Math.max(last, ...used)
      return both
    }
    /** Whoever has it, and the other; on a busy machine nobody may, for a moment. */
    const roles = async (): Promise<readonly [LeaseProcess, LeaseProcess]> => {
      for (;;) {
        const [a, b] = await tokens()
        if (a !== undefined || b !== undefined) return a === undefined ? [pair[1], pair[0]] : pair
      }
    }
    for (let round = 0; round < cases({ short: 2, full: 12 }); round++) {
      const [holder, waiter] = await roles()
      const [before, from] = [last, holder.lines.length]
      await stop(holder)
      const stoppedMs = performance.now()
      // It waits in the pipe, and may be the first thing that the process sees when it goes on.
      holder.ask()
      const forMs = (2 + 3 * random.float()) * ttlMs
      while (performance.now() - stoppedMs < forMs || last === before) {
        last = Math.max(last, (await waiter.use()) ?? 0)
      }
      holder.signal('SIGCONT')
      expect(await holder.line(/^used/, from)).toBe('used no')
      await holder.line(/^lost/, from)
      for (let i = 0; i < 20; i++) await tokens()
    }
  }, 120_000)

  test('is taken at once from a process that was killed, however long it would last', async () => {
    const holder = start('a', 600_000)
    await holder.line(/^held 1$/)
    const waiter = start('b', 600_000)
    expect(await waiter.use()).toBe(undefined)
    await holder.end()
    await waiter.line(/^held 2$/)
  }, 120_000)
})
