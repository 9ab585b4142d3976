/** A counter whose count is made of stored events. It rests when nobody has said anything for a while. */
import { type Behavior, Behaviors } from '../../src/index.ts'
import {
  effectsFor,
  EventSourcedBehavior,
  type Journal,
  persistenceIdOf,
} from '../../src/persistence/index.ts'
import type { EntityContext } from '../../src/sharding/index.ts'
import type { ToCounter } from './messages.ts'

/** There is less than that: nothing has happened, and nothing is lost. */
export class TooLow extends Error {}
/** Whoever adds that is confused, and may have confused us: the count is read again. */
export class NotWhole extends Error {}

interface Changed {
  readonly by: number
}

const effect = effectsFor<Changed, number>()

export function counter(entity: EntityContext<ToCounter>, journal: Journal): Behavior<ToCounter> {
  const { entityId } = entity
  const counting = EventSourcedBehavior<ToCounter, Changed, number>({
    ...{ persistenceId: persistenceIdOf('Counter', entityId), emptyState: 0, journal },
    eventHandler: (count, { by }) => count + by,
    commandHandler: (count, message) => {
      switch (message.type) {
        case 'Increment':
          if (message.by < 0) throw new RangeError('counts up only')
          if (!Number.isInteger(message.by)) throw new NotWhole(`${message.by}`)
          return effect.persist({ by: message.by })
        case 'Decrement':
          if (message.by > count) throw new TooLow(`${count} is less than ${message.by}`)
          return effect.persist({ by: -message.by })
        case 'Get':
          return effect.reply(message.replyTo, (stored) => stored)
        case 'Idle':
          return effect.none().thenRun(() => entity.passivate())
        default:
          return effect.stop()
      }
    },
    signals: {
      RecoveryCompleted: (count) => console.log(`  ${entityId} begins with ${count}`),
    },
  })
  return Behaviors.setup<ToCounter>((context) => {
    context.setReceiveTimeout('2s', { type: 'Idle' })
    return counting
  })
}
