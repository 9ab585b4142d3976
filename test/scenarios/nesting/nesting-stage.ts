/** What the behaviors of one nested actor are made with. */
import {
  ActorStopped,
  type ActorRef,
  type Behavior,
  ContextOutsideTurn,
} from '../../../src/actor/index.ts'
import type { SeededRandom } from '../../../src/simulation/index.ts'
import type { NestingLedger } from './nesting-ledger.ts'
import type { Letter } from './nesting-plan.ts'

export interface NestingStage {
  readonly actor: string
  /** The actor's own stream: what it draws while it runs shifts nothing for others. */
  readonly random: SeededRandom
  readonly ledger: NestingLedger
  /** The numbers of letters that have been in a stash. */
  readonly stashed: Set<number>
  readonly isQuiet: boolean
  /** Somebody to watch, who lives as long as the system. */
  readonly neighbor: ActorRef<Letter>
  /** A behavior to become, with layers of its own. */
  readonly fresh: (layersMax: number) => Behavior<Letter>
}

/** Longer than an actor waits for its PreRestart or its PostStop. */
export const LINGER_MS = 3_500

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

export function forever(): Promise<never> {
  return new Promise(() => undefined)
}

/** What came back from an await too late is refused by its actor. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ActorStopped || error instanceof ContextOutsideTurn
}
