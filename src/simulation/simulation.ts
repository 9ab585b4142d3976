/** Several nodes in one process under one seed: the same seed and the same code do the same things at the same times. */
import { type Duration, formatMs, toMs } from '../foundation/duration.ts'
import { show } from '../foundation/show.ts'
import type { Trouble } from './checkers/findings.ts'
import { FaultPlan, type PlannedFault } from './fault-plan.ts'
import type { Incarnation } from './incarnation.ts'
import { type DrainMode, bestDrainMode } from './microtasks.ts'
import { type Goal, type RunEnd, Stepper } from './stepper.ts'
import { SimulatedNetwork } from './network/simulated-network.ts'
import type { SeededRandom } from './seeded-random.ts'
import {
  type LivingNode,
  type LifeOptions,
  type SimulatedNode,
  bootNode,
} from './simulated-node.ts'
import type { TerminationSignal } from './simulated-process.ts'
import {
  GoalNotReached,
  SimulationMisuse,
  type Violation,
  assertCount,
} from './simulation-errors.ts'
import type { TraceEvent } from './trace.ts'
import { SimulatedStore } from './storage/simulated-store.ts'
import { World } from './world.ts'

/** The seed, and the limits of one run. */
export interface SimulationOptions {
  /** Decides everything that chance decides. A whole number. */
  readonly seed: number
  /** Steps one run may take; 10 million when not given. Fewer find an endless loop sooner. */
  readonly stepsMax?: number
  /**
   * Steps that may be taken while no time passes; 200,000 when not given. One more is a violation that names what runs:
   * somebody goes on and on, and the run would never end.
   */
  readonly stepsPerInstantMax?: number
  /** Events kept for error messages and `lastEvents`; 1,000 when not given. */
  readonly keptEventsMax?: number
  /** The numbers of the planned faults that this run carries out; all when not given. See `plan`. */
  readonly only?: Iterable<number>
  /** Adds the last events, turn by turn, to errors that tell the story of entities; false when not given. */
  readonly trace?: boolean
  /** @internal How promise reactions are run: `drain` where the platform can, `hop` (slower) everywhere. */
  readonly drainMode?: DrainMode
}

/** Several nodes in one process under one seed, moved by `run`, `runUntil`, `runUntilIdle` and `settle` alone. */
export class Simulation {
  readonly seed: number
  /** Chance for the scenario itself. */
  readonly random: SeededRandom
  /** What lies between the nodes, and the faults it can have. */
  readonly network: SimulatedNetwork
  /** Where the nodes keep their events, and the faults it can have. */
  readonly store: SimulatedStore
  readonly #world: World
  readonly #stepper: Stepper
  readonly #stepsMax: number
  readonly #stepsPerInstantMax: number
  readonly #drainMode: DrainMode
  readonly #plan: FaultPlan
  readonly #nodes = new Map<string, LivingNode>()
  readonly #excuses = new Map<string, number>()
  readonly #invariants = new Map<string, () => boolean>()
  #isDisposed = false
  #isHostCrash = false

  constructor(options: SimulationOptions)
  /** @internal For those who make many simulations. */
  constructor(options: SimulationOptions, stepper: Stepper)
  constructor(options: SimulationOptions, stepper = new Stepper()) {
    const { seed, stepsMax = 10_000_000, stepsPerInstantMax = 200_000 } = options
    const { keptEventsMax = 1_000, trace = false } = options
    if (!Number.isSafeInteger(seed)) {
      throw new SimulationMisuse(`A seed is a whole number, not ${show(seed)}.`)
    }
    assertCount('stepsMax', stepsMax)
    assertCount('stepsPerInstantMax', stepsPerInstantMax)
    assertCount('keptEventsMax', keptEventsMax)
    this.seed = seed
    this.#stepsMax = stepsMax
    this.#stepsPerInstantMax = stepsPerInstantMax
    this.#drainMode = options.drainMode ?? bestDrainMode
    this.#world = new World(seed, keptEventsMax, stepper.whereabouts, trace)
    this.#stepper = stepper
    this.network = new SimulatedNetwork(this.#world)
    this.store = new SimulatedStore(this.#world)
    this.#world.onEnd = (life) => this.network.ended(life, this.#isHostCrash)
    this.random = this.#world.random('scenario')
    this.#plan = new FaultPlan(seed, options.only)
    this.#world.onFault = (description) => this.#plan.note(description)
  }

  /** Whether nodes can see that the process of another has ended, as on one host. Otherwise nobody can tell it from silence. */
  setEndsProved(areProved: boolean): void {
    this.#world.endsAreProved = areProved
  }

  // ---- nodes

  /** The node of that name: the one that lives or, when there is none, a new life of it. */
  node(name: string, options: LifeOptions = {}): SimulatedNode {
    this.#assertUsable()
    const living = this.#nodes.get(name)
    if (living?.life.isAlive === true) return living.node
    const started = bootNode(
      { world: this.#world, network: this.network, store: this.store },
      name,
      options,
    )
    this.#nodes.set(name, started)
    return started.node
  }

  /**
   * Ends the node without goodbye: nothing of it runs any more. `node` with the same name starts it again. When only the
   * process dies (the default), its machine closes the connections; when the machine does, nobody hears of it.
   */
  crash(name: string, of: 'process' | 'host' = 'process'): void {
    const life = this.#life(name)
    const how = of === 'host' ? ' with its machine' : ''
    this.#world.fault(`crash of ${name}${how}`, { kind: 'crash', nodes: [name] })
    this.#isHostCrash = of === 'host'
    // Who could see it runs on that machine, too.
    this.#world.end(life, 'crash', of === 'process')
    this.#isHostCrash = false
  }

  /**
   * Stops the node's process for so long, as SIGSTOP does: no step of it runs, its clocks go on, its machine still takes
   * bytes. Afterwards overdue timers and waiting bytes come in any order.
   */
  pause(name: string, duration: Duration): void {
    const durationMs = toMs(duration, 'pause')
    const life = this.#life(name)
    const place = { kind: 'pause', nodes: [name], forMs: durationMs } as const
    this.#world.fault(`pause of ${name} for ${formatMs(durationMs)}`, place)
    this.#world.pause(life, durationMs)
  }

  /**
   * Lets every step of the node take time for so long, `stepMeanMs` on average, as on a machine whose CPU others have: what
   * comes meanwhile waits, so that timers are late and messages pile up.
   */
  slow(name: string, options: { readonly stepMeanMs: number; readonly for: Duration }): void {
    const { stepMeanMs } = options
    const durationMs = toMs(options.for, 'slow')
    const life = this.#life(name)
    const place = { kind: 'pause', nodes: [name], forMs: durationMs } as const
    const inWords = `${formatMs(stepMeanMs)} for each step of ${name}, for ${formatMs(durationMs)}`
    this.#world.fault(inWords, place)
    this.#world.slow(life, stepMeanMs, durationMs)
  }

  /** Whether a node of that name lives. */
  isAlive(name: string): boolean {
    return this.#nodes.get(name)?.life.isAlive === true
  }

  isPaused(name: string): boolean {
    const life = this.#nodes.get(name)?.life
    return life?.isAlive === true && life.pausedUntilUs > this.#world.clock.nowUs
  }

  /** Sends a signal to the node's process, as an operator would. A second one ends it at once. */
  signal(name: string, signal: TerminationSignal): void {
    const life = this.#life(name)
    this.#world.story.note(`is told to stop (${signal})`, life.label)
    life.appoint(0, signal, () => life.process.deliver(signal))
  }

  /** Lets the node's wall clock jump. */
  stepWallClock(name: string, byMs: number): void {
    this.fault(`wall clock of ${name} jumps by ${byMs} ms`)
    this.#life(name).clock.stepWall(byMs)
  }

  // ---- running

  /** Lets that much virtual time pass. Rejects as soon as an invariant is broken. */
  async run(options: { readonly for: Duration }): Promise<void> {
    await this.#run({ untilUs: this.#world.clock.deadlineUs(toMs(options.for, 'for')) })
  }

  /** Runs until the condition holds; asks it after every step. */
  async runUntil(condition: () => boolean, options: RunUntilOptions = {}): Promise<void> {
    const withinMs = toMs(options.within ?? '1m', 'within')
    const untilUs = this.#world.clock.deadlineUs(withinMs)
    const outcome = await this.#run({ untilUs, isReached: condition })
    if (outcome === 'reached') return
    const why =
      outcome === 'idle'
        ? `nothing is left to happen at ${formatMs(this.now)}`
        : `${formatMs(withinMs)} have passed`
    const goal = options.what ?? clipped(String(condition))
    throw new GoalNotReached(this.#world.scene(goal), goal, why)
  }

  /** Runs until no task is ready and no timer waits. Unref'd timers do not count. */
  async runUntilIdle(options: { readonly within?: Duration } = {}): Promise<void> {
    const withinMs = toMs(options.within ?? '1h', 'within')
    const untilUs = this.#world.clock.deadlineUs(withinMs)
    const outcome = await this.#run({ untilUs, endsWhenIdle: true })
    if (outcome === 'idle') return
    const toCome = this.#world.toCome().slice(0, 5).join(', ') || 'tasks that are ready'
    const why = `${formatMs(withinMs)} have passed and still to come are: ${toCome}`
    throw new GoalNotReached(this.#world.scene(''), 'the simulation is idle', why)
  }

  /** Runs until the promise settles, and answers what it came to. */
  async settle<Value>(promise: Promise<Value>, options: RunUntilOptions = {}): Promise<Value> {
    let isSettled = false
    const settled = (): void => void (isSettled = true)
    promise.then(settled, settled)
    await this.runUntil(() => isSettled, { what: 'the promise settles', ...options })
    return promise
  }

  /** Does something later, as a step of its own: a fault, a request, a check. */
  after(delay: Duration, script: () => void): void {
    this.#world.stage.after(toMs(delay, 'after'), 'script', script)
  }

  // ---- findings

  /** Says that this must be true now. Anything else is a violation, and ends the run in progress. */
  check(name: string, holds: boolean, detail = ''): void {
    if (!holds) this.#world.violate(name, detail)
  }

  /** Says that this must be true after every step from now on. */
  always(name: string, holds: () => boolean): void {
    this.#invariants.set(name, holds)
  }

  /**
   * Carries out a fault as the next one of the plan of this run, unless that leaves it out (`only`). Draw when it comes, and
   * of which kind it is, apart from the chance that it is given: then any of them can be left out, and a run that fails
   * can be made smaller. `name` is for faults that say nothing of themselves, as the settings of a store do.
   */
  plan(name: string, fault: (random: SeededRandom) => void): void {
    this.#plan.carryOut(this.now, name, fault)
  }

  /** The faults of the plan that were carried out. */
  get plannedFaults(): readonly PlannedFault[] {
    return this.#plan.carriedOut
  }

  /** Counts a fault that the scenario injects, and notes it in the trace. */
  fault(description: string): void {
    this.#world.fault(description)
  }

  /** Notes something of the scenario's own in the trace: it becomes part of the hash. */
  record(text: string): void {
    this.#world.note(this.#world.current, 'record', text)
  }

  /** Counts a deviation that a rule permits because of an injected fault. Printed with the result. */
  excuse(name: string): void {
    const count = this.#excuses.get(name) ?? 0
    this.#excuses.set(name, count + 1)
    if (count === 0) this.#world.note(this.#world.current, 'excuse', name)
  }

  /** How often each excuse was used. */
  get excuses(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#excuses)
  }

  /**
   * Counts that the run came to a place that is worth testing. Printed with the result: a place that is not reached under
   * many seeds is one that the scenario does not test.
   */
  reached(name: string): void {
    this.#world.reach(name)
  }

  /** How often each place was reached. */
  get places(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#world.reached)
  }

  get violations(): readonly Violation[] {
    return this.#world.violations
  }

  get faults(): number {
    return this.#world.faults
  }

  /** What has gone wrong so far, oldest first: where, and from when to when. */
  get troubles(): readonly Trouble[] {
    return this.#world.troubles.all
  }

  // ---- the story so far

  /** Whether a run has been asked for and has not come to its end. */
  get isRunning(): boolean {
    return this.#world.activity !== 'resting'
  }

  /** The life whose code runs, such as `a#2`; `*` for the scenario itself. */
  get here(): string {
    return this.#world.current.label
  }

  /** Virtual milliseconds since the simulation began. */
  get now(): number {
    return this.#world.clock.nowMs
  }

  /** Events so far: turns, timers, log lines, lost messages, records, faults. */
  get events(): number {
    return this.#world.trace.count
  }

  /** Everything that happened so far in one number: equal for runs that did the same. */
  get hash(): string {
    return this.#world.trace.hash
  }

  /** The hash after every 10,000 events, to find where two runs part. */
  get checkpoints(): readonly string[] {
    return this.#world.trace.checkpoints
  }

  lastEvents(count = 20): TraceEvent[] {
    return this.#world.trace.last(count)
  }

  /**
   * What these entities did, such as `Account/alice`, and what befell them, in lines, oldest first: commands, events, answers,
   * starts, moves and faults. The latest of all entities when none is named. Violations and errors have it already.
   */
  story(...entities: readonly string[]): readonly string[] {
    return this.#world.story.lines(entities)
  }

  /** @internal The story of the entities that this text speaks of. */
  storyAbout(text: string): readonly string[] {
    return this.#world.story.about(text)
  }

  /** Calls by code of crashed nodes that did not know; they did nothing. */
  get strayCalls(): number {
    return this.#world.strayCalls
  }

  /** Ends every node. Nothing of them runs any more. */
  [Symbol.dispose](): void {
    this.#isDisposed = true
    for (const { life } of this.#nodes.values()) this.#world.end(life, 'disposed')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]()
  }

  async #run(goal: Goal): Promise<RunEnd> {
    this.#assertUsable()
    const invariants = this.#invariants
    return this.#stepper.run(this.#world, goal, {
      stepsMax: this.#stepsMax,
      stepsPerInstantMax: this.#stepsPerInstantMax,
      drainMode: this.#drainMode,
      invariants,
    })
  }

  #life(name: string): Incarnation {
    const found = this.#nodes.get(name)
    if (found?.life.isAlive === true) return found.life
    const state = found === undefined ? 'was never started' : 'has ended'
    throw new SimulationMisuse(`Node ${show(name)} ${state}; simulation.node starts it.`)
  }

  #assertUsable(): void {
    if (this.#isDisposed) throw new SimulationMisuse('The simulation has been disposed of.')
  }
}

/** How long to wait, and for what. */
export interface RunUntilOptions {
  /** Virtual time to wait for at most; one minute when not given. */
  readonly within?: Duration
  /** What is waited for, in words for the error message. */
  readonly what?: string
}

function clipped(source: string): string {
  const line = source.replace(/\s+/g, ' ')
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}
