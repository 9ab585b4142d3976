/** The chaos scenarios by name. */
import { killNine } from './kill-9.ts'
import { partition } from './partition.ts'
import { rollingRestart } from './rolling-restart.ts'
import type { Scenario } from './scenario.ts'
import { sigstop } from './sigstop.ts'

export const scenarios: ReadonlyMap<string, Scenario> = new Map(
  [killNine, rollingRestart, sigstop, partition].map((scenario) => [scenario.name, scenario]),
)
