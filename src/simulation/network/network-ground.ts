/** What every part of the simulated network shares: time and the trace of the world, chance, and the ways between hosts. */
import type { SeededRandom } from '../seeded-random.ts'
import type { World } from '../world.ts'
import type { Links } from './links.ts'

export interface NetworkGround {
  /** @internal */
  readonly world: World
  /** @internal */
  readonly links: Links
  /** @internal */
  readonly random: SeededRandom
  readonly settings: NetworkSettings
  /** @internal Whether a machine of that name answers at all. */
  isHostUp(host: string): boolean
}

/** How the machines behave. Times are in milliseconds. */
export interface NetworkSettings {
  /** Bytes that one direction of a connection takes before the writer has to hold the rest: one of these, drawn. */
  readonly windowBytes: readonly number[]
  /** Bytes a writer may hold before `write` says to wait. */
  readonly highWaterBytes: number
  /** The part of deliveries that are cut in two. */
  readonly splitChance: number
  /** The part of writes that the machine takes a moment later, so that buffers stay in use. */
  readonly busyChance: number
  /** The part of stalled directions whose sender loses patience before the way opens again. */
  readonly giveUpChance: number
  /** When it does: between these. */
  readonly giveUpMinMs: number
  readonly giveUpMaxMs: number
  /** When the silence of a connection without another end is noticed: between this and twice this. */
  readonly keepAliveMs: number
  /** A stalled direction moves again at most this long after its way has opened. */
  readonly resumeMaxMs: number
  /** Connections that wait to be accepted by one listener; the next get no answer. */
  readonly backlogMax: number
}

export const defaultNetworkSettings: NetworkSettings = {
  windowBytes: [4 * 1024, 64 * 1024, 256 * 1024],
  highWaterBytes: 16 * 1024,
  splitChance: 0.1,
  busyChance: 0.02,
  giveUpChance: 0.5,
  giveUpMinMs: 3_000,
  giveUpMaxMs: 20_000,
  keepAliveMs: 10_000,
  resumeMaxMs: 1_000,
  backlogMax: 511,
}
