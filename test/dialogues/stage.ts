/** Where a dialogue takes place: machines on a network, and the words for what happens to them. */
import type { MachineNetwork } from '../machines/network.ts'

export type Settings = Readonly<Record<string, number>>

/** What a line of a script means; what stands in the groups of the pattern is passed on. */
export type Act = readonly [pattern: RegExp, act: (...words: string[]) => void]

export interface Stage {
  readonly network: MachineNetwork
  readonly acts: readonly Act[]
  /** What follows the type of a message. */
  inWords(message: { readonly type: string }): string
}
