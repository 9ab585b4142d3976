/**
 * The same nodes in one process under one seed: time is virtual, whose turn it is and all chance are drawn from the
 * seed, and a run that went wrong can be met again. For our own rooms and for users' actors alike.
 *
 *   await simulate('every deposit is counted', {
 *     seeds: 500,
 *     scenario: async (simulation) => {
 *       const bank = simulation.node('a').system.spawn(bankBehavior, 'bank')
 *       simulation.after('2s', () => simulation.crash('b'))
 *       await simulation.run({ for: '1m' })
 *       simulation.check('nothing is lost', …)
 *     },
 *   })
 *
 * Whole nodes, with the user's own entities, on a simulated network and a simulated store:
 *
 *   const checks = new ClusterChecks(simulation)
 *   const start = (name: string) => startSimulatedNode(simulation, name, {
 *     entities: [Cart], seeds: ['a:2552', 'b:2552', 'c:2552'],
 *     beforeJoin: (node, life) => checks.attach(node, life),
 *   })
 *   const [a, b] = await simulation.settle(Promise.all(['a', 'b', 'c'].map(start)))
 *   simulation.network.partition(['a'], ['b', 'c'])         // cut, stall, reset, latency, heal
 *   simulation.pause('b', '10s')                            // SIGSTOP; crash('b', 'host') is a power cut
 *   simulation.store.setFaults({ failsUnknown: 0.05 })
 *   await simulation.settle(b.entity(Cart, 'ann').add('tea'))
 *
 * Reading order: `simulation.ts` (what a scenario can do), `simulate.ts` (many seeds), `start-simulated-node.ts` (whole
 * nodes), `world.ts` (what a step is), `stepper.ts`, `incarnation.ts` (what a node can do, and how it loses it),
 * `network/` (`simulated-network.ts`, `byte-stream.ts`), `storage/`, `checkers/` (`cluster-checks.ts`),
 * `story/story.ts` (what the entities did, for people), `causal-slice.ts`, `seeded-dispatcher.ts`, `agenda.ts`,
 * `seeded-random.ts`, `trace.ts`; the adapters `microtasks.ts`, `virtual-globals.ts`, `escapes.ts`.
 *
 * Promises: the same seed and the same code give the same hash, on every machine with the same version of Node; user
 * code sees virtual time and seeded chance through the usual globals; reaching for the real world is refused with the
 * call site; a crashed node does nothing any more. Limits: real I/O cannot be awaited, and a promise that an actor
 * awaits must be settled by a step, not from outside.
 */
export { ClusterChecks, type ClusterChecksOptions } from './checkers/cluster-checks.ts'
export type { CallsEnd, FollowedCall } from './checkers/calls-end.ts'
export type { FaultKind, Findings, Trouble, WatchedLife } from './checkers/findings.ts'
export type { NoSilentLoss } from './checkers/no-silent-loss.ts'
export type { NothingAcknowledgedIsLost } from './checkers/nothing-acknowledged-is-lost.ts'
export type { SenderOrder } from './checkers/sender-order.ts'
export type { PlannedFault } from './fault-plan.ts'
export { type SimulatedNodeOptions, startSimulatedNode } from './start-simulated-node.ts'
export type { SeededRandom } from './seeded-random.ts'
export type { TerminationSignal } from './simulated-process.ts'
export {
  type Excuses,
  type Places,
  type Scenario,
  type SeedResult,
  type SimulateOptions,
  type SimulationReport,
  simulate,
  simulateSeeds,
} from './simulate.ts'
export type { LifeOptions, SimulatedNode } from './simulated-node.ts'
export { type RunUntilOptions, Simulation, type SimulationOptions } from './simulation.ts'
export {
  GoalNotReached,
  SimulationEscape,
  SimulationFailed,
  SimulationMisuse,
  StepLimitReached,
  type Violation,
} from './simulation-errors.ts'
export type { Latency } from './network/links.ts'
export type { NetworkSettings } from './network/network-ground.ts'
export type { SimulatedNetwork } from './network/simulated-network.ts'
export type { SimulatedStore } from './storage/simulated-store.ts'
export type { AcceptedAppend } from './storage/store-checks.ts'
export type { StoreFaults } from './storage/store-faults.ts'
export type { TraceEvent } from './trace.ts'
