/** How a run of the spine ends: every entity answers from everywhere, and what is stored is what was promised. */
import type { Duration } from '../../../src/foundation/duration.ts'
import { persistenceIdOf } from '../../../src/persistence/index.ts'
import {
  type ClusterChecks,
  GoalNotReached,
  type Simulation,
  type WatchedLife,
} from '../../../src/simulation/index.ts'
import type { Running, SpineCluster } from './spine-cluster.ts'
import { keyOf, type ListEntity } from './spine-entities.ts'
import type { SpineLoad } from './spine-load.ts'

export interface SpineParts {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly cluster: SpineCluster
  readonly list: ListEntity
  readonly load: SpineLoad
}

/** What is looked at in the end; by whom it was asked does not matter. */
type EndingParts = Omit<SpineParts, 'load'> & {
  readonly load: Pick<SpineLoad, 'lists' | 'resting' | 'inboxes' | 'diaries'>
}

/** An entity that has not answered. */
interface Silence {
  readonly life: WatchedLife
  readonly why: () => string
}

const AGAIN_MS = 300

export interface AnswerOptions {
  readonly within?: Duration
  /** Tells several times apart. */
  readonly when?: string
}

/** From every node, each entity: the lists answer, and the inboxes take what is sent again and again. */
export async function everyEntityAnswers(
  parts: EndingParts,
  { within = '60s', when = '' }: AnswerOptions = {},
): Promise<void> {
  const { simulation, cluster, load } = parts
  const open = new Map<string, Silence>()
  for (const running of cluster.up) {
    for (const id of load.lists) askList(parts, running, id, open)
    for (const id of [...load.inboxes, ...load.diaries]) sendToInbox(parts, running, id, open, when)
  }
  // A node that was about to leave when the faults ended has a next life, which is no worse than its first.
  const isDone = (): boolean => {
    for (const { life } of open.values()) if (life.isAlive) return false
    return true
  }
  try {
    await simulation.runUntil(isDone, { within })
  } catch (error) {
    if (!(error instanceof GoalNotReached)) throw error
    const silent = [...open].map(([name, { why }]) => `${name}: ${why()}`).join('; ')
    simulation.check('every entity answers after the faults have ended', false, silent)
  }
}

function askList(
  { list }: EndingParts,
  { life, node }: Running,
  id: string,
  open: Map<string, Silence>,
): void {
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
          life.environment.timers.after(AGAIN_MS, ask)
        },
      )
  ask()
}

function sendToInbox(
  { checks }: EndingParts,
  { life, node }: Running,
  id: string,
  open: Map<string, Silence>,
  when: string,
): void {
  const name = `${id} from ${life.label}`
  const key = keyOf(id)
  open.set(name, { life, why: () => JSON.stringify(node.sharding.regionState(key.name)) })
  const probes: string[] = []
  const send = (): void => {
    if (probes.some((probe) => checks.losses.isDelivered(probe))) return void open.delete(name)
    const note = `probe ${name}${when}, ${probes.length + 1}`
    probes.push(note)
    checks.losses.sent(note, life.label, `${key.name}/${id}`)
    const sender = `probe of ${life.label}${when}`
    node.sharding.entityRefFor(key, id).tell({ note, sender, number: probes.length })
    life.environment.timers.after(AGAIN_MS, send)
  }
  send()
}

/** A write that the store took long before the faults ended may still be stalled, and messages wait behind it. */
export async function whenSettled({ simulation, checks }: EndingParts): Promise<void> {
  try {
    await simulation.runUntil(() => checks.losses.isSettled, { within: '30s' })
  } catch (error) {
    // What is missing then is told one by one.
    if (!(error instanceof GoalNotReached)) throw error
  }
}

const READS_MAX = 20

/**
 * What the list answers and what is stored of it: read again while commands that came late are still carried out behind it, and
 * when a claim that its store took long before the faults ended takes the stream away once more.
 */
async function lastOf(
  { simulation, checks }: EndingParts,
  id: string,
  read: () => Promise<readonly string[]>,
): Promise<{ readonly ids: readonly string[]; readonly stored: number }> {
  for (let reads = 1; ; reads++) {
    const { acknowledgedCount } = checks.ledger
    const [answer] = await simulation.settle(Promise.allSettled([read()]))
    if (answer.status === 'rejected') {
      if (reads === READS_MAX) throw answer.reason
      await simulation.run({ for: AGAIN_MS })
      continue
    }
    const ids = answer.value
    const stored = simulation.store.events(persistenceIdOf('List', id)).length
    const isLast = acknowledgedCount === checks.ledger.acknowledgedCount && stored === ids.length
    if (isLast || reads === READS_MAX) return { ids, stored }
  }
}

/** When nothing is under way any more. */
export async function conclude(parts: EndingParts): Promise<void> {
  const { simulation, checks, cluster, list, load } = parts
  const [{ node }] = cluster.staying as [Running]
  for (const id of [...load.lists, ...load.resting]) {
    // Behind a slow command that is under way.
    const patient = node.entity(list, id, { timeout: '30s' })
    const { ids, stored } = await lastOf(parts, id, () => patient.all())
    checks.ledger.conclude(id, ids)
    simulation.check(
      'replay equals the journal',
      stored === ids.length,
      `${id} has ${ids.length} ids, and ${stored} events are stored`,
    )
  }
  checks.losses.conclude()
  checks.calls.conclude()
  simulation.record(`${checks.ledger.acknowledgedCount} acknowledged`)
}
