/**
 * The whole spine: three to five nodes with durable lists and inboxes, load from every node, and faults by seed. First
 * chaos, in which only safety is checked; then all faults end, and everything must come right within a bounded time.
 */
import { persistenceIdOf } from '../../src/persistence/index.ts'
import {
  ClusterChecks,
  GoalNotReached,
  type Simulation,
  type WatchedLife,
} from '../../src/simulation/index.ts'
import { SpineCluster } from './spine/spine-cluster.ts'
import { inboxes, inboxKey, type ListEntity, listEntity, notesIn } from './spine/spine-entities.ts'
import { SpineFaults } from './spine/spine-faults.ts'
import { SpineLoad } from './spine/spine-load.ts'
import { spineSettings } from './spine/spine-settings.ts'

const CHAOS_MS = 15_000

export async function spine(simulation: Simulation): Promise<void> {
  let excuseForTwo = (): string | undefined => undefined
  const checks = new ClusterChecks(simulation, {
    idsIn: notesIn,
    store: simulation.store,
    excuseForTwo: () => excuseForTwo(),
  })
  const list = listEntity(simulation, checks)
  const load = new SpineLoad({ simulation, checks, list, pauseMs: 150 })
  const swarm = simulation.random.fork('settings')
  const cluster = new SpineCluster(
    {
      ...{ simulation, checks, list },
      settings: spineSettings(swarm),
      inbox: inboxes(simulation, checks, swarm.pick([0, 100, 500])),
      onUp: (running) => load.begin(running),
    },
    ['a', 'b', 'c'],
  )
  await simulation.runUntil(() => cluster.isWhole, { within: '20s', what: 'the cluster forms' })

  const faults = new SpineFaults(simulation, checks, cluster)
  excuseForTwo = () => faults.excuseForTwo
  await simulation.run({ for: CHAOS_MS })
  faults.end()

  const within = '90s'
  await simulation.runUntil(() => cluster.isWhole, { within, what: 'the cluster is whole again' })
  await everyEntityAnswers(simulation, checks, cluster, list)
  load.end()
  // Calls under way end, and idle entities are stopped: what is read then comes from the journal.
  await simulation.run({ for: '4s' })
  await conclude(simulation, checks, cluster, list)
}

/** An entity that has not answered. */
interface Silence {
  readonly life: WatchedLife
  readonly why: () => string
}

/** From every node, each entity: the lists answer, and the inboxes take what is sent again and again. */
async function everyEntityAnswers(
  simulation: Simulation,
  checks: ClusterChecks,
  cluster: SpineCluster,
  list: ListEntity,
): Promise<void> {
  const open = new Map<string, Silence>()
  for (const running of cluster.up) {
    const { life, node } = running
    const after = (callback: () => void): void => void life.environment.timers.after(300, callback)
    for (const id of SpineLoad.lists) {
      const name = `${id} from ${life.label}`
      open.set(name, { life, why: () => 'no answer yet' })
      const ask = (): void =>
        void node
          .entity(list, id)
          .all()
          .then(
            () => open.delete(name),
            (error: unknown) => {
              open.set(name, { life, why: () => String(error) })
              after(ask)
            },
          )
      ask()
    }
    for (const id of SpineLoad.inboxes) {
      const name = `${id} from ${life.label}`
      open.set(name, {
        life,
        why: () => JSON.stringify(node.sharding.regionState('Inbox')),
      })
      let sent = 0
      const send = (): void => {
        const probes = Array.from({ length: sent }, (_, n) => `probe ${name}, ${n + 1}`)
        if (probes.some((probe) => checks.losses.isDelivered(probe))) return void open.delete(name)
        const note = `probe ${name}, ${++sent}`
        checks.losses.sent(note, life.label, `Inbox/${id}`)
        const sender = `probe of ${life.label}`
        node.sharding.entityRefFor(inboxKey, id).tell({ note, sender, number: sent })
        after(send)
      }
      send()
    }
  }
  // A node that was about to leave when the faults ended has a next life, which is no worse than its first.
  const isDone = (): boolean => [...open.values()].every(({ life }) => !life.isAlive)
  try {
    await simulation.runUntil(isDone, { within: '30s' })
  } catch (error) {
    if (!(error instanceof GoalNotReached)) throw error
    const silent = [...open].map(([name, { why }]) => `${name}: ${why()}`).join('; ')
    simulation.check('every entity answers after the faults have ended', false, silent)
  }
}

async function conclude(
  simulation: Simulation,
  checks: ClusterChecks,
  cluster: SpineCluster,
  list: ListEntity,
): Promise<void> {
  const [{ node }] = cluster.up as [SpineCluster['up'][number]]
  for (const id of SpineLoad.lists) {
    const ids = await simulation.settle(node.entity(list, id).all())
    checks.ledger.conclude(id, ids)
    const stored = simulation.store.events(persistenceIdOf('List', id)).length
    simulation.check(
      'replay equals the journal',
      stored === ids.length,
      `${id} has ${ids.length} ids, and ${stored} events are stored`,
    )
  }
  checks.losses.conclude()
  simulation.record(`${checks.ledger.acknowledgedCount} acknowledged`)
}
