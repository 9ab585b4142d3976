/** The chaos scenarios by name. */
import { foundingPause } from './founding-pause.ts'
import { foundingRestart } from './founding-restart.ts'
import { foundingSecond } from './founding-second.ts'
import { killNineServer } from './kill-9-server.ts'
import { killNine, killNineDeleting, killNinePostgres } from './kill-9.ts'
import { netScenarios } from './net/index.ts'
import { partition } from './partition.ts'
import { remembered } from './remembered.ts'
import { rollingRestart } from './rolling-restart.ts'
import type { Scenario } from './scenario.ts'
import { sigstop } from './sigstop.ts'
import { cutTwo, killOneOfTwo, killTwoOfThree, killWithoutStore } from './survivors.ts'

export const scenarios: ReadonlyMap<string, Scenario> = new Map(
  [
    ...[killNine, rollingRestart, remembered, sigstop, partition],
    ...[killNineDeleting, killNinePostgres, killNineServer],
    ...[killOneOfTwo, killTwoOfThree, cutTwo, killWithoutStore],
    ...[foundingRestart, foundingPause, foundingSecond],
    ...netScenarios,
  ].map((scenario) => [scenario.name, scenario]),
)
