/** The one clerk of the spine: a singleton that takes its time to stop. Two of them at once break the same rule as two of an entity. */
import { type Behavior, Behaviors } from '../../../src/actor/index.ts'
import type { SherdNode } from '../../../src/node/index.ts'
import type { ClusterChecks, SimulatedNode, Simulation } from '../../../src/simulation/index.ts'

export const clerk = 'clerk'
const entityType = 'Singleton'
const stop = 'stop'
const stopped = 'stopped'

/** Starts it on that node: the oldest runs it. `stopMaxMs` is how long it takes to stop, at most. */
export function hostClerk(
  { simulation, checks }: { readonly simulation: Simulation; readonly checks: ClusterChecks },
  { singletons }: SherdNode,
  life: SimulatedNode,
  stopMaxMs: number,
): void {
  const random = simulation.random.fork(`clerk ${life.label}`)
  const name = `${entityType}/${clerk}`
  const behavior = (term: number): Behavior<string> =>
    Behaviors.withTimers<string>((timers) => {
      checks.instances.started(life, name, String(term))
      return Behaviors.receiveMessage<string>((message) => {
        if (message !== stop && message !== stopped) {
          checks.acted(life.label, entityType, clerk)
          return Behaviors.same
        }
        if (stopMaxMs === 0 || message === stopped) return Behaviors.stopped()
        timers.startSingle(stopped, random.below(stopMaxMs), stopped)
        return Behaviors.same
      }).receiveSignal({
        PostStop: () => checks.instances.stopped(life, name, String(term)),
      })
    })
  singletons.start<string>({
    name: clerk,
    behavior: ({ term }) => behavior(term),
    stopMessage: stop,
  })
}
