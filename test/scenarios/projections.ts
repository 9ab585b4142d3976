/**
 * A projection over three to five nodes that come, go, crash, sleep and are cut off from each other, on a store that fails,
 * while events are stored: every one is handled at least once and in the order of its entity, no range has two workers,
 * and what is stored as handled was. At the end all is well again, and the view is complete.
 */
import { defineEntity } from '../../src/entity/index.ts'
import { defineProjection } from '../../src/projection/index.ts'
import { ClusterChecks, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { ProjectedView } from './projections/projected-view.ts'
import { ProjectingNodes } from './projections/projecting-nodes.ts'
import { setClock, slowDown } from './hardships.ts'
import { planFaults } from './planned-faults.ts'
import { spineSettings } from './spine/spine-settings.ts'

const CHAOS_MS = 10_000
const OFFSET_LOOK_MS = 400
const RANGES = 4
const ids = ['l0', 'l1', 'l2', 'l3', 'l4', 'l5']

export const projectionPlaces = [
  'an event is handled again',
  'an offset is stored',
  'a handler fails',
  'an event is handled in its batch',
]

const List = defineEntity('List', {
  state: () => ({ count: 0 }),
  events: { Added: (state, _note: string) => ({ count: state.count + 1 }) },
  commands: { add: (self, note: string) => self.persist('Added', note).count },
})

export async function projections(simulation: Simulation): Promise<void> {
  const checks = new ClusterChecks(simulation)
  const view = new ProjectedView(simulation, {
    ...{ projection: 'view', entityType: List.name, ranges: RANGES },
  })
  const swarm = simulation.random.fork('swarm')
  const settings = spineSettings(swarm)
  const projectionOf = maker(simulation, view, swarm)
  const nodes = new ProjectingNodes({
    ...{ simulation, checks },
    optionsOf: (life) => ({
      ...{ name: 'projecting', entities: [List], settings, projections: [projectionOf(life)] },
    }),
  })
  const isWhole = { within: '90s', what: 'the cluster is whole' } as const
  await simulation.runUntil(() => nodes.isWhole, isWhole)
  let isOver = false
  load(simulation, nodes, () => isOver)
  lookAtOffsets(simulation, view, () => isOver)
  const faults = planTrouble(simulation, nodes, swarm)
  await simulation.run({ for: CHAOS_MS })
  isOver = true
  faults.end()
  simulation.network.heal()
  simulation.store.setFaults({})
  await simulation.runUntil(() => nodes.isWhole, isWhole)
  await everythingIsHandled(simulation, view)
  await view.checkOffsets()
}

/** Handlers take their time, and fail, by seed; some projections work in batches. */
function maker(simulation: Simulation, view: ProjectedView, swarm: SeededRandom) {
  const failChance = swarm.pick([0, 0.1, 0.3])
  const slowMaxMs = swarm.pick([0, 50, 400])
  const isBatched = swarm.chance(0.3)
  const settings = {
    ...{ pollIntervalMs: swarm.pick([50, 300]), keepAliveIntervalMs: swarm.pick([300, 1_000]) },
    ...{ pageEventsMax: swarm.pick([1, 3, 100]), storeAfterEvents: swarm.pick([1, 4, 50]) },
    ...{ storeAfterMs: swarm.pick([100, 1_000]), batchEventsMax: swarm.pick([2, 20]) },
    ...{ backOffMinMs: 20, backOffMaxMs: 300, batchAfterMs: 50 },
  }
  return (life: string) => {
    const random = simulation.random.fork(`handlers ${life}`)
    const common = { name: 'view', from: List, ranges: RANGES, settings } as const
    const mayFail = async (): Promise<void> => {
      if (slowMaxMs > 0) {
        await new Promise((resolve) => setTimeout(resolve, random.below(slowMaxMs)))
      }
      if (!random.chance(failChance)) return
      simulation.reached('a handler fails')
      throw new Error('the view cannot be written now')
    }
    if (isBatched) {
      return defineProjection({
        ...common,
        handleMany: async (events) => {
          await mayFail()
          for (const { id, sequenceNr } of events) view.handled(id, sequenceNr, life)
          if (events.length > 1) simulation.reached('an event is handled in its batch')
        },
      })
    }
    return defineProjection({
      ...common,
      handle: async ({ id, sequenceNr }) => {
        await mayFail()
        view.handled(id, sequenceNr, life)
      },
    })
  }
}

function load(simulation: Simulation, nodes: ProjectingNodes, isOver: () => boolean): void {
  const random = simulation.random.fork('load')
  const goOn = (): void => {
    if (isOver()) return
    const { up } = nodes
    if (up.length > 0) {
      const node = random.pick(up)
      // What does not come to an end is of no interest here: what is stored is.
      node
        .entity(List, random.pick(ids))
        .add('note')
        .catch(() => undefined)
    }
    simulation.after(20 + random.below(200), goOn)
  }
  goOn()
}

function lookAtOffsets(simulation: Simulation, view: ProjectedView, isOver: () => boolean): void {
  if (isOver()) return
  void view.checkOffsets()
  simulation.after(OFFSET_LOOK_MS, () => lookAtOffsets(simulation, view, isOver))
}

type Fault = (random: SeededRandom) => void

/** Nodes that come, go, crash, sleep and get little CPU, wall clocks that jump, cuts, and a store that fails, by seed. */
export function planTrouble(
  simulation: Simulation,
  nodes: ProjectingNodes,
  swarm: SeededRandom,
): { end(): void } {
  const kinds = faultsOf(simulation, nodes).filter(() => swarm.chance(0.6))
  const times = { leastMs: 500, moreMs: 2_500 }
  return planFaults(simulation, { kinds, times }, (fault, random) => fault(random))
}

function faultsOf(simulation: Simulation, nodes: ProjectingNodes): readonly Fault[] {
  const { store, network } = simulation
  const newNames = ['d', 'e']
  const living = (random: SeededRandom, fault: (name: string) => void): void => {
    const name = random.pick(nodes.names)
    if (simulation.isAlive(name)) fault(name)
  }
  return [
    (random) => nodes.crash(random.pick(nodes.names), 'process'),
    (random) => nodes.crash(random.pick(nodes.names), 'host'),
    (random) => {
      const name = random.pick(nodes.names)
      simulation.fault(`${name} leaves`)
      nodes.leave(name)
    },
    () => {
      const name = newNames.shift()
      if (name === undefined) return
      simulation.fault(`${name} joins`)
      nodes.add(name)
    },
    (random) => living(random, (name) => simulation.pause(name, 50 + random.below(6_000))),
    (random) =>
      living(random, (name) =>
        slowDown(simulation, random, name, { leastMs: 500, spreadMs: 4_000 }),
      ),
    (random) => living(random, (name) => setClock(simulation, random, name)),
    (random) => {
      const side = nodes.names.filter(() => random.chance(0.5))
      const other = nodes.names.filter((name) => !side.includes(name))
      if (side.length === 0 || other.length === 0) return
      network.partition(side, other)
      simulation.after(500 + random.below(5_000), () => network.heal())
    },
    (random) => {
      simulation.fault('a store that fails')
      store.setFaults({ latencyMeanMs: 5, failsBefore: 0.2, failsUnknown: 0.05 })
      simulation.after(200 + random.below(1_000), () => store.setFaults({}))
    },
  ]
}

async function everythingIsHandled(simulation: Simulation, view: ProjectedView): Promise<void> {
  let isComplete = false
  const look = (): void => {
    void view.isComplete().then((answer) => (isComplete = answer))
    if (!isComplete) simulation.after(200, look)
  }
  look()
  await simulation.runUntil(() => isComplete, { within: '60s', what: 'the view is complete' })
}
