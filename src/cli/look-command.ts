/** `sherd look`: what a store has, as JSON lines. */
import { seconds } from '../foundation/duration.ts'
import {
  lineOf,
  lookAtEvents,
  lookAtIds,
  lookAtRegisters,
  lookAtSnapshots,
  lookAtState,
  lookOver,
  type StoreSight,
  type WholeStore,
} from '../persistence/internals.ts'
import { UsageError } from './cli-errors.ts'
import type { Command } from './command.ts'
import { noteLogger } from './note-logger.ts'
import { openStore } from './opened-store.ts'
import type { Options } from './options.ts'
import { parseStoreAddress } from './store-address.ts'

const help = `sherd look STORE [what]

Prints what a store has, one JSON object on a line. It changes nothing, and nodes may run meanwhile.
A STORE is a folder, or postgres://user:password@host:port/database; several such urls with commas
between them are the partitions of one store; ?schema=NAME behind each says where its tables are.

  (nothing)                        how many streams, states and registers there are
  --ids [--type TYPE] [--states]   ids of streams of events, or of durable states; of one entity type
  --events ID [--from N] [--to N]  events of a stream, both numbers included
  --snapshots ID                   snapshots of a stream, the newest first
  --state ID                       a durable state
  --registers                      what clusters, leases and projections keep: small values by name

The ID of an entity is its type and its id with a bar between them: 'Counter|a'. What JSON has no
form for is an object with one key: $date, $bigint, $bytes, $map, $set, $number, $undefined, $error.
Bytes that are no value of Sherd are printed as base64, with the problem.

Exit code: 0 printed, 1 failed or not there, 2 wrong words, 130 interrupted.`

const subjects: readonly string[] = ['ids', 'events', 'snapshots', 'state', 'registers']

/** Options that only say more about another one. */
const companions: Readonly<Record<string, string>> = {
  ...{ type: 'ids', states: 'ids' },
  ...{ from: 'events', to: 'events' },
}

export const lookCommand: Command = {
  name: 'look',
  summary: 'prints ids, events, snapshots, states and registers of a store as JSON lines',
  help,
  options: {
    ids: 'flag',
    type: 'text',
    states: 'flag',
    events: 'text',
    from: 'count',
    to: 'count',
    snapshots: 'text',
    state: 'text',
    registers: 'flag',
  },

  async run(options, terminal) {
    const [address, surplus] = options.rest
    if (address === undefined) throw new UsageError('Which store? Name a folder or postgres://….')
    if (surplus !== undefined) {
      throw new UsageError(
        'One store at a time; put an ID behind --events, --snapshots or --state.',
      )
    }
    checkTogether(options)
    const parsed = parseStoreAddress(address)
    const opened = await openStore(parsed, {
      logger: noteLogger(terminal),
      isMade: false,
      commitTimeoutMs: seconds(5),
    })
    try {
      for await (const sight of sightsOf(opened.store, options)) {
        terminal.signal.throwIfAborted()
        await terminal.print(lineOf(sight))
      }
      return 0
    } finally {
      await opened.close()
    }
  },
}

function checkTogether(options: Options): void {
  const given = subjects.filter((name) => options.has(name))
  if (given.length > 1) {
    throw new UsageError(`--${given.join(' and --')} are two questions: ask one at a time.`)
  }
  for (const [name, subject] of Object.entries(companions)) {
    if (options.has(name) && !options.has(subject)) {
      throw new UsageError(`--${name} goes with --${subject}.`)
    }
  }
}

function sightsOf(store: WholeStore, options: Options): AsyncGenerator<StoreSight> {
  const [events, snapshots, state] = ['events', 'snapshots', 'state'].map((name) =>
    options.text(name),
  )
  if (events !== undefined) {
    const [from, to] = [options.count('from'), options.count('to')]
    return lookAtEvents(store, { persistenceId: events, from, to })
  }
  if (snapshots !== undefined) return lookAtSnapshots(store, snapshots)
  if (state !== undefined) return lookAtState(store, state)
  if (options.has('registers')) return lookAtRegisters(store)
  if (!options.has('ids')) return lookOver(store)
  const kind = options.has('states') ? 'states' : 'events'
  return lookAtIds(store, { kind, entityType: options.text('type') })
}
