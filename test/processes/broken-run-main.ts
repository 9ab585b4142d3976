/**
 * `npm run chaos` with one scenario that breaks while everything goes on that scenarios have: a load, tellers, and a supervisor
 * that starts again what has ended. For the test of how it ends. Progress goes to the error output, as there.
 */
import { runChaos } from '../../scripts/chaos/command.ts'
import { Supervisor } from './harness/supervisor.ts'
import { Tells } from './load/tells.ts'
import type { BeaconNode, BeaconNodeOptions } from './nodes/beacon-node.ts'
import { LoadedCluster } from './scenarios/loaded-cluster.ts'
import type { Outcome, Scenario, Stage } from './scenarios/scenario.ts'

const broken: Scenario = {
  name: 'broken',
  summary: 'throws under load',
  defaultRounds: 1,
  run,
}

async function run(stage: Stage): Promise<Outcome> {
  // Long enough to be seen to end: nobody may wait until the calls have been given up.
  const cluster = await LoadedCluster.start(stage, { names: ['a', 'b'], attemptsMax: 100_000 })
  const { members } = cluster
  new Tells({ nodes: () => members.running, paceMs: 5, over: stage.over }).start()
  const kept = stage.cluster<BeaconNode, BeaconNodeOptions>('beacon')
  const beacon = await new Supervisor(kept).keep('c', {})
  for (const { pid } of [...members.running, beacon]) stage.say(`process ${pid}`)
  for (const { folder } of [members.processes, kept]) stage.say(`folder ${folder}`)
  // Of a wait that nobody sees the end of, as when several things are awaited and one has failed.
  await Promise.all([cluster.answeredSince(Infinity), beaten()])
  return { problems: [], figures: {} }
}

async function beaten(): Promise<never> {
  throw new Error('the scenario is broken')
}

process.exitCode = await runChaos(
  ['--only', 'broken', '--quick', '--json'],
  {
    print: (line) => void process.stdout.write(`${line}\n`),
    printError: (line) => void process.stderr.write(`${line}\n`),
    now: () => performance.now(),
  },
  new Map([[broken.name, broken]]),
)
