/** Journals that break one promise each, in front of one that keeps them all: the contract must find every one out. */
import {
  bytesOfEvent,
  MemoryStore,
  type NewEvent,
  type OrderedEvent,
  type SlicePage,
  type StoredRegister,
} from '../../src/persistence/index.ts'
import { type Faults, good, methodsOf, type Open } from './seeded-fault.ts'

const pagesWith =
  (change: (page: SlicePage) => SlicePage): Open =>
  (store) => {
    const journal = good(store)
    return { readSlices: async (query) => change(await journal.readSlices(query)) }
  }

const appendsWith =
  (change: (events: readonly NewEvent[]) => readonly NewEvent[]): Open =>
  (store) => ({
    append: async (batch) => {
      const result = await good(store).append({ ...batch, events: change(batch.events) })
      if (result.type !== 'Appended') return result
      return { ...result, highestSequenceNr: batch.expectedSequenceNr + batch.events.length }
    },
  })

export const journalFaults: Faults = {
  'it lets anybody write': {
    open: (store) => ({
      append: async (batch) => {
        const stream = await good(store).claim(batch.persistenceId, 'nobody')
        return good(store).append({ ...batch, epoch: stream.epoch })
      },
    }),
    fails: 'refuses a writer whose stream was claimed by another, and says by whom',
  },
  'it takes any number for the last one': {
    open: (store) => ({
      append: async (batch) => {
        const expectedSequenceNr = await good(store).highestSequenceNr(batch.persistenceId)
        return good(store).append({ ...batch, expectedSequenceNr })
      },
    }),
    fails: 'refuses an append that expects another last event',
  },
  'it gives an epoch out twice': {
    open: (store) => ({
      claim: async (id, writer) => {
        const claim = await good(store).claim(id, writer)
        return { ...claim, epoch: Math.ceil(claim.epoch / 2) }
      },
    }),
    fails: 'gives claims made at once different epochs',
  },
  'its numbers have a gap': {
    open: (store) => ({
      read: (range, onEvent) =>
        good(store).read(range, (event) =>
          onEvent({ ...event, sequenceNr: event.sequenceNr + (event.sequenceNr > 2 ? 1 : 0) }),
        ),
    }),
    fails: 'keeps what it stored when it is opened anew, byte by byte',
  },
  'it loses tags': {
    open: appendsWith((events) => events.map(bytesOfEvent)),
    fails: 'hands out the tags of every event, also after it was opened anew',
  },
  'it stores a part of a batch': {
    open: appendsWith((events) => events.slice(0, 99)),
    fails: 'stores all events of a batch or none',
  },
  'it cuts large events': {
    open: appendsWith((events) => events.map((event) => bytesOfEvent(event).slice(0, 65_536))),
    fails: 'keeps what it stored when it is opened anew, byte by byte',
  },
  'it turns appends that are under way around': {
    open: (store) => ({
      append: async (batch) => {
        for (let n = batch.expectedSequenceNr; n < 5; n++) await Promise.resolve()
        return good(store).append(batch)
      },
    }),
    fails: 'takes appends of one stream in the order of the calls, without waiting',
  },
  'it forgets appends under way when it counts': {
    open: (store) => ({
      append: async (batch) => {
        await new Promise(setImmediate)
        return good(store).append(batch)
      },
    }),
    fails: 'counts the appends under way when it is asked for the last number',
  },
  'it forgets everything': {
    open: () => good(new MemoryStore()),
    fails: 'gives every claim of an id a greater epoch, also after it was opened anew',
  },
  'it ends a read too early': {
    open: (store) => ({
      read: ({ toSequenceNr, ...range }, onEvent) =>
        good(store).read({ ...range, toSequenceNr: Math.min(toSequenceNr, 256) }, onEvent),
    }),
    fails: 'reads any range, in order, however much is read in one go',
  },
  'it takes ids for the same that look alike': {
    open: (store) => ({
      claim: (id, writer) => good(store).claim(alike(id), writer),
      append: (batch) =>
        good(store).append({ ...batch, persistenceId: alike(batch.persistenceId) }),
      read: (range, onEvent) =>
        good(store).read({ ...range, persistenceId: alike(range.persistenceId) }, onEvent),
    }),
    fails: 'keeps ids apart that look alike',
  },
  'it heeds no settings': {
    open: (store) => good(store),
    fails: 'refuses events that are too large, and appends of none or too many',
  },
  'it goes on after it was closed': {
    open: (store, settings) => ({
      ...methodsOf(good(store, settings)),
      close: async () => undefined,
    }),
    fails: 'takes nothing more after it was closed, and can be closed twice',
  },
  'it swallows what its reader throws': {
    open: (store) => ({
      read: (range, onEvent) =>
        good(store)
          .read(range, onEvent)
          .catch(() => undefined),
    }),
    fails: 'passes on what the reader throws',
  },
  'it cannot read over all streams': {
    open: (store, settings) => ({
      ...methodsOf(good(store, settings)),
      readSlices: undefined as never,
    }),
    fails: 'reads over all streams',
  },
  'it gives two events of a slice one order': {
    open: pagesWith((page) => ({ ...page, events: page.events.map(inPairs) })),
    fails: 'hands out every event of every stream once, those of a slice in their order',
  },
  'it stays where it is when a page is full': {
    open: pagesWith((page) => ({ ...page, next: `${Math.max(Number(page.next) - 1, 0)}` })),
    fails: 'hands out no more than was asked for, and goes on where a page ended',
  },
  'it says too early that nothing more is there': {
    open: pagesWith((page) => ({ ...page, isLast: page.isLast || page.events.length === 7 })),
    fails: 'hands out no more than was asked for, and goes on where a page ended',
  },
  'it passes over what is under way': {
    open: (store) => {
      const underWay = new Set<string>()
      return {
        append: async (batch) => {
          underWay.add(batch.persistenceId)
          const result = await good(store).append(batch)
          await new Promise(setImmediate)
          underWay.delete(batch.persistenceId)
          return result
        },
        readSlices: async (query) => {
          const page = await good(store).readSlices(query)
          const isStored = ({ persistenceId }: OrderedEvent) => !underWay.has(persistenceId)
          return { ...page, events: page.events.filter(isStored) }
        },
      }
    },
    fails: 'passes over nothing that is stored while it is read',
  },
  'it has another id each time': {
    open: () => ({ storeId: `${Math.random()}` }),
    fails: 'has the same id for its store whenever it is opened, if it can tell',
  },
  'it leaves out the last slice': {
    open: (store) => ({
      readSlices: ({ toSlice, ...query }) =>
        good(store).readSlices({ ...query, toSlice: Math.min(toSlice, 900) }),
    }),
    fails: 'hands out every event of every stream once, those of a slice in their order',
  },
  'it has half of the registers': {
    open: (store, settings) => ({
      ...methodsOf(good(store, settings)),
      writeRegister: undefined as never,
    }),
    fails: 'keeps registers',
  },
  'it writes a register whatever stands there': {
    open: (store) => ({
      writeRegister: async (write) => {
        const expectedRevision = (await good(store).readRegister(write.name))?.revision ?? 0
        return good(store).writeRegister({ ...write, expectedRevision })
      },
    }),
    fails: 'writes no register that is not at the expected revision',
  },
  'it looks at a register and writes it later': {
    open: (store) => ({
      writeRegister: async (write) => {
        const revision = (await good(store).readRegister(write.name))?.revision ?? 0
        await new Promise(setImmediate)
        if (revision !== write.expectedRevision) return { type: 'RegisterChanged', revision }
        const expectedRevision = (await good(store).readRegister(write.name))?.revision ?? 0
        return good(store).writeRegister({ ...write, expectedRevision })
      },
    }),
    fails: 'lets one of several writes through that expect the same',
  },
  'it shows what stood in a register a moment ago': {
    open: (store) => {
      let known: StoredRegister | undefined
      return {
        readRegister: async (name) => {
          const shown = known
          known = await good(store).readRegister(name)
          return shown ?? known
        },
      }
    },
    fails: 'gives each revision to one writer, and no reader an older one later',
  },
  'it has one register': {
    open: (store) => ({
      readRegister: () => good(store).readRegister('r'),
      writeRegister: (write) => good(store).writeRegister({ ...write, name: 'r' }),
    }),
    fails: 'keeps registers apart from each other and from streams',
  },
}

function alike(id: string): string {
  return typeof id === 'string' ? id.normalize('NFC') : id
}

function inPairs(event: OrderedEvent): OrderedEvent {
  return { ...event, order: Math.ceil(event.order / 2) }
}
