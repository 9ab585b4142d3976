import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { compiledFile } from '../test/processes/harness/compiled.ts'
import { within } from '../test/processes/harness/patience.ts'
import { runChaos } from './chaos/command.ts'

async function run(...words: readonly string[]) {
  const lines: string[] = []
  const errors: string[] = []
  const code = await runChaos(words, {
    print: (line) => lines.push(line),
    printError: (line) => errors.push(line),
    now: () => 0,
  })
  return { code, text: lines.join('\n'), errors: errors.join('\n') }
}

describe('npm run chaos', () => {
  test('lists its scenarios and explains itself', async () => {
    const list = await run('--list')
    expect(list.code).toBe(0)
    for (const name of [
      'kill-9',
      'rolling-restart',
      'sigstop',
      'partition',
      'net-loss',
      'net-kill',
    ]) {
      expect(list.text).toContain(`  ${name} `)
    }
    expect((await run('--help')).text).toContain('npm run chaos -- [--only NAME]')
  })

  test('says what it does not understand', async () => {
    const unknown = await run('--only', 'earthquake')
    expect(unknown.code).toBe(1)
    expect(unknown.errors).toContain('There is no scenario "earthquake". There are:\n  kill-9')
    expect((await run('--rounds', 'many')).errors).toContain(
      '--rounds takes a whole number from 1 on, not "many".',
    )
    expect((await run('--fast')).errors).toContain('Try: npm run chaos -- --help')
  })

  test('says what a scenario needs that this machine does not have, and fails', async () => {
    const getuid = vi.spyOn(process as { getuid: () => number }, 'getuid').mockReturnValue(1000)
    onTestFinished(() => getuid.mockRestore())
    const { code, text } = await run('--only', 'net-kill')
    expect(code).toBe(1)
    expect(text).toMatch(
      /net-kill: \d problems.*\n  It cannot be played here. It needs (root|Linux)/,
    )
  })

  test('ends with code 1, and leaves nothing behind, when a scenario breaks under load', async () => {
    const program = compiledFile(new URL('../test/processes/broken-run-main.ts', import.meta.url))
    const child = spawn(process.execPath, ['--enable-source-maps', program])
    onTestFinished(() => void child.kill('SIGKILL'))
    let [printed, said] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    // From the failure on: starting nodes takes as long as it takes.
    const failed = new Promise<void>((resolve) =>
      child.stdout.on('data', () => printed.includes('the scenario is broken') && resolve()),
    )
    const closed = once(child, 'close')
    await within(Promise.race([failed, closed]), 'the failure in the output')
    expect(await within(closed, 'the end of the program', 10_000)).toEqual([1, null])
    const [summary, problem] = printed.split('\n')
    expect(summary).toMatch(/^broken: 1 problems; took /)
    expect(problem).toBe('  Error: the scenario is broken')
    const left = [...said.matchAll(/^broken: (process|folder) (.+)$/gm)].map(([, what, name]) =>
      what === 'folder' ? existsSync(name ?? '') : isAlive(Number(name)),
    )
    expect(left).toEqual([false, false, false, false, false])
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
