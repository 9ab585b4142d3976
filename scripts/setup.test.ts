import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

type Packages = Record<string, { version: string; integrity?: string; optional?: boolean }>

const setup = fileURLToPath(new URL('setup.mjs', import.meta.url))

/** Runs setup in a folder with these lock files, with an `npm` that only says how it was called. */
function setUp(locked: Packages, installed?: Packages): { status: number | null; words: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-setup-'))
  try {
    writeLock(folder, 'package-lock.json', { '': { version: '1.0.0' }, ...locked })
    if (installed) writeLock(join(folder, 'node_modules'), '.package-lock.json', installed)
    writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho called: npm "$@"\n', { mode: 0o755 })
    const PATH = folder + delimiter + (process.env['PATH'] ?? '')
    const { status, stdout, stderr } = spawnSync(process.execPath, [setup, folder], {
      encoding: 'utf8',
      env: { ...process.env, PATH },
    })
    expect(stdout).toBe('')
    return { status, words: stderr }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function writeLock(folder: string, name: string, packages: Packages): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), JSON.stringify({ packages }))
}

test('is silent when node_modules is as the lock file says', () => {
  const packages = { 'node_modules/a': { version: '1.0.0', integrity: 'x' } }
  expect(setUp(packages, packages)).toEqual({ status: 0, words: '' })
})

test('does not miss optional packages of other platforms', () => {
  const locked = { 'node_modules/a': { version: '1.0.0', optional: true } }
  expect(setUp(locked, {})).toEqual({ status: 0, words: '' })
})

test.each([
  ['node_modules is missing', {}, undefined],
  ['node_modules/a is missing', { 'node_modules/a': { version: '1.0.0' } }, {}],
  [
    'node_modules/a is not the one in package-lock.json',
    { 'node_modules/a': { version: '1.0.1' } },
    { 'node_modules/a': { version: '1.0.0' } },
  ],
  ['node_modules/a is not in package-lock.json', {}, { 'node_modules/a': { version: '1.0.0' } }],
])('says why, and installs what is locked: %s', (why, locked, installed) => {
  const line = `Setting up: ${why}, so this runs "npm ci" once.\n`
  expect(setUp(locked, installed)).toEqual({
    status: 0,
    words: `${line}called: npm ci --ignore-scripts --loglevel=notice\n`,
  })
})
