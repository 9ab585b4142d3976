import { describe, expect, test, vi } from 'vitest'
import { linesOf, promised, runExample, samplesOf } from './examples.ts'
import { patience } from './reader.ts'

vi.setConfig(patience)

describe('the bank of actors', () => {
  test('keeps its books, can be repeated, and says so', async () => {
    const { code, stdout, stderr } = await runExample('03-actor-bank', [
      '--seconds',
      '2',
      '--seeds',
      '2',
    ])
    expect(stderr).toBe('')
    for (const line of linesOf(promised('03-actor-bank'))) expect(stdout).toMatch(line)
    expect(code).toBe(0)
  })

  test('closes in order on Ctrl-C', async () => {
    const { code, stdout } = await runExample('03-actor-bank', ['--seconds', '600'], {
      interruptAfter: 'transfers per second',
    })
    expect(stdout).toContain('The books balance')
    expect(stdout).not.toContain('simulation')
    expect(code).toBe(0)
  })
})

describe('the demo', () => {
  test('keeps its books through a kill and a join, and says so', async () => {
    const { code, stdout, stderr } = await runExample('demo', ['--seconds', '8'])
    expect(stderr).toBe('')
    for (const line of samplesOf(promised('demo'))) expect(stdout).toMatch(line)
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^The books balance: /)
    expect(code).toBe(0)
  })

  test('closes in order on Ctrl-C', async () => {
    const { code, stdout } = await runExample('demo', [], {
      interruptAfter: 'the bank is open',
    })
    expect(stdout).toContain('The books balance')
    expect(code).toBe(0)
  })
})

describe('the auction service', () => {
  test('keeps the money right through a kill, and says so', async () => {
    const { code, stdout, stderr } = await runExample('auction')
    expect(stderr).toBe('')
    for (const line of samplesOf(promised('auction'))) expect(stdout).toMatch(line)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'The money is right: 1800 coins, 0 of them held.',
    )
    expect(code).toBe(0)
  })
})
