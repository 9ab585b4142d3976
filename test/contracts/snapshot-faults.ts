/** Journals that break one promise each about deletions and snapshots. */
import type { MemoryStore, StoredSnapshot } from '../../src/persistence/index.ts'
import { type AllPorts, type Faults, good, methodsOf } from './seeded-fault.ts'

/** The newest epoch: by its fence everybody may write. */
const newestEpoch = async (store: MemoryStore, id: string): Promise<number> =>
  (await good(store).readStream(id))?.epoch ?? 1

const savesWith = (
  change: (
    snapshot: Parameters<AllPorts['saveSnapshot']>[0],
    store: MemoryStore,
  ) => Promise<Parameters<AllPorts['saveSnapshot']>[0]>,
) => ({
  open: (store: MemoryStore): Partial<AllPorts> => ({
    saveSnapshot: async (snapshot) => good(store).saveSnapshot(await change(snapshot, store)),
  }),
})

export const deletionFaults: Faults = {
  'it has half of the deletions': {
    open: (store, settings) => ({
      ...methodsOf(good(store, settings)),
      deleteEventsTo: undefined as never,
    }),
    fails: 'can delete events',
  },
  'it deletes first events for anybody': {
    open: (store) => ({
      deleteEventsTo: async (deletion) => {
        const epoch = await newestEpoch(store, deletion.persistenceId)
        return good(store).deleteEventsTo({ ...deletion, epoch })
      },
    }),
    fails: 'refuses to delete first events for a writer whose stream is another’s',
  },
  'it deletes one event too many': {
    open: (store) => ({
      deleteEventsTo: async (deletion) => {
        const toSequenceNr = deletion.toSequenceNr + 1
        const result = await good(store).deleteEventsTo({ ...deletion, toSequenceNr })
        if (result.type !== 'EventsDeleted') return good(store).deleteEventsTo(deletion)
        return { ...result, deletedSequenceNr: deletion.toSequenceNr }
      },
    }),
    fails: 'deletes the first events of a stream; the rest and its numbers stay',
  },
  'it counts deleted events as those of a former life': {
    open: (store) => ({
      claim: async (id, writer) => {
        const claim = await good(store).claim(id, writer)
        return { ...claim, startSequenceNr: claim.deletedSequenceNr }
      },
    }),
    fails: 'tells where the present life of a stream began, and deletes on from there',
  },
  'it deletes what is not there': {
    open: (store) => ({
      deleteEventsTo: async (deletion) => {
        const highest = await good(store).highestSequenceNr(deletion.persistenceId)
        const toSequenceNr = Math.min(deletion.toSequenceNr, highest)
        return good(store).deleteEventsTo({ ...deletion, toSequenceNr })
      },
    }),
    fails: 'deletes no first events that are not stored, and none for bad numbers',
  },
  'it deletes before what is under way': {
    open: (store) => ({
      append: async (batch) => {
        await new Promise(setImmediate)
        return good(store).append(batch)
      },
    }),
    fails: 'takes deletions of first events and appends in the order of the calls',
  },
  'it shows by tag what was deleted': {
    open: (store) => {
      const seen = new Map<string, Awaited<ReturnType<AllPorts['readSlices']>>>()
      return {
        readSlices: async (query) => {
          const page = seen.get(JSON.stringify(query)) ?? (await good(store).readSlices(query))
          if (query.tag !== undefined) seen.set(JSON.stringify(query), page)
          return page
        },
      }
    },
    fails: 'finds no event by tag that was deleted',
  },
}

export const snapshotFaults: Faults = {
  'it saves snapshots for anybody': {
    ...savesWith(async (snapshot, store) => ({
      ...{ ...snapshot, epoch: await newestEpoch(store, snapshot.persistenceId) },
    })),
    fails: 'saves and deletes no snapshot for a writer whose stream is another’s',
  },
  'it deletes snapshots for anybody': {
    open: (store) => ({
      deleteSnapshots: async (deletion) => {
        const epoch = await newestEpoch(store, deletion.persistenceId)
        return good(store).deleteSnapshots({ ...deletion, epoch })
      },
    }),
    fails: 'saves and deletes no snapshot under an epoch that was never given out',
  },
  'it says that it keeps what it refuses': {
    open: (store) => ({
      saveSnapshot: async (snapshot) => {
        const result = await good(store).saveSnapshot(snapshot)
        return result.type === 'SnapshotConflict' ? { type: 'SnapshotSaved' } : result
      },
    }),
    fails: 'keeps no snapshot of events that are not stored',
  },
  'it has snapshots of what was ended': {
    open: (store) => {
      const kept = new Map<string, StoredSnapshot>()
      return {
        saveSnapshot: async (snapshot) => {
          const result = await good(store).saveSnapshot(snapshot)
          if (result.type === 'SnapshotSaved') kept.set(snapshot.persistenceId, snapshot)
          return result
        },
        loadSnapshot: async (query) =>
          (await good(store).loadSnapshot(query)) ?? kept.get(query.persistenceId),
      }
    },
    fails: 'ends the snapshots of a stream with it, and takes none of its former life',
  },
  'it lets a snapshot come late that was under way when its stream was ended': {
    open: (store) => {
      const late: Parameters<AllPorts['saveSnapshot']>[0][] = []
      return {
        saveSnapshot: async (snapshot) => {
          const result = await good(store).saveSnapshot(snapshot)
          if (result.type === 'SnapshotSaved') late.push(snapshot)
          return result
        },
        loadSnapshot: async (query) => {
          const found = await good(store).loadSnapshot(query)
          return found ?? late.find(({ sequenceNr }) => sequenceNr === 9)
        },
      }
    },
    fails: 'has no snapshot left that was under way when its stream was ended',
  },
  'it loses snapshots with first events': {
    open: (store) => ({
      deleteEventsTo: async (deletion) => {
        await good(store).deleteSnapshots({ ...deletion, fromSequenceNr: 0 })
        return good(store).deleteEventsTo(deletion)
      },
    }),
    fails: 'keeps the snapshots of a stream whose first events are deleted',
  },
  'it finds the oldest snapshot': {
    open: (store) => ({
      loadSnapshot: async (query) => {
        let found: StoredSnapshot | undefined
        for (let { toSequenceNr } = query; toSequenceNr >= 0;) {
          const next = await good(store).loadSnapshot({ ...query, toSequenceNr })
          if (next === undefined) break
          found = next
          toSequenceNr = next.sequenceNr - 1
        }
        return found
      },
    }),
    fails: 'finds the newest snapshot that fits, by number and by time',
  },
  'it does not look at the time of a snapshot': {
    open: (store) => ({
      loadSnapshot: ({ savedUntilMs: _unheeded, ...query }) => good(store).loadSnapshot(query),
    }),
    fails: 'finds the newest snapshot that fits, by number and by time',
  },
  'it keeps the first of two snapshots of a number': {
    open: (store) => ({
      saveSnapshot: async (snapshot) => {
        const { persistenceId, sequenceNr } = snapshot
        const range = { fromSequenceNr: sequenceNr, toSequenceNr: sequenceNr }
        const earlier = await good(store).loadSnapshot({ persistenceId, ...range })
        return earlier ? { type: 'SnapshotSaved' } : good(store).saveSnapshot(snapshot)
      },
    }),
    fails: 'puts a snapshot in the place of one of the same number',
  },
  'it deletes all snapshots up to a number': {
    open: (store) => ({
      deleteSnapshots: (deletion) =>
        good(store).deleteSnapshots({ ...deletion, fromSequenceNr: 0, savedUntilMs: undefined }),
    }),
    fails: 'deletes the snapshots that fit; when none does, that is no failure',
  },
  'it cuts large snapshots': {
    ...savesWith(async (snapshot) => ({ ...snapshot, bytes: snapshot.bytes.slice(0, 1_048_576) })),
    fails: 'keeps snapshots of no bytes and of 8 MB, byte by byte',
  },
  'it keeps snapshots of any size': {
    ...savesWith(async (snapshot) => snapshot),
    fails: 'refuses a snapshot that is too large',
  },
  'it hands the same bytes to all readers of a snapshot': {
    open: (store) => {
      let found: StoredSnapshot | undefined
      return {
        loadSnapshot: async (query) => (found ??= await good(store).loadSnapshot(query)),
      }
    },
    fails: 'hands out bytes of a snapshot that nobody else has, and keeps none',
  },
}
