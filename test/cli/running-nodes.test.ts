import { describe, expect, test } from 'vitest'
import { NodesRun } from '../../src/cli/cli-errors.ts'
import type { OpenedStore } from '../../src/cli/opened-store.ts'
import { checkNoNodesRun } from '../../src/cli/running-nodes.ts'
import { bytesOfRecord, type FoundingRecord } from '../../src/cluster/internals.ts'
import { nodeIdOf } from '../../src/foundation/node-id.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { wholeStore } from '../../src/persistence/internals.ts'
import { ManualTime } from '../../src/testkit/index.ts'
import { silentTerminal } from './silent-terminal.ts'

const node = nodeIdOf('h:2552', 7n)
const record: FoundingRecord = {
  ...{ number: 1, founder: node, isPartial: false, counter: 4, stillMs: 12_000 },
  members: [{ node, identity: 'host 7 start' }],
  givenUp: [],
}

function scene(parts: { readonly gone?: string; readonly otherProcesses?: string[] } = {}) {
  const time = new ManualTime()
  const store = wholeStore(new MemoryJournal())
  const { clock, timers } = time.environment
  const process = { isGone: (identity: string) => identity === parts.gone }
  const terminal = silentTerminal({ clock, timers, process })
  const opened: OpenedStore = {
    ...{ store, name: 'the store' },
    otherProcesses: () => parts.otherProcesses ?? [],
    close: () => store.close(),
    takeBack: () => store.close(),
  }
  const write = async (written: FoundingRecord | Uint8Array, revision = 0): Promise<void> => {
    const bytes = written instanceof Uint8Array ? written : bytesOfRecord(written)
    await store.writeRegister({ name: 'founding/shop', expectedRevision: revision, bytes })
  }
  let end = 'waits'
  const check = (): Promise<unknown> =>
    checkNoNodesRun([opened], terminal).then(
      () => (end = 'free'),
      (error: unknown) => ((end = 'refused'), error),
    )
  return { time, terminal, write, check, end: () => end }
}

describe('whether nodes run', () => {
  test('is no where no cluster was ever founded, and where the last member has left', async () => {
    const { check, write, end } = scene()
    await check()
    expect(end()).toBe('free')
    await write({ ...record, members: [] })
    await check()
    expect(end()).toBe('free')
  })

  test('is no when the processes of all members have ended', async () => {
    const { check, write, end } = scene({ gone: 'host 7 start' })
    await write(record)
    await check()
    expect(end()).toBe('free')
  })

  test('is yes as soon as the record moves, and the error names the members', async () => {
    const { time, terminal, check, write } = scene()
    await write(record)
    const checked = check()
    await time.advance('1s')
    expect(terminal.noted).toEqual([
      `the store has the record of a cluster 'shop' with h:2552. Looking whether it lives: at most 12 s.`,
    ])
    await write({ ...record, counter: 5 }, 1)
    await time.advance('1s')
    const error = await checked
    expect(error).toBeInstanceOf(NodesRun)
    expect(String(error)).toMatch(/'shop' with h:2552, and it lives/)
  })

  test('is no when the record has stood still for as long as its cluster says', async () => {
    const { time, check, write, end } = scene()
    await write(record)
    const checked = check()
    await time.advance('11s')
    expect(end()).toBe('waits')
    await time.advance('2s')
    await checked
    expect(end()).toBe('free')
  })

  test('cannot be told from a record that nobody can read, which is a yes', async () => {
    const { check, write } = scene()
    await write(Buffer.from('?'))
    expect(String(await check())).toMatch(/cannot read/)
  })

  test('is yes while other processes have the folder open', async () => {
    const { check } = scene({ otherProcesses: ['4711'] })
    expect(String(await check())).toMatch(/open in other processes of this host: 4711/)
  })
})
