/** What every runner of projections needs: a store that can be read over all entities and has registers, actors and time. */
import type { ActorSystem } from '../actor/index.ts'
import type { Environment } from '../foundation/environment.ts'
import type { NodeId } from '../foundation/node-id.ts'
import { withFields } from '../foundation/with-fields.ts'
import {
  hasRegisters,
  isSliceReader,
  type Journal,
  type Registers,
  type SliceReader,
  StoreCannot,
} from '../persistence/index.ts'
import type { Projection } from './define-projection.ts'
import { EntityEvents } from './entity-events.ts'
import { RangeWorker } from './range-worker.ts'

export interface ProjectionGround {
  readonly system: ActorSystem
  readonly journal: Journal
  /** `here` where there is no cluster. */
  readonly node: NodeId
  readonly appVersion: string | undefined
}

/** Throws `StoreCannot` where projections cannot run on this store. */
export function readableJournal(journal: Journal): SliceReader & Registers {
  if (!isSliceReader(journal)) throw new StoreCannot('feed projections', 'readSlices')
  if (!hasRegisters(journal)) {
    throw new StoreCannot('keep how far projections came', 'readRegister and writeRegister')
  }
  return journal
}

/** Makes the workers of a projection; each life of a range is one. Throws `StoreCannot`. */
export function workersOf(
  projection: Projection,
  { system, journal, node, appVersion }: ProjectionGround,
): (range: number) => RangeWorker {
  const readable = readableJournal(journal)
  const events = new EntityEvents(projection.entities, appVersion)
  const environment: Environment = system.environment
  return (range) =>
    new RangeWorker({
      ...{ projection, range, journal: readable, events, environment, node },
      log: withFields(system.log, { projection: projection.name, range }),
    })
}
