/** Makes accounts fail: now one, now another, before or after they have stored what they were told. */
import { type ActorRef, type Behavior, Behaviors } from '../../src/index.ts'
import type { ToAccount } from './messages.ts'

export function saboteur(
  accounts: readonly ActorRef<ToAccount>[],
  everyMs: number,
): Behavior<'Strike'> {
  return Behaviors.withTimers<'Strike'>((timers) => {
    timers.startFixedRate('strike', everyMs, 'Strike')
    return () => {
      const victim = accounts[Math.floor(Math.random() * accounts.length)]
      victim?.tell({ type: 'Sabotage', moment: Math.random() < 0.5 ? 'before' : 'after' })
    }
  })
}
