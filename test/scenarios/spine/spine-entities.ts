/** What lives in the cluster of the spine scenario: durable lists, and inboxes and diaries that take numbered messages. */
import { setTimeout as pause } from 'node:timers/promises'
import { Behaviors, type Behavior } from '../../../src/actor/index.ts'
import { defineEntity, type EntityDefinition } from '../../../src/entity/index.ts'
import {
  effectsFor,
  EventSourcedBehavior,
  type Journal,
  persistenceIdOf,
} from '../../../src/persistence/index.ts'
import {
  EntityTypeKey,
  type Passivation,
  type ShardLeaseOptions,
} from '../../../src/sharding/index.ts'
import type { ClusterChecks, Simulation } from '../../../src/simulation/index.ts'
import { places } from './spine-places.ts'

/** A message with a name of its own and its place among those of its sender. */
export interface Note {
  readonly note: string
  readonly sender: string
  readonly number: number
}

export const inboxKey = new EntityTypeKey<Note>('Inbox')
export const diaryKey = new EntityTypeKey<Note>('Diary')

/** Inboxes are `i0`, `i1` and so on, diaries `d0`, `d1`. */
export function keyOf(entityId: string): EntityTypeKey<Note> {
  return entityId.startsWith('d') ? diaryKey : inboxKey
}

/** The notes in a message that was lost: it may be one, or an envelope, or a bundle that was sent back. */
export function notesIn(message: unknown): string[] {
  if (typeof message !== 'object' || message === null) return []
  if ('note' in message) return [String(message.note)]
  const parts =
    'message' in message ? [message.message] : 'parcels' in message ? [message.parcels] : []
  return [...(Array.isArray(message) ? (message as unknown[]) : parts)].flatMap(notesIn)
}

/** Asks an inbox to stop; it takes its time. */
export const lastNote: Note = { note: 'last', sender: '', number: 0 }

export type InboxMaker = (context: {
  readonly entityId: string
  readonly passivate: () => void
}) => Behavior<Note>

export type DiaryMaker = (
  context: { readonly entityId: string; readonly passivate: () => void },
  journal: Journal,
) => Behavior<Note>

export interface InboxOptions {
  /** They need up to so long to stop: whoever moves them must wait. */
  readonly stopMaxMs: number
  /** How often one wants to rest after a message. */
  readonly restChance: number
}

export function inboxes(
  simulation: Simulation,
  checks: ClusterChecks,
  { stopMaxMs, restChance }: InboxOptions,
): InboxMaker {
  const random = simulation.random.fork('stopping')
  return (context) =>
    Behaviors.withTimers<Note>((timers) =>
      Behaviors.receiveMessage<Note>((message) => {
        const { entityId } = context
        const { note, sender, number } = message
        if (note !== lastNote.note) {
          checks.acted(simulation.here, 'Inbox', entityId)
          checks.order.received(sender, entityId, number)
          checks.losses.delivered(note)
          if (random.chance(restChance)) context.passivate()
          return Behaviors.same
        }
        checks.stops(simulation.here, 'Inbox', entityId)
        if (number > 0 || stopMaxMs === 0) return Behaviors.stopped()
        timers.startSingle('stop', random.below(stopMaxMs), { ...lastNote, number: 1 })
        return Behaviors.same
      }),
    )
}

const effect = effectsFor<string, number>()

/** Inboxes that store every note: they recover when they start, and a note may come before they have. */
export function diaries(
  simulation: Simulation,
  checks: ClusterChecks,
  { restChance }: Pick<InboxOptions, 'restChance'>,
): DiaryMaker {
  const random = simulation.random.fork('diaries')
  return (context, journal) =>
    EventSourcedBehavior<Note, string, number>({
      persistenceId: persistenceIdOf('Diary', context.entityId),
      emptyState: 0,
      journal,
      commandHandler: (_, { note, sender, number }) => {
        const { entityId } = context
        if (note === lastNote.note) {
          checks.stops(simulation.here, 'Diary', entityId)
          return effect.stop()
        }
        checks.acted(simulation.here, 'Diary', entityId)
        checks.order.received(sender, entityId, number)
        checks.losses.delivered(note)
        if (random.chance(restChance)) context.passivate()
        return effect.persist(note)
      },
      eventHandler: (count) => count + 1,
    })
}

/** What the shards of a type do besides; nothing when not given. */
export interface Hosting {
  readonly rememberEntities?: boolean
  readonly lease?: ShardLeaseOptions
  readonly passivation?: Passivation
}

interface ListState {
  readonly ids: readonly string[]
}

/** A list of unique ids; the same id again changes nothing, so that a call can be repeated. */
export function listEntity(simulation: Simulation, checks: ClusterChecks, hosting: Hosting = {}) {
  return defineEntity('List', {
    ...hosting,
    state: (): ListState => ({ ids: [] }),
    events: { Added: (state, id: string) => ({ ids: [...state.ids, id] }) },
    commands: {
      add: (self, id: string): number => {
        checks.acted(simulation.here, 'List', self.id)
        if (self.state.ids.includes(id)) return self.state.ids.indexOf(id)
        return self.persist('Added', id).ids.length - 1
      },
      /** As `add`, but it takes its time before it persists. One that does not heed its signal is left behind at a stop. */
      addLater: async (self, id: string, waitMs: number, heeds: boolean): Promise<number> => {
        checks.acted(simulation.here, 'List', self.id)
        if (self.state.ids.includes(id)) return self.state.ids.indexOf(id)
        const { signal } = self
        await pause(waitMs, undefined, heeds ? { signal } : {})
        if (signal.aborted) simulation.reached(places.late)
        return self.persist('Added', id).ids.length - 1
      },
      all: (self): readonly string[] => {
        checks.acted(simulation.here, 'List', self.id)
        return self.state.ids
      },
    },
  })
}

export type ListEntity =
  ReturnType<typeof listEntity> extends EntityDefinition<infer State, infer Events, infer Commands>
    ? EntityDefinition<State, Events, Commands>
    : never
