import { describe, expect, test } from 'vitest'
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
    for (const name of ['kill-9', 'rolling-restart', 'sigstop', 'partition', 'founding-restart']) {
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
})
