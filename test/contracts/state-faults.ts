/** Journals that break one promise each about states, ids, copies, tags and names. */
import { isDeepStrictEqual } from 'node:util'
import type { MemoryStore, OrderedEvent, SlicePage } from '../../src/persistence/index.ts'
import { type AllPorts, type Faults, good } from './seeded-fault.ts'

const present = async (store: MemoryStore, id: string) =>
  (await good(store).readState(id)) ?? { epoch: 1, revision: 0 }

export const stateFaults: Faults = {
  'it writes states for anybody': {
    open: (store) => ({
      writeState: async (write) => {
        const { epoch } = await present(store, write.persistenceId)
        return good(store).writeState({ ...write, epoch })
      },
    }),
    fails: 'refuses a writer whose state was claimed by another, and says by whom',
  },
  'it takes any revision for the last one': {
    open: (store) => ({
      writeState: async (write) => {
        const { revision: expectedRevision } = await present(store, write.persistenceId)
        const revision = Math.max(write.revision, expectedRevision + 1)
        const result = await good(store).writeState({ ...write, expectedRevision, revision })
        return result.type === 'StateWritten' ? { ...result, revision: write.revision } : result
      },
    }),
    fails: 'refuses a state that follows another revision than the last one',
  },
  'it looks at a revision and writes later': {
    open: (store) => ({
      writeState: async (write) => {
        for (let n = write.expectedRevision; n < 5; n++) await Promise.resolve()
        return good(store).writeState(write)
      },
    }),
    fails: 'takes states of one id in the order of the calls, without waiting',
  },
  'it forgets the revision of what was deleted': {
    open: (store) => ({
      claimState: async (id, writer) => {
        const claim = await good(store).claimState(id, writer)
        return claim.bytes === undefined ? { ...claim, revision: 0 } : claim
      },
    }),
    fails: 'keeps epoch and revision of a state that was deleted',
  },
  'it deletes a state that is empty': {
    open: (store) => ({
      writeState: (write) => {
        const bytes = write.bytes?.byteLength === 0 ? undefined : write.bytes
        return good(store).writeState({ ...write, bytes })
      },
    }),
    fails: 'keeps the newest state of an id, also when it is opened anew',
  },
  'it claims a stream with the state of its id': {
    open: (store) => ({
      claimState: async (id, writer) => {
        await good(store).claim(id, writer)
        return good(store).claimState(id, writer)
      },
    }),
    fails: 'keeps a state apart from a stream of the same id',
  },
  'it keeps states of any size': {
    open: (store) => ({ writeState: (write) => good(store).writeState(write) }),
    fails: 'refuses a state that is too large',
  },
  'it takes states for the same that look alike': {
    open: (store) => ({
      claimState: (id, writer) => good(store).claimState(lower(id), writer),
      writeState: (write) =>
        good(store).writeState({ ...write, persistenceId: lower(write.persistenceId) }),
      readState: (id) => good(store).readState(lower(id)),
    }),
    fails: 'keeps ids apart that are hard to keep, in all that it stores',
  },
  'it takes any id for a state': {
    open: (store) => ({
      readState: (id) =>
        good(store)
          .readState(id)
          .catch(() => undefined),
    }),
    fails: 'refuses ids that cannot be kept with one error, whatever they are for',
  },
}

export const listFaults: Faults = {
  'it lists ids in the order of their units': {
    open: (store) => ({
      listIds: async (query) => {
        const page = await good(store).listIds(query)
        return { ...page, ids: page.ids.toSorted() }
      },
    }),
    fails: 'lists the ids that it knows, in the order of their bytes',
  },
  'it takes a prefix for a pattern': {
    open: (store) => ({
      listIds: async ({ prefix = '', ...query }) => {
        const pattern = new RegExp(
          `^${prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`.replace(/_/g, '.'),
          'u',
        )
        const { ids } = await good(store).listIds({ ...query, idsMax: 1_000 })
        const fitting = ids.filter((id) => pattern.test(id))
        return { ids: fitting.slice(0, query.idsMax), isLast: fitting.length <= query.idsMax }
      },
    }),
    fails: 'lists the ids that begin as asked for, and no others',
  },
  'it lists ids with events alone': {
    open: (store) => ({
      listIds: async (query) => {
        const { ids, isLast } = await good(store).listIds({ ...query, idsMax: 1_000 })
        if (query.kind === 'states') return { ids, isLast }
        const counts = await Promise.all(ids.map((id) => good(store).highestSequenceNr(id)))
        return { ids: ids.filter((_, index) => counts[index] !== 0), isLast }
      },
    }),
    fails: 'lists ids that were only claimed, and those that have nothing left',
  },
  'it says too early that there are no more ids': {
    open: (store) => ({
      listIds: async (query) => {
        const page = await good(store).listIds(query)
        return { ...page, isLast: page.isLast || page.ids.length === 7 }
      },
    }),
    fails: 'lists no more ids than were asked for, and goes on behind any of them',
  },
}

export const transferFaults: Faults = {
  'it says nothing when a stream cannot be placed': {
    open: (store) => ({
      placeStream: (place) =>
        good(store)
          .placeStream(place)
          .catch(() => undefined),
    }),
    fails: 'places no stream where that would lower or contradict what is there',
  },
  'it places a stream at its beginning': {
    open: (store) => ({
      placeStream: (place) =>
        good(store).placeStream({ ...place, deletedSequenceNr: 0, startSequenceNr: 0 }),
    }),
    fails: 'places a stream as it stood elsewhere, and goes on from there',
  },
  'it counts the revisions of a register anew': {
    open: (store) => ({
      placeRegister: async ({ name, bytes }) => {
        const { revision: expectedRevision = 0 } = (await good(store).readRegister(name)) ?? {}
        await good(store).writeRegister({ name, expectedRevision, bytes })
      },
    }),
    fails: 'lists and places registers with their revisions',
  },
  'it lets a placed state fall': {
    open: (store) => ({
      placeState: (state) =>
        good(store)
          .placeState(state)
          .catch(() => undefined),
    }),
    fails: 'places a state with its epoch and revision, neither of which falls',
  },
}

const pagesBy = (
  fits: (event: OrderedEvent, tag: string) => boolean,
  change: (page: SlicePage) => SlicePage = (page) => page,
): { open: (store: MemoryStore) => Partial<AllPorts> } => ({
  open: (store) => ({
    readSlices: async ({ tag, ...query }) => {
      const page = await good(store).readSlices(query)
      if (tag === undefined) return page
      return change({ ...page, events: page.events.filter((event) => fits(event, tag)) })
    },
  }),
})

export const tagFaults: Faults = {
  'it does not look at the tag': {
    ...pagesBy(() => true),
    fails: 'finds the events with a tag among all, those of a slice in their order',
  },
  'it takes a part of a tag for the whole': {
    ...pagesBy(({ tags }, tag) => tags.some((name) => name.includes(tag))),
    fails: 'takes no tag for another that looks like it, or is a part of it',
  },
  'it ends at a page without the tag': {
    ...pagesBy(
      ({ tags }, tag) => tags.includes(tag),
      (page) => ({ ...page, isLast: page.isLast || page.events.length === 0 }),
    ),
    fails: 'finds tagged events page by page, and goes on where a page ended',
  },
  'it looks for what cannot be a tag': {
    ...pagesBy(({ tags }, tag) => tags.some((name) => isDeepStrictEqual(name, tag))),
    fails: 'refuses to look for what cannot be a tag',
  },
}

function lower(id: string): string {
  return typeof id === 'string' ? id.toLowerCase() : id
}
