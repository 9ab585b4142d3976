import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { bytesOfRecord } from '../../src/cluster/internals.ts'
import { nodeIdOf } from '../../src/foundation/node-id.ts'
import { defineEntity, startNode } from '../../src/index.ts'
import { type WholeStore, wholeStore } from '../../src/persistence/internals.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { fillMixed, live, oddIds, stored } from '../persistence/mixed-store.ts'
import { openElsewhere } from './programs.ts'
import { silentTerminal } from './silent-terminal.ts'

let root: string
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'sherd-cli-'))))
afterEach(() => rmSync(root, { recursive: true }))

const folder = (name: string): string => join(root, name)

async function inStore(name: string, use: (store: WholeStore) => Promise<unknown>): Promise<void> {
  const journal = await LmdbJournal.open({ folder: folder(name) })
  try {
    await use(wholeStore(journal))
  } finally {
    await journal.close()
  }
}

async function sherd(...words: string[]) {
  const terminal = silentTerminal()
  const code = await runCommandLine(words, terminal)
  return { code, out: terminal.printed, notes: terminal.noted.join('\n') }
}

async function look(name: string, ...words: string[]): Promise<unknown[]> {
  const { code, out, notes } = await sherd('look', folder(name), ...words)
  expect([code, notes]).toEqual([0, ''])
  return out.map((line) => JSON.parse(line) as unknown)
}

describe('sherd', () => {
  test('tells its commands, and of each what it does', async () => {
    for (const words of [[], ['help'], ['--help']]) {
      expect((await sherd(...words)).out.join('\n')).toMatch(/copy .*\n.*look .*\n.*schema /)
    }
    for (const command of ['copy', 'look', 'schema']) {
      const { code, out } = await sherd(command, '--help')
      expect([code, out[0]]).toEqual([0, expect.stringContaining(`sherd ${command}`)])
      expect((await sherd('help', command)).out).toEqual(out)
    }
  })

  test.each([
    [['cpoy'], /did you mean `copy`\?/],
    [['copy', '--form', 'a', '--to', 'b'], /did you mean `--from`\?/],
    [['copy', '--from', 'a'], /--to is missing/],
    [['copy', '--from', '--to', 'b'], /--from needs a value/],
    [['copy', 'a', 'b', '--from', 'a', '--to', 'b'], /--from STORE --to STORE/],
    [['copy', '--from', 'a', '--from', 'b', '--to', 'c'], /twice/],
    [['copy', '--resume=yes', '--from', 'a', '--to', 'b'], /--resume takes no value/],
    [['look'], /Which store\?/],
    [['look', 'a', 'b'], /One store at a time/],
    [['look', 'a', '--evens', 'x'], /did you mean `--events`\?/],
    [['look', 'a', '--ids', '--registers'], /two questions/],
    [['look', 'a', '--type', 'Counter'], /--type goes with --ids/],
    [['look', 'a', '--events', 'x', '--from', 'y'], /whole number/],
    [['look', 'mysql://u:secret@h/d'], /^sherd look: A store is a folder or postgres:(?!.*secret)/],
  ])('says what is wrong with %j, and where help is', async (words, problem) => {
    const { code, out, notes } = await sherd(...words)
    expect([code, out]).toEqual([2, []])
    expect(notes).toMatch(problem)
    expect(notes).toMatch(/Try: sherd .*--help$/)
  })

  test('schema prints the SQL of the tables', async () => {
    const { code, out } = await sherd('schema', '--schema', 'shop')
    expect([code, out[0]]).toEqual([0, 'CREATE SCHEMA IF NOT EXISTS "shop";'])
    expect(out.join('\n')).toMatch(/CREATE TABLE IF NOT EXISTS "shop"/)
  })
})

describe('sherd copy', () => {
  const copy = (...words: string[]) =>
    sherd('copy', '--from', folder('old'), '--to', folder('new'), ...words)

  test('copies a folder, compares, and is passed over when it is done again', async () => {
    await inStore('old', fillMixed)
    const { code, out, notes } = await copy('--json')
    expect([code, notes]).toEqual([0, ''])
    const summary: unknown = JSON.parse(out.at(-1)!)
    expect(summary).toMatchObject({
      ...{ isDone: true, isEqual: true, from: folder('old'), to: folder('new') },
      copied: { events: 712, snapshots: 3, leftOut: ['projection/list/0-1023'] },
      compared: { events: 712, differences: [] },
    })
    const again = await copy('--resume')
    expect([again.code, again.out[0]]).toEqual([0, expect.stringContaining('copied 0 streams')])
  })

  test('refuses what is not empty, names what is different, and leaves it as it is', async () => {
    await inStore('old', fillMixed)
    await inStore('new', (store) => live(store, 'Counter|tagged', [stored('mine')]))
    const first = await copy('--json')
    expect([first.code, first.notes]).toEqual([1, expect.stringContaining('--resume')])
    expect(JSON.parse(first.out.at(-1)!)).toMatchObject({ isDone: false, code: 'TARGET_NOT_EMPTY' })
    const resumed = await copy('--resume')
    expect(resumed.code).toBe(1)
    expect(resumed.notes).toMatch(/Counter\|tagged.*event 1 is another one/)
    expect(await look('new', '--events', 'Counter|tagged')).toMatchObject([{ value: 'mine' }])
  })

  test('ends with 1 where the stores differ afterwards', async () => {
    await inStore('old', fillMixed)
    await copy()
    await inStore('new', (store) => store.claim('Counter|only here', 'x'))
    const { code, out } = await copy('--resume')
    expect(code).toBe(1)
    expect(out.at(-1)).toBe(`the stream 'Counter|only here' is in the target only`)
  })

  test('refuses while another process has the folder open, and makes no store then', async () => {
    await inStore('old', fillMixed)
    const other = await openElsewhere(folder('old'))
    try {
      const { code, notes } = await copy()
      expect([code, notes]).toEqual([1, expect.stringContaining(`${other.pid}`)])
      expect(existsSync(folder('new'))).toBe(false)
    } finally {
      await other.end()
    }
    expect((await copy()).code).toBe(0)
  })

  test('refuses while a node runs on one of the stores, and copies when it has stopped', async () => {
    await inStore('old', fillMixed)
    const Counter = defineEntity('Counter', {
      state: () => ({ count: 0 }),
      commands: { read: ({ state }) => state.count },
    })
    const node = await startNode({
      ...{ entities: [Counter], logger: new CapturedLogs() },
      store: { folder: folder('old') },
    })
    try {
      const { code, notes } = await copy()
      expect([code, notes]).toEqual([1, expect.stringMatching(/and it lives.*NODES_RUN/)])
    } finally {
      await node.stop()
    }
    expect((await copy()).code).toBe(0)
  })

  test('carries the record of a cluster that has ended', async () => {
    const founder = nodeIdOf('h:1', 1n)
    const numbers = { number: 3, counter: 9, stillMs: 10_000 }
    const bytes = bytesOfRecord({ ...numbers, founder, isPartial: false, members: [], givenUp: [] })
    const register = { name: 'founding/shop', expectedRevision: 0, bytes }
    await inStore('old', (store) => store.writeRegister(register))
    expect((await copy()).code).toBe(0)
    expect(await look('new', '--registers')).toMatchObject([
      { name: 'founding/shop', revision: 1, value: { number: 3, counter: 9 } },
    ])
  })

  test('tells how far it has come', async () => {
    await inStore('old', fillMixed)
    const told: string[] = []
    const terminal = silentTerminal({ progress: (line) => void told.push(line) })
    await runCommandLine(['copy', '--from', folder('old'), '--to', folder('new')], terminal)
    const words = [...new Set(told.map((line) => line.split(' ')[0]))]
    expect(words).toEqual(['copying:', 'comparing:', ''])
    expect(told.join()).toMatch(/copying: 11 streams with 712 events and 3 snapshots/)
  })

  test('ends with 130 when it is interrupted, and says how it goes on', async () => {
    await inStore('old', fillMixed)
    const stop = new AbortController()
    stop.abort(new Error('Interrupted'))
    const terminal = silentTerminal({ signal: stop.signal })
    const words = ['copy', '--from', folder('old'), '--to', folder('new')]
    expect(await runCommandLine(words, terminal)).toBe(130)
    expect(terminal.noted.join()).toMatch(/Interrupted/)
    expect((await copy('--resume')).code).toBe(0)
  })

  test('says that there is no store to copy from', async () => {
    const { code, notes } = await copy()
    expect([code, notes]).toEqual([1, expect.stringContaining('There is no store')])
    expect(existsSync(folder('new')) || existsSync(folder('old'))).toBe(false)
  })
})

describe('sherd look', () => {
  beforeEach(() => inStore('store', fillMixed))

  test('counts, lists ids of a type, and prints odd ones on one line without tricks', async () => {
    expect(await look('store')).toMatchObject([{ streams: 11, states: 3, registers: 3 }])
    const { out } = await sherd('look', folder('store'), '--ids', '--type', 'Counter')
    const ids = out.map((line) => (JSON.parse(line) as { id: string }).id)
    expect(new Set(ids)).toEqual(
      new Set([...oddIds, 'Counter|long', 'Counter|tagged', 'Counter|claimed']),
    )
    expect(out.join('')).not.toMatch(/[\p{Control}\u202e\u2066]/u)
    expect(await look('store', '--ids', '--states')).toEqual([
      { id: 'Cart|a' },
      { id: 'Cart|claimed' },
      { id: 'Cart|gone' },
    ])
  })

  test('prints events with number, epoch, tags and value', async () => {
    const value = { at: { $date: '1970-01-01T00:00:00.007Z' }, big: { $bigint: '7' } }
    const id = 'Counter|tagged'
    const tags = ['red', 'größer']
    expect(await look('store', '--events', id)).toEqual([
      { id, sequenceNr: 1, epoch: 1, tags, value },
      { id, sequenceNr: 2, epoch: 1, value: 'plain' },
      { id, sequenceNr: 3, epoch: 1, tags, value },
    ])
    const some = await look('store', '--events', 'Counter|long', '--from', '349', '--to', '352')
    expect(some).toMatchObject([
      { sequenceNr: 349, epoch: 1 },
      { sequenceNr: 350, epoch: 1 },
      { sequenceNr: 351, epoch: 2 },
      { sequenceNr: 352, epoch: 2 },
    ])
    const left = await look('store', '--events', 'Account|short')
    expect(left).toMatchObject([{ sequenceNr: 5 }, { sequenceNr: 6 }])
    expect(await look('store', '--events', 'Counter|long')).toHaveLength(700)
  })

  test('prints snapshots, states and registers', async () => {
    expect(await look('store', '--snapshots', 'Account|short')).toMatchObject([
      { sequenceNr: 6, savedAtMs: 1006, value: { total: 6 } },
      { sequenceNr: 4 },
      { sequenceNr: 2 },
    ])
    expect(await look('store', '--state', 'Cart|a')).toEqual([
      { id: 'Cart|a', epoch: 1, writer: 'a', revision: 5, value: ['y'] },
    ])
    expect(await look('store', '--state', 'Cart|gone')).toMatchObject([
      { revision: 2, isEmpty: true },
    ])
    const grant = { name: 'shop-shard-Cart-7', token: 4 }
    await inStore('store', (store) => store.claim('Cart|b', 'w', grant))
    expect(await look('store', '--registers')).toMatchObject([
      { name: 'fence/shop-shard-Cart-7', revision: 1, value: { token: 4 } },
      { name: 'lease/one', revision: 3 },
      { name: 'projection/list/0-1023' },
      { name: 'something/else' },
    ])
  })

  test('prints bytes that are no value as base64, with the reason', async () => {
    const bytes = Buffer.from([0xc1, 0xff, 0x00])
    await inStore('store', (store) => live(store, 'Raw|1', [bytes]))
    expect(await look('store', '--events', 'Raw|1')).toMatchObject([
      { base64: 'wf8A', problem: expect.stringMatching(/./) as string },
    ])
  })

  test('says what is not there, and how ids look', async () => {
    for (const what of ['--events', '--snapshots', '--state']) {
      const { code, out, notes } = await sherd('look', folder('store'), what, 'Counter')
      expect([code, out]).toEqual([1, []])
      expect(notes).toMatch(/The store has no .* of 'Counter'\. An entity has the id TYPE\|ID/)
    }
  })

  test('writes nothing', async () => {
    const file = join(folder('store'), 'data.mdb')
    const before = readFileSync(file)
    await look('store')
    await look('store', '--ids')
    await look('store', '--events', 'Counter|long')
    await look('store', '--snapshots', 'Account|short')
    await look('store', '--registers')
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('changes nothing, and works while the store is open elsewhere', async () => {
    await inStore('store', async (store) => {
      const before = [await store.readStream('Counter|long'), await store.readState('Cart|a')]
      await look('store', '--events', 'Counter|long', '--from', '700')
      await look('store', '--state', 'Cart|a')
      const after = [await store.readStream('Counter|long'), await store.readState('Cart|a')]
      expect(after).toEqual(before)
    })
  })
})
