import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

type Packages = Record<string, { version: string; integrity?: string; optional?: boolean }>

const setup = fileURLToPath(new URL('setup.mjs', import.meta.url))

interface Stage {
  readonly locked: Packages
  /** What npm has written down. */
  readonly installed?: Packages | undefined
  /** What somebody has taken away since. */
  readonly removed?: string
  /** As if this Node were another. */
  readonly node?: string
}

/** Runs setup in a folder with these lock files, with an `npm` that only says how it was called. */
function setUp({ locked, installed, removed, node = process.versions.node }: Stage) {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-setup-'))
  try {
    writeLock(folder, 'package-lock.json', { '': { version: '1.0.0' }, ...locked })
    if (installed) writeLock(join(folder, 'node_modules'), '.package-lock.json', installed)
    for (const path of Object.keys(installed ?? {})) {
      if (path !== removed) mkdirSync(join(folder, path), { recursive: true })
    }
    writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho called: npm "$@"\n', { mode: 0o755 })
    const PATH = folder + delimiter + (process.env['PATH'] ?? '')
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', asNode(node), setup, folder],
      {
        encoding: 'utf8',
        env: { ...process.env, PATH },
      },
    )
    expect(stdout).toBe('')
    return { status, words: stderr }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function asNode(node: string): string {
  const versions = JSON.stringify({ node })
  return `data:text/javascript,Object.defineProperty(process,'versions',{value:${versions}})`
}

function writeLock(folder: string, name: string, packages: Packages): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), JSON.stringify({ packages }))
}

test('is silent when node_modules is as the lock file says', () => {
  const packages = { 'node_modules/a': { version: '1.0.0', integrity: 'x' } }
  expect(setUp({ locked: packages, installed: packages })).toEqual({ status: 0, words: '' })
})

test('does not miss optional packages of other platforms', () => {
  const locked = { 'node_modules/a': { version: '1.0.0', optional: true } }
  expect(setUp({ locked, installed: {} })).toEqual({ status: 0, words: '' })
})

const a = { 'node_modules/a': { version: '1.0.0' } }

test.each<[string, Stage]>([
  ['node_modules is missing', { locked: {} }],
  ['node_modules/a is missing', { locked: a, installed: {} }],
  ['node_modules/a is missing', { locked: a, installed: a, removed: 'node_modules/a' }],
  [
    'node_modules/a is not the one in package-lock.json',
    { locked: { 'node_modules/a': { version: '1.0.1' } }, installed: a },
  ],
  ['node_modules/a is not in package-lock.json', { locked: {}, installed: a }],
])('says why, and installs what is locked: %s', (why, stage) => {
  const line = `Setting up: ${why}, so this runs "npm ci" once.\n`
  expect(setUp(stage)).toEqual({
    status: 0,
    words: `${line}called: npm ci --ignore-scripts --loglevel=notice\n`,
  })
})

const refused = ['18.20.8', '20.9.0', '20.18.3', '21.7.3', '22.11.0', '23.11.1']

test.each(refused)('says so when the tools do not run on this Node: %s', (node) => {
  expect(setUp({ locked: {}, node })).toEqual({
    status: 1,
    words: `A clone of Sherd needs Node 20.19, 22.12, or 24 and newer, and this is ${node}. Please install another Node.\n`,
  })
})

test.each(['20.19.0', '22.12.0', '24.0.0', '100.0.0'])('takes Node %s', (node) => {
  expect(setUp({ locked: {}, installed: {}, node })).toEqual({ status: 0, words: '' })
})
