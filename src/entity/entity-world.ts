/** What entities of one node share: where their events go, and how values travel. */
import type { ActorContext } from '../actor/index.ts'
import { AssertionFailed } from '../foundation/assert.ts'
import {
  type EventSourcedSettings,
  type Journal,
  keepsStates,
  type RecoveryPermits,
} from '../persistence/index.ts'
import type { SerializationSettings } from '../serialization/index.ts'
import type { ValueCodec } from '../serialization/internals.ts'
import type { CommandWitness } from './command-witness.ts'
import type { EntityType } from './define-entity.ts'
import type { EntityCall } from './entity-messages.ts'
import { askForRest } from './entity-self.ts'
import type { CallOptions, EntityHandle } from './entity-types.ts'
import { EntityWork } from './entity-work.ts'
import { FrozenStates } from './frozen-state.ts'
import { Travelling } from './travelling.ts'
import { WantedRests } from './wanted-rests.ts'

export interface EntityWorldOptions {
  readonly journal: Journal
  /** For stored values; one per node. */
  readonly codec: ValueCodec
  /** What may travel between nodes: the same holds for a call that stays on this one. */
  readonly serialization?: Partial<SerializationSettings>
  /** One per node, so that a moved shard does not ask the journal for everything at once. */
  readonly recoveryPermits: RecoveryPermits
  /** Who writes, for people who look for the other instance: the node. */
  readonly writer: string
  readonly settings?: Partial<EventSourcedSettings>
  /** Of the program, for people who look for the version that knows an event. */
  readonly appVersion?: string | undefined
  /** What there is to say of another writer that has taken a stream, in whole sentences. */
  readonly adviceOnWriter?: (writer: string) => string | undefined
}

/** Throws for an entity type that is not known here, and for an id that cannot be. */
export type EntityOf = <Commands>(
  type: EntityType<Commands>,
  id: string,
  options?: CallOptions,
) => EntityHandle<Commands>

export class EntityWorld {
  readonly journal: Journal
  readonly codec: ValueCodec
  /** Bytes of one event that the journal takes, as far as it tells. */
  readonly eventBytesMax: number
  /** The same of a state that is stored itself. */
  readonly stateBytesMax: number
  readonly recoveryPermits: RecoveryPermits
  readonly writer: string
  readonly settings: Partial<EventSourcedSettings>
  readonly appVersion: string | undefined
  readonly adviceOnWriter: ((writer: string) => string | undefined) | undefined
  readonly travelling: Travelling
  readonly states = new FrozenStates()
  readonly work = new EntityWork()
  readonly wantedRests = new WantedRests()
  /** Calls that were answered although nobody handled them to the end: not to be answered again. */
  readonly answered = new WeakSet<object>()
  /** Set before the first command, where somebody follows what they do. */
  witness: CommandWitness | undefined = undefined
  /** Other entities as `node.entity` gives them; set by the node, which is made later. */
  entityOf: EntityOf = () => {
    throw new AssertionFailed('a node says how entities are called from here')
  }

  /** Lets an entity leave the memory, behind all that it was asked so far. Set where there is no shard around it. */
  rest: (context: ActorContext<EntityCall>) => void = askForRest

  constructor(options: EntityWorldOptions) {
    const { journal, codec, recoveryPermits, writer, settings = {}, adviceOnWriter } = options
    this.journal = journal
    this.codec = codec
    this.eventBytesMax = journal.eventBytesMax ?? Infinity
    this.stateBytesMax = (keepsStates(journal) ? journal.stateBytesMax : undefined) ?? Infinity
    this.recoveryPermits = recoveryPermits
    this.writer = writer
    this.settings = settings
    this.appVersion = options.appVersion
    this.adviceOnWriter = adviceOnWriter
    this.travelling = new Travelling(options.serialization)
  }
}
