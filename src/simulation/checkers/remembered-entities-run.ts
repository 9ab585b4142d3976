/**
 * R1: an entity of a type that remembers runs only when its shard has stored that it does; and in the end whoever is remembered
 * runs, and nobody else. What is remembered is read from what the store accepted; who runs, the nodes tell.
 */
import { persistenceIdOf } from '../../persistence/index.ts'
import { ValueCodec } from '../../serialization/internals.ts'
import type { EntityStarted, EntityStopped } from '../../sharding/index.ts'
import type { Findings, WatchedLife } from './findings.ts'

interface Instance {
  readonly life: WatchedLife
  readonly number: number
}

interface Known {
  /** By shard: an id that moves from one to another is in both for a while. */
  readonly remembered: Map<number, Set<string>>
  readonly running: Map<string, Instance[]>
}

interface Stored {
  readonly type: string
  readonly ids: readonly string[]
}

/** The streams of what shards remember begin so. */
const prefix = persistenceIdOf('$remembered', 'x').slice(0, -1)

/** Whoever is remembered runs, and nobody else. */
export class RememberedEntitiesRun {
  readonly #findings: Findings
  /** The reason why two homes may be at work now; undefined when they may not. */
  readonly #excuse: () => string | undefined
  readonly #types = new Map<string, Known>()
  readonly #codec = new ValueCodec({ use: 'stored' })

  constructor(findings: Findings, excuse: () => string | undefined = () => undefined) {
    this.#findings = findings
    this.#excuse = excuse
  }

  /** Entities of that type are remembered: to be said before any of them runs. */
  watch(entityType: string): void {
    this.#types.set(entityType, { remembered: new Map(), running: new Map() })
  }

  /** @internal The store has accepted these events. */
  stored(persistenceId: string, events: readonly Uint8Array[]): void {
    if (!persistenceId.startsWith(prefix)) return
    const place = persistenceId.slice(prefix.length)
    const at = place.lastIndexOf('/')
    const known = this.#types.get(place.slice(0, at))
    if (known === undefined) return
    const ids = idsOf(known.remembered, Number(place.slice(at + 1)))
    for (const bytes of events) {
      const [, event] = this.#codec.decode(bytes) as [string, Stored]
      if (event.type === 'EntitiesRemembered') for (const id of event.ids) ids.add(id)
      else for (const id of event.ids) ids.delete(id)
    }
  }

  /** @internal */
  started(life: WatchedLife, { entityType, entityId, shard, instance }: EntityStarted): void {
    const known = this.#types.get(entityType)
    if (known === undefined) return
    const all = living(known, entityId)
    known.running.set(entityId, [...all, { life, number: instance }])
    // Where two homes may be at work, one of them may have let it rest while the other goes on.
    const isStored = idsOf(known.remembered, shard).has(entityId) || this.#excuse() !== undefined
    this.#findings.check(
      'R1: an entity runs only when it is remembered',
      isStored,
      `${entityType}/${entityId} starts in shard ${shard} on ${life.label}, and nothing stored says so`,
    )
  }

  /** @internal */
  stopped(life: WatchedLife, { entityType, entityId, instance }: EntityStopped): void {
    const known = this.#types.get(entityType)
    if (known === undefined) return
    const others = living(known, entityId).filter(
      (each) => each.life.label !== life.label || each.number !== instance,
    )
    known.running.set(entityId, others)
  }

  /** Whether it runs on a node that lives. */
  isRunning(entityType: string, entityId: string): boolean {
    return isRunning(this.#types.get(entityType) as Known, entityId)
  }

  /**
   * What is not as it must be in the end, in words; none when all is well. One at a time: whoever waits for the end asks
   * after every step, and then the first is enough.
   */
  *problems(): Generator<string, void> {
    for (const [entityType, known] of this.#types) {
      for (const [shard, ids] of known.remembered) {
        for (const id of ids) {
          if (isRunning(known, id)) continue
          yield `${entityType}/${id} is remembered by shard ${shard} and does not run`
        }
      }
      for (const id of known.running.keys()) {
        if (isRunning(known, id) && !isRemembered(known, id)) {
          yield `${entityType}/${id} runs and is not remembered`
        }
      }
    }
  }
}

function idsOf(remembered: Map<number, Set<string>>, shard: number): Set<string> {
  let ids = remembered.get(shard)
  if (ids === undefined) remembered.set(shard, (ids = new Set()))
  return ids
}

function living({ running }: Known, entityId: string): Instance[] {
  return (running.get(entityId) ?? []).filter(({ life }) => life.isAlive)
}

function isRunning({ running }: Known, entityId: string): boolean {
  return running.get(entityId)?.some(({ life }) => life.isAlive) === true
}

function isRemembered({ remembered }: Known, entityId: string): boolean {
  for (const ids of remembered.values()) if (ids.has(entityId)) return true
  return false
}
