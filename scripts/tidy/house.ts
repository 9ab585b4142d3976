/** The plan of the house: which rooms there are, who may import whom, and which files may touch the world. */

/** From the ground up. A room may import rooms to its left. */
export const rooms: readonly string[] = [
  'foundation',
  'serialization',
  'actor',
  'remote',
  'persistence',
  'lease',
  'cluster',
  'singleton',
  'distributed-data',
  'delivery',
  'sharding',
  'entity',
  'projection',
  'management',
  'node',
  'simulation',
  'testkit',
  'cli',
]

/** Rooms that need less than everything below them, so that they may not have it. */
const narrow: ReadonlyMap<string, readonly string[]> = new Map([
  ['actor', ['foundation']],
  [
    'testkit',
    ['foundation', 'serialization', 'actor', 'persistence', 'lease', 'sharding', 'entity'],
  ],
])

/** The only files that may touch the world: each makes one port real, or keeps the real world out of a simulation. */
export const adapters: ReadonlySet<string> = new Set([
  'src/foundation/async-context.ts',
  'src/foundation/system-clock.ts',
  'src/foundation/system-timers.ts',
  'src/foundation/system-random.ts',
  'src/foundation/system-process.ts',
  'src/foundation/system-process-table.ts',
  'src/foundation/event-loop-dispatcher.ts',
  'src/foundation/console-logger.ts',
  'src/cluster/joining/discovery/dns-discovery.ts',
  'src/remote/socket-connection.ts',
  'src/remote/tcp-listener.ts',
  'src/remote/tcp-transport.ts',
  'src/remote/tls/certificate.ts',
  'src/remote/tls/tls-context.ts',
  'src/remote/tls/tls-files.ts',
  'src/remote/tls/tls-transport.ts',
  'src/persistence/journals/exit-guard.ts',
  'src/persistence/journals/lmdb-checksum.ts',
  'src/persistence/journals/lmdb-console.ts',
  'src/persistence/journals/lmdb-folder.ts',
  'src/persistence/journals/lmdb-journal.ts',
  'src/persistence/journals/lmdb-lock.ts',
  'src/persistence/journals/lmdb-tables.ts',
  'src/persistence/journals/memory-store.ts',
  'src/persistence/journals/postgres/postgres-driver.ts',
  'src/persistence/journals/postgres/postgres-journal.ts',
  'src/projection/postgres/postgres-pool.ts',
  'src/simulation/microtasks.ts',
  'src/simulation/virtual-globals.ts',
  'src/simulation/escapes.ts',
  'src/testkit/entity/timeless.ts',
  'src/testkit/patience.ts',
  'src/cli/opened-store.ts',
  'src/cli/process-terminal.ts',
  'src/cli/sherd.ts',
])

/** Packages that compute and do nothing else; all others are for adapters. */
export const purePackages: ReadonlySet<string> = new Set(['msgpackr'])

/** Adapters that are the same in every world, simulated ones too, and decide nothing: for everybody. */
const worldless: ReadonlySet<string> = new Set(['src/foundation/async-context.ts'])

/** Whoever holds an adapter has its world: only its room, the outermost door, and the kit for tests in real time. */
export function mayHoldAdapter(path: string, adapter: string): boolean {
  return worldless.has(adapter) || [roomOf(adapter), 'testkit', undefined].includes(roomOf(path))
}

/** Messages without bytes of their own: a forwarded message travels as what it carries, to a path that says the rest. */
export const bareMessages: ReadonlySet<string> = new Set(['sharding.Forwarded'])

/** For users, though its name ends as that of messages between nodes: the events that tell what became of a message. */
export const publicMessages: ReadonlySet<string> = new Set(['src/actor/events/lost-messages.ts'])

/** Beyond the first limit the opening comment says why the file is one thing, with the words of `oneFile`. */
export const fileLinesMax = { plain: 400, explained: 600 }
export const oneFile = 'One file because'
export const functionLinesMax = 60

export function mayImport(room: string, target: string): boolean {
  const list = narrow.get(room) ?? rooms.slice(0, rooms.indexOf(room))
  return list.includes(target)
}

/** The room a path lies in; undefined for `src/index.ts` and for everything outside `src`. */
export function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}
