/**
 * What becomes of a cluster in partitions that are none: ways are cut one by one, in one direction or both, and change again and
 * again. Each strategy gets three to five nodes and a tangle of its own, one after the other. Two sides that live on at the same
 * time are a violation where the strategy promises that there are none, and counted where it does not; so are runs that nobody
 * survives. Nobody is started again.
 */
import type { ChosenDowningSettings } from '../../src/cluster/index.ts'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import {
  type SimulatedNode,
  type Simulation,
  type SimulationReport,
  startSimulatedNode,
} from '../../src/simulation/index.ts'
import { planTangles } from './tangled/tangles.ts'
import { TwoSides } from './tangled/two-sides.ts'

const TANGLED_MS = 45_000
/** So long nothing changes any more when all is decided. */
const STILL_MS = 5_000
/** Longer than a picture may keep changing before all are downed, and than anybody waits for a lease. */
const RECOVERY_MS = 75_000

/** Who hosts none has no say in what the store decides. */
const Visits = defineEntity('Visits', {
  state: () => ({ count: 0 }),
  commands: { add: (self) => ++self.state.count },
})

interface Tried {
  readonly downing: (nodes: number) => ChosenDowningSettings
  /** Two sides never live on at the same time, whatever the network does. */
  readonly promisesOneSide: boolean
  /** Somebody is left in the end. */
  readonly promisesSomebody?: true
}

const strategies: Readonly<Record<string, Tried>> = {
  'store-majority': {
    downing: () => ({ strategy: 'store-majority' }),
    promisesOneSide: true,
    promisesSomebody: true,
  },
  'lease-majority': {
    downing: () => ({ strategy: 'lease-majority' }),
    promisesOneSide: true,
  },
  'static-quorum': {
    downing: (nodes) => ({ strategy: 'static-quorum', quorumSize: Math.floor(nodes / 2) + 1 }),
    promisesOneSide: true,
  },
  'keep-majority': {
    downing: () => ({ strategy: 'keep-majority' }),
    promisesOneSide: false,
  },
  'keep-oldest': {
    downing: () => ({ strategy: 'keep-oldest' }),
    promisesOneSide: false,
  },
  'down-all': {
    downing: () => ({ strategy: 'down-all' }),
    promisesOneSide: true,
  },
}

/** What is counted, once for each run of a strategy at most. */
const fates = {
  two: 'two sides lived on at the same time',
  parted: 'two sides were left',
  none: 'nobody survived',
  some: 'some survived',
  all: 'all survived',
} as const

export const tangledPlaces: readonly string[] = Object.keys(strategies).flatMap((strategy) =>
  [fates.some, fates.all].map((fate) => placeOf(strategy, fate)),
)

export async function tangled(simulation: Simulation): Promise<void> {
  // The end of a process is not seen: only silence tells.
  simulation.setEndsProved(false)
  for (const strategy of Object.keys(strategies)) await play(simulation, strategy)
}

async function play(simulation: Simulation, strategy: string): Promise<void> {
  const random = simulation.random.fork(strategy)
  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, random.pick([3, 4, 5]))
  const { downing, promisesOneSide } = strategies[strategy] as Tried
  let wereTwo = false
  const sides = new TwoSides((one, other) => {
    if (!wereTwo) simulation.reached(placeOf(strategy, fates.two))
    wereTwo = true
    simulation.check(
      'at most one side goes on',
      !promisesOneSide,
      `${strategy}: ${one} and ${other} go on without each other`,
    )
  })
  await form(simulation, { strategy, names, downing: downing(names.length), sides })
  const tangle = planTangles(simulation, names, random)
  await simulation.run({ for: TANGLED_MS })
  tangle.end()
  await settled(simulation, sides)
  conclude(simulation, strategy, { names, sides })
  for (const name of names) if (simulation.isAlive(name)) simulation.crash(name)
}

interface Forming {
  readonly strategy: string
  readonly names: readonly string[]
  readonly downing: ChosenDowningSettings
  readonly sides: TwoSides
}

async function form(
  simulation: Simulation,
  { strategy, names, downing, sides }: Forming,
): Promise<void> {
  const started = names.map((name) =>
    startSimulatedNode(simulation, name, {
      ...{ name: strategy, seeds: names.map((each) => `${each}:2552`), machine: `of-${name}` },
      entities: [Visits],
      settings: { cluster: { downing } },
      beforeJoin: (node: SherdNode, life: SimulatedNode) => sides.attach(node, life),
    }),
  )
  const nodes = await simulation.settle(Promise.all(started))
  const isWhole = (): boolean =>
    nodes.every(({ cluster }) => {
      const { members } = cluster.state
      return members.length === names.length && members.every(({ status }) => status === 'Up')
    })
  await simulation.runUntil(isWhole, { what: `${names.join()} are one cluster` })
}

/** The ways are open: whoever is to go has gone, and the others see each other. */
async function settled(simulation: Simulation, sides: TwoSides): Promise<void> {
  const endMs = simulation.now + RECOVERY_MS
  for (let sinceMs = simulation.now; simulation.now < endMs;) {
    await simulation.run({ for: '1s' })
    if (!sides.areSettled) sinceMs = simulation.now
    if (simulation.now - sinceMs >= STILL_MS) return
  }
}

function conclude(
  simulation: Simulation,
  strategy: string,
  { names, sides }: Pick<Forming, 'names' | 'sides'>,
): void {
  const { promisesSomebody = false } = strategies[strategy] as Tried
  const left = sides.goingOn
  const views = new Set(left.map(({ node }) => membersOf(node)))
  if (views.size > 1) simulation.reached(placeOf(strategy, fates.parted))
  const fate = left.length === 0 ? fates.none : left.length < names.length ? fates.some : fates.all
  simulation.reached(placeOf(strategy, fate))
  if (!promisesSomebody) return
  simulation.check('somebody survives where the store decides', left.length > 0, sides.state)
}

function membersOf({ cluster }: SherdNode): string {
  return cluster.state.members
    .map(({ node }) => node)
    .sort()
    .join()
}

function placeOf(strategy: string, fate: string): string {
  return `${strategy}: ${fate}`
}

/** The rates, strategy by strategy, in the form of a table of Markdown. */
export function tangledTable({ seeds, places }: SimulationReport): string[] {
  const share = (strategy: string, fate: string): string => {
    const count = places[placeOf(strategy, fate)]?.seeds ?? 0
    return `${count} (${((100 * count) / seeds).toFixed(1)} %)`
  }
  const told = [fates.two, fates.none, fates.some, fates.all]
  return [
    `| strategy | runs | ${told.join(' | ')} |`,
    `|${'---|'.repeat(told.length + 2)}`,
    ...Object.keys(strategies).map((strategy) => {
      const cells = told.map((fate) => share(strategy, fate))
      return `| \`${strategy}\` | ${seeds} | ${cells.join(' | ')} |`
    }),
  ]
}
