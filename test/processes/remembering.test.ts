import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compiledFile } from './harness/compiled.ts'

const program = compiledFile(new URL('./remember-main.ts', import.meta.url))
const patienceMs = 30_000

let folder: string
let child: ChildProcess | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sherd-remembered-'))
})

afterEach(async () => {
  await kill()
  rmSync(folder, { recursive: true })
})

/** As a power cut would. */
async function kill(): Promise<void> {
  const running = child
  child = undefined
  if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
  const closed = once(running, 'close')
  running.kill('SIGKILL')
  await closed
}

/** What has started, with its shard, once there are so many and the process is ready. */
async function startedIn(shift: number, ids: readonly string[], count: number): Promise<string[]> {
  const running = spawn(process.execPath, [program, folder, `${shift}`, ...ids])
  child = running
  let errors = ''
  running.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const started: string[] = []
  let isReady = false
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(
      () => reject(new Error(`only ${started.join(', ')} started. ${errors}`)),
      patienceMs,
    )
    createInterface(running.stdout).on('line', (line) => {
      if (line === 'ready') isReady = true
      else started.push(line.replace('started ', ''))
      if (!isReady || started.length < count) return
      clearTimeout(timeout)
      resolve([...started].sort())
    })
  })
}

test('SH-033 remembered entities run again by themselves after kill -9 of the whole cluster', async () => {
  const ids = ['1', '2', '13']
  expect(await startedIn(0, ids, 3)).toEqual(['1 1', '13 3', '2 2'])
  for (let round = 0; round < 2; round++) {
    await kill()
    expect(await startedIn(0, [], 3)).toEqual(['1 1', '13 3', '2 2'])
  }
})

test('SH-038 a changed extractor moves what is remembered to the shards of now, for good', async () => {
  expect(await startedIn(0, ['1', '11', '21'], 3)).toEqual(['1 1', '11 1', '21 1'])
  await kill()
  expect(await startedIn(1, [], 3)).toEqual(['1 2', '11 2', '21 2'])
  await kill()
  // Whether the old shard has forgotten them by now or not: they run once, where they belong.
  expect(await startedIn(1, [], 3)).toEqual(['1 2', '11 2', '21 2'])
})
