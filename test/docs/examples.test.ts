import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { node, patience, root } from './reader.ts'

vi.setConfig(patience)

const run = (example: string, ...words: readonly string[]) =>
  node(['--import', 'tsx', `examples/${example}/main.ts`, ...words])

/** What the README of an example says it prints. */
function promised(example: string): string {
  const page = readFileSync(join(root, 'examples', example, 'README.md'), 'utf8')
  const output = /```text\n([^]*?)```/.exec(page)?.[1]
  if (output === undefined) throw new Error(`the README of ${example} does not say what it prints`)
  return output
}

describe('the first example', () => {
  test('prints what its README says', async () => {
    const { code, stdout } = await run('01-hello-actor')
    expect(code).toBe(0)
    expect(stdout).toBe(promised('01-hello-actor'))
  })
})

describe('the bank of actors', () => {
  test('keeps its books, can be repeated, and says so', async () => {
    const { code, stdout, stderr } = await run('03-actor-bank', '--seconds', '2', '--seeds', '2')
    expect(stderr).toBe('')
    for (const line of linesOf(promised('03-actor-bank'))) expect(stdout).toMatch(line)
    expect(code).toBe(0)
  })

  test('closes in order on Ctrl-C', async () => {
    const { code, stdout } = await node(
      ['--import', 'tsx', 'examples/03-actor-bank/main.ts', '--seconds', '600'],
      { interruptAfter: 'transfers per second' },
    )
    expect(stdout).toContain('The books balance')
    expect(stdout).not.toContain('simulation')
    expect(code).toBe(0)
  })
})

describe('the counter', () => {
  test('prints what its README says, and remembers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sherd-counter-'))
    try {
      const first = await run('02-counter', folder)
      expect(first).toMatchObject({ code: 0, stdout: promised('02-counter') })
      const second = await run('02-counter', folder)
      expect(second.stdout).toContain('Somebody has been here before.')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('the demo', () => {
  test('keeps its books through a kill and a join, and says so', async () => {
    const { code, stdout, stderr } = await run('demo', '--seconds', '8')
    expect(stderr).toBe('')
    for (const line of samplesOf(promised('demo'))) expect(stdout).toMatch(line)
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^The books balance: /)
    expect(code).toBe(0)
  })

  test('explains itself, and what it does not understand', async () => {
    expect(await run('demo', '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('npm start -- --seconds N') as string,
    })
    expect(await run('demo', '--seconds', 'many')).toMatchObject({
      code: 1,
      stderr: '--seconds takes a whole number from 5 to 99999, not "many".\n',
    })
  })

  test('closes in order on Ctrl-C', async () => {
    const { code, stdout } = await node(['--import', 'tsx', 'examples/demo/main.ts'], {
      interruptAfter: 'the bank is open',
    })
    expect(stdout).toContain('The books balance')
    expect(code).toBe(0)
  })
})

/** The lines of a sample as patterns: other numbers and other columns are as good. */
function samplesOf(text: string): RegExp[] {
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      // Where shards move, and how many at once, is chance.
      .filter((line) => line !== '' && line !== '…' && !line.includes('→'))
      .map((line) => {
        const pattern = line
          .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
          .replaceAll(/\bms\b/g, 'm?s')
          .replaceAll(/\d(?:[\d,]|\\\.(?=\d))*/g, '[\\d,.]+')
          .replaceAll(/ +/g, ' +')
          .replace(/, …$/, '.*')
        return new RegExp(`^ *${pattern}$`, 'm')
      })
  )
}

/** The promised lines as patterns, in which NUMBER and HASH stand for any and … for more. */
function linesOf(text: string): RegExp[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && line !== '…')
    .map((line) => {
      const pattern = line
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace(/, …$/, '')
        .replace(/NUMBER [a-z-]+, NUMBER [a-z-]+\\\.$/, '.+\\.')
        .replace(/messages lost: .*/, 'messages lost: .+')
        .replaceAll('NUMBER', '[\\d,.]+')
        .replaceAll('HASH', '[0-9a-f]{16}')
      return new RegExp(`^${pattern}$`, 'm')
    })
}
