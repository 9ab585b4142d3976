/** A list of texts, event sourced: what most tests here talk to. */
import type { ActorRef, Behavior } from '../../src/actor/index.ts'
import { unreachable } from '../../src/foundation/assert.ts'
import {
  type Effect,
  EventSourcedBehavior,
  type EventSourcedOptions,
  effectsFor,
  type Journal,
} from '../../src/persistence/index.ts'

export type ListCommand =
  | {
      readonly type: 'Append'
      readonly items: readonly string[]
      readonly replyTo?: ActorRef<unknown>
    }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<unknown> }
  | { readonly type: 'Stop' }
  | { readonly type: 'Throw' }

export interface Appended {
  readonly item: string
}

export type Items = readonly string[]

export const effect = effectsFor<Appended, Items>()

export function handleList(items: Items, command: ListCommand): Effect<Appended, Items> {
  switch (command.type) {
    case 'Append': {
      const appended = effect.persist(command.items.map((item) => ({ item })))
      const { replyTo } = command
      return replyTo === undefined ? appended : appended.thenReply(replyTo, (all) => all.join(''))
    }
    case 'Get':
      return effect.reply(command.replyTo, items.join(''))
    case 'Stop':
      return effect.stop()
    case 'Throw':
      throw new Error('thrown on purpose')
    default:
      return unreachable(command)
  }
}

export type ListOptions = Partial<EventSourcedOptions<ListCommand, Appended, Items>>

export function list(journal: Journal, options: ListOptions = {}): Behavior<ListCommand> {
  return EventSourcedBehavior<ListCommand, Appended, Items>({
    persistenceId: 'List|1',
    emptyState: [],
    commandHandler: handleList,
    eventHandler: (items, { item }) => {
      if (item === 'bad') throw new Error('a bad item')
      return [...items, item]
    },
    journal,
    ...options,
  })
}

export const append = (
  items: string,
  replyTo?: ActorRef<unknown>,
): Extract<ListCommand, { type: 'Append' }> => ({
  type: 'Append',
  items: items.split(''),
  ...(replyTo && { replyTo }),
})

export const get = (replyTo: ActorRef<unknown>): ListCommand => ({ type: 'Get', replyTo })
