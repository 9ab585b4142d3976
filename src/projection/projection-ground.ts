/** What every runner of projections needs: a store that can be read over all entities and has registers, actors and time. */
import type { ActorSystem } from '../actor/index.ts'
import type { NodeId } from '../foundation/node-id.ts'
import { withFields } from '../foundation/with-fields.ts'
import { hasRegisters, isSliceReader, type Journal, StoreCannot } from '../persistence/index.ts'
import type { Projection } from './define-projection.ts'
import { EntityEvents } from './entity-events.ts'
import { MissedEvents } from './missed-events.ts'
import type { Offset } from './offset.ts'
import { PostgresOffsets } from './postgres/postgres-offsets.ts'
import { RangeWorker } from './range-worker.ts'
import { StoredOffset } from './stored-offset.ts'

export interface ProjectionGround {
  readonly system: ActorSystem
  readonly journal: Journal
  /** `here` where there is no cluster. */
  readonly node: NodeId
  readonly appVersion: string | undefined
}

/** Makes the workers of one projection, and holds what they share. */
export interface ProjectionWorkers {
  /** Each life of a range is one. */
  make(range: number): RangeWorker
  /** Rejects with `ProjectionChanged` when it was defined otherwise before. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Throws `StoreCannot`. */
export function workersOf(
  projection: Projection,
  { system, journal, node, appVersion }: ProjectionGround,
): ProjectionWorkers {
  if (!isSliceReader(journal)) throw new StoreCannot('feed projections', 'readSlices')
  const { offsetOf, close } = offsetsOf(projection, journal)
  const events = new EntityEvents(projection.entities, appVersion)
  const { environment } = system
  return {
    make: (range) =>
      new RangeWorker({
        ...{ projection, range, journal, events, environment, node },
        missedEvents: new MissedEvents({ journal, events, tag: projection.tag }),
        makeOffset: (worker) => offsetOf(range, worker),
        log: withFields(system.log, { projection: projection.name, range }),
      }),
    check: () => offsetOf(0, '').check(),
    close,
  }
}

interface Offsets {
  readonly offsetOf: (range: number, worker: string) => Offset
  readonly close: () => Promise<void>
}

function offsetsOf(projection: Projection, journal: Journal): Offsets {
  const { storeId } = journal
  if (projection.postgres !== undefined) {
    const offsets = new PostgresOffsets(projection, projection.postgres)
    return {
      offsetOf: (range, worker) => offsets.of(range, worker, storeId),
      close: () => offsets.close(),
    }
  }
  if (!hasRegisters(journal)) {
    throw new StoreCannot('keep how far projections came', 'readRegister and writeRegister')
  }
  return {
    offsetOf: (range, worker) =>
      new StoredOffset({ registers: journal, projection, range, worker, storeId }),
    close: () => Promise.resolve(),
  }
}
