/**
 * What lives in the scenario of the stores: lists of unique ids, kept as events with snapshots and without old events, and
 * sheets that hold the same as a durable state. Some are emptied now and then. An id that is there already changes nothing,
 * so that a call can be repeated.
 */
import { defineEntity } from '../../../src/entity/index.ts'
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'

interface Ids {
  readonly ids: readonly string[]
}

const none = (): Ids => ({ ids: [] })

export function rollEntity(simulation: Simulation, checks: ClusterChecks, random: SeededRandom) {
  const every = random.pick([1, 2, 5, 12])
  const deleteEvents = random.chance(0.7)
  return defineEntity('Roll', {
    state: none,
    snapshots: { every, keep: random.pick([1, 2, 3]), deleteEvents },
    snapshotVersion: 1,
    events: { Added: (state, id: string) => ({ ids: [...state.ids, id] }) },
    commands: {
      add: (self, id: string): number => {
        checks.acted(simulation.here, 'Roll', self.id)
        const place = self.state.ids.indexOf(id)
        return place >= 0 ? place : self.persist('Added', id).ids.length - 1
      },
      /** Nothing is left, and this is the first of what follows. */
      begin: (self, id: string): number => {
        checks.acted(simulation.here, 'Roll', self.id)
        if (self.state.ids.includes(id)) return 0
        self.delete()
        return self.persist('Added', id).ids.length - 1
      },
      all: (self): readonly string[] => {
        checks.acted(simulation.here, 'Roll', self.id)
        return self.state.ids
      },
    },
  })
}

export function sheetEntity(simulation: Simulation, checks: ClusterChecks) {
  return defineEntity('Sheet', {
    state: none,
    durable: true,
    commands: {
      add: (self, id: string): number => {
        checks.acted(simulation.here, 'Sheet', self.id)
        const { ids } = self.state
        if (ids.includes(id)) return ids.indexOf(id)
        self.state = { ids: [...ids, id] }
        return ids.length
      },
      begin: (self, id: string): number => {
        checks.acted(simulation.here, 'Sheet', self.id)
        if (self.state.ids.includes(id)) return 0
        self.delete()
        self.state = { ids: [id] }
        return 0
      },
      all: (self): readonly string[] => {
        checks.acted(simulation.here, 'Sheet', self.id)
        return self.state.ids
      },
    },
  })
}

export type RollEntity = ReturnType<typeof rollEntity>
export type SheetEntity = ReturnType<typeof sheetEntity>
