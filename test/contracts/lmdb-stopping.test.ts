import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { LmdbLock } from '../../src/persistence/journals/lmdb-lock.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { appendText, claimed, readTexts } from '../../src/testkit/journal-contract/journal-texts.ts'
import { countsOf, expectWhole, Writer } from './lmdb-processes.ts'
import { printFigures } from '../figures.ts'
import { cases } from '../how-long.ts'

/** Far below the time after which a commit is given up. */
const soonMs = 5000

const onLinux = process.platform === 'linux'

describe.runIf(onLinux)('LmdbJournal and a stopped process', { timeout: 300_000 }, () => {
  let folder: string
  let running: Writer[]
  const random = new SeededRandom(1, 'stops')
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
    running = []
  })
  afterEach(async () => {
    await Promise.all(running.map((writer) => writer.kill()))
    rmSync(folder, { recursive: true })
  })
  const start = (killAfterMs: number, streams = 16): Writer => {
    const writer = new Writer(folder, `w${running.length}`, streams, killAfterMs)
    running.push(writer)
    return writer
  }
  const openHere = (stoppedWriterKillAfterMs: number): Promise<LmdbJournal> =>
    LmdbJournal.open({ folder, settings: { stoppedWriterKillAfterMs, commitTimeoutMs: 1000 } })
  /** Stops it at some moment of its work, and says whether it held the lock. */
  const stop = async (writer: Writer): Promise<boolean> => {
    await writer.acknowledgedMore(1 + random.below(60))
    writer.signal('SIGSTOP')
    while (!isStopped(writer.pid)) await delay(0)
    return new LmdbLock(folder).holder()?.pid === writer.pid
  }
  const stopInside = async (writer: Writer): Promise<void> => {
    while (!(await stop(writer))) writer.signal('SIGCONT')
  }

  test('others go on writing soon, whenever it was stopped, and nothing acknowledged is lost', async () => {
    const pair = [start(500), start(500)] as [Writer, Writer]
    await Promise.all(pair.map((writer) => writer.acknowledged(50)))
    const [rounds, insideMin] = [cases({ short: 6, full: 100 }), cases({ short: 2, full: 10 })]
    let inside = 0
    for (let round = 0; round < rounds || inside < insideMin; round++) {
      const [victim, other] = round % 2 === 0 ? pair : [pair[1], pair[0]]
      const isInside = await stop(victim)
      await within(soonMs, 'progress of the other writer', other.acknowledgedMore(100))
      if (!isInside) {
        expect(isStopped(victim.pid), 'only the holder of the lock is ended').toBe(true)
        victim.signal('SIGCONT')
        await within(soonMs, 'progress after SIGCONT', victim.acknowledgedMore(20))
        continue
      }
      inside++
      await within(soonMs, 'the end of the holder', victim.ended())
      expect(other.errors).toContain(`Process ${victim.pid} was stopped while it held`)
      pair[round % 2] = start(500)
      await pair[round % 2]!.acknowledged(20)
    }
    await Promise.all(running.map((writer) => writer.kill()))
    await expectWhole(folder, running)
    printFigures('LMDB, writers stopped at random', { rounds, inside, ...countsOf(running) })
  })

  test('a process that opens the journal gets in, though nobody else is there to help', async () => {
    const victim = start(500)
    await victim.acknowledged(50)
    await stopInside(victim)
    const next = start(500)
    await within(soonMs + 5000, 'the first append of the next process', next.acknowledged(20))
    expect(victim.isAlive).toBe(false)
    await next.kill()
    await expectWhole(folder, running)
  })

  test('is left alone when that is turned off: others are told, can read, and go on when it does', async () => {
    const victim = start(Infinity)
    await victim.acknowledged(50)
    const other = await openHere(Infinity)
    const writer = await claimed(other, 'other')
    await stopInside(victim)
    // The promise settles by a timer, so the event loop is free while the lock is waited for.
    const appending = appendText(other, writer, 'x', 'x+')
    const blocked = `Process ${victim.pid} (state T) holds the write lock of the journal in ${folder}`
    // It was decided before the lock was asked for, so that it might still be written.
    await expect(appending).rejects.toMatchObject({ code: 'JOURNAL_OUTCOME_UNKNOWN' })
    await expect(other.claim('another', 'w')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
    await expect(appending).rejects.toThrow(blocked)
    expect((await readTexts(other, 'stream|0')).length).toBeGreaterThan(0)
    expect(isStopped(victim.pid)).toBe(true)
    // Nor does it hold up the event loop to open the store.
    let turns = 0
    const turning = setInterval(() => turns++, 10)
    await expect(openHere(Infinity)).rejects.toThrow(blocked)
    clearInterval(turning)
    expect(turns).toBeGreaterThan(10)
    victim.signal('SIGCONT')
    await within(soonMs, 'progress', victim.acknowledgedMore(50))
    expect(await appendText(other, writer, 'x', 'x+')).toMatchObject({ type: 'Appended' })
    await other.close()
    await victim.kill()
    await expectWhole(folder, running)
  })

  test('is left alone when its start time is not the one it left behind', async () => {
    const victim = start(Infinity)
    await victim.acknowledged(50)
    const note = join(folder, 'writers', `${victim.pid}`)
    writeFileSync(note, `${readFileSync(note, 'utf8')}1`)
    const other = await openHere(100)
    await stopInside(victim)
    expect(new LmdbLock(folder).holder()).toMatchObject({ isStopped: true, isRegistered: false })
    const code = 'JOURNAL_UNAVAILABLE'
    await expect(other.claim('other', 'w')).rejects.toMatchObject({ code })
    expect(isStopped(victim.pid)).toBe(true)
    victim.signal('SIGCONT')
    await within(soonMs, 'a claim', other.claim('other', 'w'))
    await other.close()
  })

  test('looking who holds the lock does not take away the marks of a store in use', async () => {
    const journal = await openHere(500)
    const { ino } = statSync(join(folder, 'lock.mdb'))
    const marks = (): string[] =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `))
    const before = marks()
    expect(before.length).toBeGreaterThan(0)
    expect(new LmdbLock(folder).holder()).toBeUndefined()
    expect(marks()).toEqual(before)
    await journal.close()
  })

  test('a note that is just being written is left to its process', () => {
    const notes = join(folder, 'writers')
    const lock = new LmdbLock(folder)
    lock.register()
    const goneForSure = 2 ** 30
    for (const pid of [process.ppid, goneForSure]) writeFileSync(join(notes, `${pid}`), '')
    lock.register()
    expect(new Set(readdirSync(notes).map(Number))).toEqual(new Set([process.pid, process.ppid]))
  })

  test('processes that are gone leave no notes for long', async () => {
    const first = start(500)
    await first.acknowledged(1)
    await first.kill()
    const second = start(500)
    await second.acknowledged(1)
    expect(readdirSync(join(folder, 'writers'))).toEqual([`${second.pid}`])
  })
})

/** Threads stop one after the other, and one that has not may still take the lock. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).every((thread) => {
    const text = readFileSync(join(tasks, thread, 'stat'), 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).startsWith('T')
  })
}

async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const timeout = new AbortController()
  const late = delay(ms, undefined, timeout).then(() => {
    throw new Error(`${what} did not come within ${ms} ms`)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    timeout.abort()
    await late.catch(() => undefined)
  }
}
