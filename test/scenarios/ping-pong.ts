/** The smallest scenario: two nodes, one message back and forth. */
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import type { Simulation } from '../../src/simulation/index.ts'

interface Ball {
  readonly type: 'Ball'
  readonly count: number
  readonly from: ActorRef<Ball>
}

const RALLY = 100

export async function pingPong(simulation: Simulation): Promise<void> {
  let highest = 0
  const player = Behaviors.receive<Ball>((context, { count, from }) => {
    simulation.check('the ball is never in two places', count === highest + 1)
    highest = count
    if (count < RALLY) from.tell({ type: 'Ball', count: count + 1, from: context.self })
  })
  const ping = simulation.node('a').system.spawn(player, 'ping')
  const pong = simulation.node('b').system.spawn(player, 'pong')
  ping.tell({ type: 'Ball', count: 1, from: pong })
  await simulation.runUntil(() => highest === RALLY, { within: '1s' })
}
