/** A process that exits in the middle of a commit leaves no lock behind. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { compiledFile } from '../processes/harness/compiled.ts'

const folder = mkdtempSync(join(tmpdir(), 'sherd-exit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ending {
  readonly code: number | null
  readonly signal: string | null
  readonly told: string
}

/** Runs a process that writes and then ends in this way; answers what it printed on standard error. */
function runWriter(way: 'exit' | 'throw' | 'wait'): Promise<Ending> {
  const program = compiledFile(new URL('./lmdb-quitter.ts', import.meta.url))
  const child = spawn(process.execPath, [program, folder, way])
  let told = ''
  child.stderr.on('data', (chunk) => (told += String(chunk)))
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, told }))
  })
}

test.each(['exit', 'throw'] as const)(
  'others write on after a process ended by %s during a commit',
  async (way) => {
    const { signal, told } = await runWriter(way)
    expect(signal).toBe('SIGKILL')
    expect(told).toContain('Await node.stop() before process.exit()')
    if (way === 'throw') expect(told).toContain('the dog ate it')
    const journal = await LmdbJournal.open({ folder })
    const { epoch } = await journal.claim('after', 'survivor')
    expect(epoch).toBeGreaterThan(0)
    await journal.close()
  },
  30_000,
)

test('a process that has waited for its last write exits as it likes', async () => {
  expect(await runWriter('wait')).toEqual({ code: 3, signal: null, told: '' })
}, 30_000)
