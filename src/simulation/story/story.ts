/**
 * What happened, in the words of whoever wrote the entities: commands, events and answers, starts, recoveries and moves, and
 * the faults among them. Of every entity the latest is kept, a bounded number, and made into lines when somebody asks. It
 * only listens: nothing of it enters the hash of a run.
 */
import type { CommandWitness } from '../../entity/internals.ts'
import type { AppendBatch, AppendResult, Claim } from '../../persistence/index.ts'
import type {
  EntityStarted,
  EntityStopped,
  LocalShardStarted,
  LocalShardStopped,
} from '../../sharding/index.ts'
import { CommandEntry, type EventEntry } from './command-entry.ts'
import { mentions } from './mentions.ts'
import { linesOf, nodeName, type StoryEntry } from './story-lines.ts'

/** Entries kept of one entity, of one shard, and of what concerns all. */
const keptMax = { entity: 50, shard: 20, all: 100 }
/** Entities and shards of which anything is kept; the oldest go. */
const subjectsMax = 5_000
const linesMax = 60

/** The latest of many. */
class Latest<Entry> {
  readonly #max: number
  #entries: Entry[] = []

  constructor(max: number) {
    this.#max = max
  }

  add(entry: Entry): void {
    this.#entries.push(entry)
    // Now and then, so that no single entry costs more than the others.
    if (this.#entries.length >= 2 * this.#max) this.#entries = this.#entries.slice(-this.#max)
  }

  get entries(): readonly Entry[] {
    return this.#entries.slice(-this.#max)
  }
}

interface EntityTold {
  readonly entityType: string
  readonly id: string
  readonly latest: Latest<StoryEntry>
  /** By life, what was persisted there and is not known to be stored, oldest first. */
  readonly unstored: Map<string, EventEntry[]>
  shard: string | undefined
}

interface ShardTold {
  readonly latest: Latest<StoryEntry>
  /** Where it ran last, and whether it has stopped there. */
  home: string | undefined
  hasStopped: boolean
}

export class Story {
  readonly #clock: { readonly nowUs: number }
  readonly #entities = new Map<string, EntityTold>()
  readonly #shards = new Map<string, ShardTold>()
  /** Lives that are over. */
  readonly #ended = new Set<string>()
  readonly #common = new Latest<StoryEntry>(keptMax.all)
  #count = 0

  constructor(clock: { readonly nowUs: number }) {
    this.#clock = clock
  }

  // ---- what is told

  /** Something that concerns everybody: a fault, or the fate of a node. */
  note(text: string, label?: string): void {
    this.#common.add(this.#entry(text, label))
  }

  nodeEnded(label: string, why: string): void {
    this.#ended.add(label)
    this.note(why === 'crash' ? 'dies' : `ends (${why})`, label)
  }

  /** For the entities of one life of a node. */
  witnessFor(label: string): CommandWitness {
    return {
      begins: (entityType, id, { command, args }) => {
        const told = this.#entity(entityType, id)
        const unstored = unstoredOf(told, label)
        const order = this.#count++
        const entry = new CommandEntry(
          { order, node: label, who: `${entityType}/${id}`, command, args },
          this.#clock,
          unstored,
        )
        told.latest.add(entry)
        return entry
      },
      unanswered: ({ entityType, id, command }, reason) => {
        const text = `${command}: a caller on this node gets no answer (${reason})`
        this.#entity(entityType, id).latest.add(this.#entry(text, label, `${entityType}/${id}`))
      },
    }
  }

  entityStarted(label: string, { entityType, entityId, shard }: EntityStarted): void {
    const told = this.#entity(entityType, entityId)
    told.shard = shardName(entityType, shard)
    told.latest.add(this.#entry('starts', label, `${entityType}/${entityId}`))
  }

  entityStopped(label: string, { entityType, entityId }: EntityStopped): void {
    const entry = this.#entry('has stopped', label, `${entityType}/${entityId}`)
    this.#entity(entityType, entityId).latest.add(entry)
  }

  shardStarted(label: string, { entityType, shard }: LocalShardStarted): void {
    const name = shardName(entityType, shard)
    const told = this.#shard(name)
    const { home, hasStopped } = told
    told.home = label
    told.hasStopped = false
    if (home === undefined || home === label) {
      return told.latest.add(this.#entry(`${name} starts on ${nodeName(label)}`))
    }
    const how = hasStopped
      ? 'handed over'
      : `${nodeName(home)} ${this.#ended.has(home) ? 'has ended' : 'was given up'}`
    const move = `${name} moves ${nodeName(home)} -> ${nodeName(label)} (${how})`
    told.latest.add(this.#entry(move))
  }

  shardStopped(label: string, { entityType, shard }: LocalShardStopped): void {
    const told = this.#shard(shardName(entityType, shard))
    if (told.home === label) told.hasStopped = true
  }

  /** An entity takes its stream, to read what has happened to it. */
  claimed(
    persistenceId: string,
    label: string,
    { highestSequenceNr, deletedSequenceNr = 0 }: Claim,
  ): void {
    const told = this.#entityOf(persistenceId)
    if (told === undefined) return
    // What was under way before has been stored by now, or never will be.
    told.unstored.delete(label)
    const count = highestSequenceNr - deletedSequenceNr
    const events = `${count} stored event${count === 1 ? '' : 's'}`
    const text = count === 0 ? 'has no stored events' : `recovers from ${events}`
    told.latest.add(this.#entry(text, label, nameOf(told)))
  }

  /** The store has decided on a write, which may begin by deleting all before it. */
  appended(
    { persistenceId, expectedSequenceNr, events }: AppendBatch,
    result: AppendResult,
    label: string,
    deletesEarlier = false,
  ): void {
    const told = this.#entityOf(persistenceId)
    if (told === undefined) return
    if (result.type !== 'Appended') {
      const count = events.length === 1 ? 'an event' : `${events.length} events`
      const text = `${deletesEarlier ? 'a deletion' : count} refused by the store: ${result.type}`
      return told.latest.add(this.#entry(text, label, nameOf(told)))
    }
    if (deletesEarlier) {
      const text = `deleted everything up to #${expectedSequenceNr}`
      told.latest.add(this.#entry(text, label, nameOf(told)))
    }
    const stored = unstoredOf(told, label).splice(0, events.length)
    stored.forEach((event, index) => {
      event.sequenceNr = expectedSequenceNr + 1 + index
    })
  }

  /** Something went wrong in the store: told of the entity it names, or of all. */
  storeFault(description: string): void {
    const persistenceId = / of (\S+)/.exec(description)?.[1] ?? ''
    const told = this.#entityOf(persistenceId)
    if (told === undefined) this.note(description)
    else {
      const text = `a fault of the store: ${description.replace(` of ${persistenceId}`, '')}`
      told.latest.add(this.#entry(text, undefined, nameOf(told)))
    }
  }

  // ---- what is asked

  /** Names of the entities that this text speaks of: by type and id, or else by an id that is a word of it. */
  spokenOf(text: string): string[] {
    const all = [...this.#entities]
    const named = all.filter(([, told]) => writtenAs(told).some((name) => mentions(text, name)))
    const isNamedById = ({ id }: EntityTold): boolean => /\p{L}/u.test(id) && mentions(text, id)
    const found = named.length > 0 ? named : all.filter(([, told]) => isNamedById(told))
    return found.map(([name]) => name)
  }

  /** The latest lines about these entities, `Account/alice`, oldest first; about all of them when none is given. */
  lines(names: readonly string[] = []): string[] {
    const told = names.length === 0 ? [...this.#entities.values()] : this.#known(names)
    if (told.length === 0) return []
    const shards = new Set(told.map(({ shard }) => shard))
    const entries = [
      ...told.flatMap(({ latest }) => latest.entries),
      ...[...shards].flatMap((shard) =>
        shard === undefined ? [] : (this.#shards.get(shard)?.latest.entries ?? []),
      ),
      ...this.#common.entries,
    ]
    return linesOf(entries.sort((one, other) => one.order - other.order).slice(-linesMax))
  }

  /** What a violation or an error with this text is about. Nothing where there were no entities. */
  about(text: string): string[] {
    return this.lines(this.spokenOf(text))
  }

  #known(names: readonly string[]): EntityTold[] {
    return names.flatMap((name) => this.#entities.get(name) ?? [])
  }

  #entry(text: string, label = '', who = ''): StoryEntry {
    const order = this.#count++
    return { order, timeUs: this.#clock.nowUs, node: label, who, inWords: () => text }
  }

  /** Undefined for streams of the runtime. */
  #entityOf(persistenceId: string): EntityTold | undefined {
    const at = persistenceId.indexOf('|')
    if (at < 1 || persistenceId.startsWith('$')) return undefined
    return this.#entity(persistenceId.slice(0, at), persistenceId.slice(at + 1))
  }

  #entity(entityType: string, id: string): EntityTold {
    const name = `${entityType}/${id}`
    let told = this.#entities.get(name)
    if (told === undefined) {
      told = {
        ...{ entityType, id, shard: undefined },
        ...{ latest: new Latest(keptMax.entity), unstored: new Map() },
      }
      forgetOldest(this.#entities)
      this.#entities.set(name, told)
    }
    return told
  }

  #shard(name: string): ShardTold {
    let told = this.#shards.get(name)
    if (told === undefined) {
      told = { latest: new Latest(keptMax.shard), home: undefined, hasStopped: false }
      forgetOldest(this.#shards)
      this.#shards.set(name, told)
    }
    return told
  }
}

function forgetOldest(subjects: Map<string, unknown>): void {
  const [oldest] = subjects.size < subjectsMax ? [] : subjects.keys()
  if (oldest !== undefined) subjects.delete(oldest)
}

function unstoredOf({ unstored }: EntityTold, label: string): EventEntry[] {
  let events = unstored.get(label)
  if (events === undefined) unstored.set(label, (events = []))
  return events
}

function nameOf({ entityType, id }: EntityTold): string {
  return `${entityType}/${id}`
}

/** How people, checkers, errors and stores write the name of an entity. */
function writtenAs({ entityType, id }: EntityTold): string[] {
  return ['/', ' ', '|']
    .map((between) => `${entityType}${between}${id}`)
    .concat([`${entityType} '${id}'`, `${entityType} "${id}"`])
}

function shardName(entityType: string, shard: number): string {
  return `shard ${shard} of ${entityType}`
}
