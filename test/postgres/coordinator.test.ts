import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { nodeIdOf } from '../../src/foundation/node-id.ts'
import { PostgresJournal } from '../../src/persistence/index.ts'
import { snapshotsOf } from '../../src/persistence/internals.ts'
import { CoordinatorJournal } from '../../src/sharding/coordinator/coordinator-journal.ts'
import type {
  CoordinatorEvent,
  CoordinatorState,
} from '../../src/sharding/coordinator/coordinator-state.ts'
import { silentTerminal } from '../cli/silent-terminal.ts'
import { postgresForTests, type TestDatabases } from './postgres-server.ts'

let server: TestDatabases
beforeAll(async () => {
  server = await postgresForTests()
})
afterAll(() => server.stop())

const region = nodeIdOf('a:1', 1n)
const persistenceId = '$coordinator|Cart'

/** A shard that comes and goes; each event is part of the state as soon as it is stored. */
async function live(store: CoordinatorJournal, state: CoordinatorState, count: number) {
  for (let left = count; left > 0; left--) {
    const epoch = state.lastEpoch + 1
    const events: CoordinatorEvent[] = [
      { type: 'ShardAllocated', shard: 1, home: region, epoch },
      { type: 'ShardDeallocated', shard: 1, epoch },
    ]
    await store.store(events)
    for (const event of events) state.apply(event)
  }
}

async function coordinatorOn(journal: PostgresJournal, numberOfShards: number) {
  const options = { entityType: 'Cart', numberOfShards, writer: region, snapshotAfterEvents: 1 }
  const store = new CoordinatorJournal({ journal, ...options })
  return { store, ...(await store.load()) }
}

async function numbersIn(journal: PostgresJournal): Promise<number[][]> {
  const range = { persistenceId, fromSequenceNr: 1, toSequenceNr: 10_000 }
  const [events, snapshots]: number[][] = [[], []]
  await journal.read(range, ({ sequenceNr }) => void events?.push(sequenceNr))
  for await (const { sequenceNr } of snapshotsOf(journal, range)) snapshots?.push(sequenceNr)
  return [events ?? [], snapshots ?? []]
}

test('a coordinator that was succeeded deletes nothing, and what is removed leaves terms that go on', async () => {
  const url = await server.newDatabase()
  const journal = await PostgresJournal.open({ url })
  const save = journal.saveSnapshot.bind(journal)
  const saves: ReturnType<typeof save>[] = []
  journal.saveSnapshot = (snapshot) => {
    const saved = save(snapshot)
    saves.push(saved)
    return saved
  }
  const first = await coordinatorOn(journal, 8)
  const registered = {
    type: 'RegionRegistered',
    region,
    isProxy: false,
    numberOfShards: 8,
  } as const
  await first.store.store([registered])
  first.state.apply(registered)
  await live(first.store, first.state, 30)
  const [events = [], snapshots = []] = await numbersIn(journal)
  expect(events.length).toBeLessThan(50)
  expect(snapshots.length).toBeGreaterThan(0)

  const second = await coordinatorOn(journal, 8)
  expect([second.term, second.state.lastEpoch, second.state.hosts]).toEqual([2, 30, [region]])
  const before = await numbersIn(journal)
  // A snapshot of the first one is due, and with it the deletion of what is behind the last but one.
  await expect(live(first.store, first.state, 30)).rejects.toThrow('coordinates now')
  expect(await saves.at(-1)).toMatchObject({ type: 'Fenced', byEpoch: 2 })
  expect(await numbersIn(journal)).toEqual(before)
  await live(second.store, second.state, 30)
  await journal.close()

  const terminal = silentTerminal()
  const words = ['remove-sharding-data', 'Cart', '--store', url]
  expect([await runCommandLine(words, terminal), terminal.noted]).toEqual([0, []])
  expect(terminal.printed.at(-1)).toMatch(/^removed 1 streams with \d+ events$/)
  const anew = await PostgresJournal.open({ url })
  expect(await numbersIn(anew)).toEqual([[], []])
  const third = await coordinatorOn(anew, 12)
  expect(third.term).toBeGreaterThan(3)
  expect([third.state.lastEpoch, third.state.numberOfShards, third.state.hosts]).toEqual([
    ...[0, undefined, []],
  ])
  await anew.close()
})
