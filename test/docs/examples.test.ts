import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { promised, runExample } from './examples.ts'
import { patience } from './reader.ts'

vi.setConfig(patience)

describe('the first example', () => {
  test('prints what its README says', async () => {
    const { code, stdout } = await runExample('01-hello-actor')
    expect(code).toBe(0)
    expect(stdout).toBe(promised('01-hello-actor'))
  })
})

describe('the counter', () => {
  test('prints what its README says, and remembers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sherd-counter-'))
    try {
      const first = await runExample('02-counter', [folder])
      expect(first).toMatchObject({ code: 0, stdout: promised('02-counter') })
      const second = await runExample('02-counter', [folder])
      expect(second.stdout).toContain('Somebody has been here before.')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('sharding of the classic kind', () => {
  test('prints what its README says', async () => {
    const { code, stdout } = await runExample('04-classic-sharding')
    expect({ code, stdout }).toEqual({ code: 0, stdout: promised('04-classic-sharding') })
  })
})

describe('the demo', () => {
  test('explains itself, and what it does not understand', async () => {
    expect(await runExample('demo', ['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('npm start -- --seconds N') as string,
    })
    expect(await runExample('demo', ['--seconds', 'many'])).toMatchObject({
      code: 1,
      stderr: '--seconds takes a whole number from 5 to 99999, not "many".\n',
    })
  })
})
