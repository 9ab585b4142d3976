/** What a shard remembers, as events of its stream in the journal. Read by every later version. */
import { isText, listOf, oneOf } from '../../foundation/shape.ts'
import { MessageProtocol } from '../../serialization/internals.ts'
import type { EntityId } from '../shard-id.ts'

/** These entities shall run wherever the shard lives. */
export interface EntitiesRemembered {
  readonly type: 'EntitiesRemembered'
  readonly ids: readonly EntityId[]
}

/** These do not run until somebody calls them. */
export interface EntitiesForgotten {
  readonly type: 'EntitiesForgotten'
  readonly ids: readonly EntityId[]
}

export type RememberedEvent = EntitiesRemembered | EntitiesForgotten

export function rememberedProtocol(): MessageProtocol<RememberedEvent> {
  const ids = listOf(isText)
  return new MessageProtocol('sharding', {
    EntitiesRemembered: { version: 1, fields: { type: oneOf('EntitiesRemembered'), ids } },
    EntitiesForgotten: { version: 1, fields: { type: oneOf('EntitiesForgotten'), ids } },
  })
}
