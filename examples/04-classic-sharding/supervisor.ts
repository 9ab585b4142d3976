/** What the shard starts for each id: a parent with the counter below it, which decides what a failure comes to. */
import { type Behavior, Behaviors, SupervisorStrategy } from '../../src/index.ts'
import { counter, NotWhole, TooLow } from './counter.ts'
import type { EntityContext } from '../../src/sharding/index.ts'
import type { Journal } from '../../src/persistence/index.ts'
import type { ToCounter } from './messages.ts'

export function supervised(
  entity: EntityContext<ToCounter>,
  journal: Journal,
): Behavior<ToCounter> {
  const resuming = Behaviors.supervise(counter(entity, journal)).onFailure(
    TooLow,
    SupervisorStrategy.resume(),
  )
  const restarting = Behaviors.supervise(resuming).onFailure(
    NotWhole,
    SupervisorStrategy.restart({ restartsMax: 10, within: '1m' }),
  )
  // Whatever else fails stops the counter; its parent makes another after a pause, and ends with it only on `Stop`.
  return Behaviors.restartOnStop<ToCounter>({
    child: restarting,
    isFinalStop: ({ type }) => type === 'Stop',
    ...{ min: '50ms', max: '10s' },
  })
}
