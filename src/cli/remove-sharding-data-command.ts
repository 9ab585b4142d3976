/** `sherd remove-sharding-data`: what coordinators and shards have stored of entity types, and nothing of the entities themselves. */
import { seconds } from '../foundation/duration.ts'
import { show } from '../foundation/show.ts'
import {
  type Claim,
  deletesEvents,
  entityIdOf,
  fencesClaims,
  type Grant,
} from '../persistence/index.ts'
import { idsOf, lineOf } from '../persistence/internals.ts'
import {
  coordinatorStreamType,
  entityTypeIn,
  isShardLeaseOf,
  rememberedStreamType,
} from '../sharding/internals.ts'
import { RemovalRefused, UsageError } from './cli-errors.ts'
import type { Command, ExitCode } from './command.ts'
import { noteLogger } from './note-logger.ts'
import { type OpenedStore, openStore } from './opened-store.ts'
import { checkNoNodesRun, checkNoOthers } from './running-nodes.ts'
import { parseStoreAddress } from './store-address.ts'
import type { Terminal } from './terminal.ts'

const help = `sherd remove-sharding-data TYPE… --store STORE [--dry-run] [--json]

Removes what Sherd itself has stored of these entity types: the homes of their shards, which of their
entities are remembered, and which tokens of their shards' leases were seen. The entities, with their events, snapshots and states, stay as they
are: their shards get homes anew, and remembered entities start with their next messages. For a
type that shall have another numberOfShards, whose data cannot be read any more, or whose leases
begin to count anew.

  TYPE           the name of an entity type; several may be named
  --store STORE  a folder, or postgres://user:password@host:port/database; several such urls with
                 commas between them are the partitions of one store
  --dry-run      says what would be removed, and removes nothing
  --json         prints a summary as the last line, on one line

No node may use the store meanwhile: it refuses to start while a cluster lives there. The writer
epochs of what is removed go on, so that no coordinator of before can write into what comes after.

Exit code: 0 removed, 1 refused, failed or nothing there, 2 wrong words, 130 interrupted.`

const writer = 'sherd remove-sharding-data'

interface Removed {
  readonly id: string
  /** Events that were stored and not deleted before. */
  readonly events: number
}

export const removeShardingDataCommand: Command = {
  name: 'remove-sharding-data',
  summary: 'removes homes of shards and remembered entities of entity types from a store',
  help,
  options: { store: 'text', 'dry-run': 'flag', json: 'flag' },

  async run(options, terminal) {
    const types = [...new Set(options.rest)]
    if (types.length === 0) throw new UsageError('Which entity types? Name one or several.')
    const address = options.text('store')
    if (address === undefined) throw new UsageError('--store is missing: the store to remove from.')
    const opened = await openStore(parseStoreAddress(address), {
      ...{ logger: noteLogger(terminal), isMade: false, commitTimeoutMs: seconds(60) },
    })
    try {
      const run = { isDry: options.has('dry-run'), isJson: options.has('json'), terminal }
      return await removeFrom(opened, types, run)
    } finally {
      await opened.close()
    }
  },
}

interface Run {
  readonly isDry: boolean
  readonly isJson: boolean
  readonly terminal: Terminal
}

async function removeFrom(
  opened: OpenedStore,
  types: readonly string[],
  { isDry, isJson, terminal }: Run,
): Promise<ExitCode> {
  const { store, name } = opened
  const streams = await streamsIn(opened)
  const unknown = types.filter((type) => !streams.has(type))
  if (unknown.length > 0) {
    const known = [...streams.keys()].map((type) => show(type)).join(', ')
    throw new RemovalRefused(
      `${name} has no sharding data of ${unknown.map((type) => show(type)).join(', ')}; it has ${known === '' ? 'none of any type' : `that of ${known}`}. Nothing was removed.`,
    )
  }
  if (!deletesEvents(store)) {
    throw new RemovalRefused(`The journal of ${name} cannot delete events. Nothing was removed.`)
  }
  await checkNoNodesRun([opened], terminal)
  const removed: Removed[] = []
  for (const id of types.flatMap((type) => streams.get(type) ?? [])) {
    terminal.signal.throwIfAborted()
    checkNoOthers(opened)
    const events = isDry ? await eventsIn(opened, id) : await removeStream(opened, id)
    removed.push({ id, events })
    await terminal.print(`${isDry ? 'would remove' : 'removed'} ${show(id)}: ${events} events`)
  }
  const grants = await forgetGrants(opened, types, isDry)
  for (const { name: lease, token } of grants) {
    const words = isDry ? 'would forget' : 'forgot'
    await terminal.print(`${words} the lease ${show(lease)}: token ${token}`)
  }
  const events = removed.reduce((sum, each) => sum + each.events, 0)
  const words = `${removed.length} streams with ${events} events`
  await terminal.print(isDry ? `would remove ${words}; nothing was removed` : `removed ${words}`)
  if (isJson) await terminal.print(lineOf({ isDone: !isDry, store: name, types, removed, grants }))
  return 0
}

/** What was seen of the leases of their shards. A journal of a user's own may have seen nothing. */
async function forgetGrants(
  { store }: OpenedStore,
  types: readonly string[],
  isDry: boolean,
): Promise<readonly Grant[]> {
  if (!fencesClaims(store)) return []
  const grants = (await store.listGrants()).filter(({ name }) =>
    types.some((type) => isShardLeaseOf(type, name)),
  )
  if (!isDry) for (const { name } of grants) await store.forgetGrant(name)
  return grants
}

/** All streams of Sherd's own that belong to entity types, by type. */
async function streamsIn({ store }: OpenedStore): Promise<Map<string, string[]>> {
  const streams = new Map<string, string[]>()
  const note = (type: string, id: string): void => {
    const known = streams.get(type)
    if (known === undefined) streams.set(type, [id])
    else known.push(id)
  }
  for await (const id of idsOf(store, 'events', `${coordinatorStreamType}|`)) {
    note(entityTypeIn(entityIdOf(id)), id)
  }
  for await (const id of idsOf(store, 'events', `${rememberedStreamType}|`)) {
    const place = entityIdOf(id)
    note(entityTypeIn(place.slice(0, place.lastIndexOf('/'))), id)
  }
  return streams
}

async function eventsIn({ store }: OpenedStore, persistenceId: string): Promise<number> {
  const place = await store.readStream(persistenceId)
  return place === undefined ? 0 : place.highestSequenceNr - place.deletedSequenceNr
}

/** With all its snapshots. The stream stays as a tombstone, whose epochs go on. */
async function removeStream({ store }: OpenedStore, persistenceId: string): Promise<number> {
  if (!deletesEvents(store)) return 0
  const claim: Claim = await store.claim(persistenceId, writer)
  const { epoch, highestSequenceNr: expectedSequenceNr, deletedSequenceNr = 0 } = claim
  const result = await store.deleteEvents({ persistenceId, epoch, expectedSequenceNr, events: [] })
  if (result.type === 'Appended') return expectedSequenceNr - deletedSequenceNr
  throw new RemovalRefused(
    `${show(persistenceId)} was written to by somebody else meanwhile. Stop all nodes, then start the removal again.`,
  )
}
