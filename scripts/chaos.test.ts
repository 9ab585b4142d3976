import { describe, expect, onTestFinished, test, vi } from 'vitest'
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
      /net-kill: 1 problems.*\n  It cannot be played here. It needs (root|Linux)/,
    )
  })
})
