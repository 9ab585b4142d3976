/**
 * What the benchmarks of the stores share: entities that each wait for their own events, and beside them writers that do no more
 * than wait for theirs.
 */
import type { ActorRef, ActorSystem } from '../src/actor/index.ts'
import { Effect, EventSourcedBehavior, type Journal } from '../src/persistence/index.ts'
import { ValueCodec } from '../src/serialization/internals.ts'
import { Countdown } from './countdown.ts'
import type { Running } from './harness.ts'
import { quietSystem } from './quiet-system.ts'

interface Increment {
  readonly type: 'Increment'
  readonly by: number
  readonly done: () => void
}

interface Incremented {
  readonly type: 'Incremented'
  readonly by: number
}

export const storedEvent: Incremented = { type: 'Incremented', by: 1 }

interface EntitiesShape {
  /** Each has an equal part of the entities. */
  readonly journals: readonly Journal[]
  readonly entityCount: number
  /** Commands that each entity has under way. */
  readonly inFlight: number
  readonly remove?: () => void
}

export function setUpEntities(shape: EntitiesShape): Running {
  const { journals, entityCount, inFlight, remove } = shape
  const system = quietSystem()
  const entities = Array.from({ length: entityCount }, (_, index) =>
    spawnCounter(system, index, journals[index % journals.length]!),
  )
  return {
    round: (operations) => storeAll(entities, inFlight, operations),
    tearDown: async () => {
      await system.terminate()
      for (const journal of journals) await journal.close()
      remove?.()
    },
  }
}

const codec = new ValueCodec({ use: 'stored' })

export const persistenceIdOfCounter = (index: number): string => `Counter|${index}`

function spawnCounter(system: ActorSystem, index: number, journal: Journal): ActorRef<Increment> {
  const behavior = EventSourcedBehavior<Increment, Incremented, number>({
    persistenceId: persistenceIdOfCounter(index),
    emptyState: 0,
    commandHandler: (_state, { by, done }) =>
      Effect.persist<Incremented, number>({ type: 'Incremented', by }).thenRun(done),
    eventHandler: (state, { by }) => state + by,
    journal,
    codec,
  })
  return system.spawn(behavior, `counter-${index}`)
}

/** Each entity gets its next command when one of its events is stored. */
function storeAll(
  entities: readonly ActorRef<Increment>[],
  inFlight: number,
  operations: number,
): Promise<void> {
  const each = operations / entities.length
  const stored = new Countdown()
  const finished = stored.from(operations)
  for (const entity of entities) {
    let sent = 0
    const next = (): void => {
      if (sent++ < each) entity.tell({ type: 'Increment', by: 1, done })
    }
    const done = (): void => {
      stored.one()
      next()
    }
    for (let first = 0; first < inFlight; first++) next()
  }
  return finished
}

/** Writers that each wait for their own event; those that wait at the same time share a commit. */
export function groupCommits(
  writers: number,
  eventsMax: number,
  putAll: (count: number) => Promise<void>,
): Running['round'] {
  const waiting: (() => void)[] = []
  let isCommitting = false
  const commit = async (): Promise<void> => {
    isCommitting = true
    while (waiting.length > 0) {
      const taken = waiting.splice(0, Math.min(eventsMax, writers))
      await putAll(taken.length)
      for (const stored of taken) stored()
      // Those who were told put their next event: without it, commits of one and of all others would take turns.
      await Promise.resolve()
    }
    isCommitting = false
  }
  const put = (): Promise<void> =>
    new Promise((stored) => {
      waiting.push(stored)
      if (!isCommitting) void commit()
    })
  const writer = async (events: number): Promise<void> => {
    for (let count = 0; count < events; count++) await put()
  }
  return async (operations) => {
    await Promise.all(Array.from({ length: writers }, () => writer(operations / writers)))
  }
}
