/** Says in words where an entity is and what a message for it waits for. For people who look for a message. */
import type { ClusterMembership } from '../cluster/internals.ts'
import { type Address, addressOfNode, type NodeId } from '../foundation/node-id.ts'
import type { RoutedEntityRef } from './entity-ref.ts'
import type { RegionInspector } from './inspection/region-inspector.ts'
import type { Region } from './region/region.ts'
import type { EntityId, ShardId } from './shard-id.ts'
import type { ShardMove } from './inspection/reports.ts'

/** Plain data: it survives `JSON.stringify`, and what is not known is not there. */
export interface EntityExplanation {
  readonly entityType: string
  readonly entityId: EntityId
  readonly shard: ShardId
  /** The node of its shard, as far as this node knows, or its coordinator says. */
  readonly home?: NodeId
  /** The same as `host:port`. */
  readonly homeAddress?: Address
  readonly isHere: boolean
  /** Which life of the shard this is. */
  readonly epoch?: number
  /** What the shard does at its home: `running`, `stopping`, `absent`. */
  readonly phase?: string
  /** Why the allocation strategy chose that home, in its own words. */
  readonly whyHere?: string
  /** Whether the coordinator is moving the shard just now. */
  readonly isMoving?: boolean
  /** The last moves that the coordinator has seen, oldest first. */
  readonly moves?: readonly ShardMove[]
  /** Whether the entity runs, as its home says. */
  readonly isRunning?: boolean
  /** Messages in its mailbox, as its home says. */
  readonly waiting?: number
  /** Messages of this node that wait for its shard. */
  readonly buffered: number
  /** Messages that wait for its shard at its home, when that is another node. */
  readonly bufferedAtHome?: number
  readonly coordinator?: NodeId
  /** Who was asked and has not answered in time. */
  readonly silent?: readonly ('coordinator' | 'home')[]
  /** What this node knew before it asked anybody. */
  readonly text: string
}

/** What is known of the cluster. */
export interface View extends Pick<ClusterMembership, 'self' | 'state'> {
  /** What keeps a coordinator on this node from deciding, in whole sentences. */
  readonly trouble?: string | undefined
}

export function explainEntity(
  region: Region,
  { entityId, shard }: RoutedEntityRef<unknown>,
  view: View,
): EntityExplanation {
  const { home, epoch, here, buffered, coordinator } = region.explain(shard)
  const isHere = home === view.self
  const isRunning = isHere ? region.isRunning(shard, entityId) : undefined
  const waiting = isHere ? region.waitingFor(shard, entityId) : undefined
  const { entityType } = region
  const place = placeInWords(region, shard, { view, isRunning }) + mailInWords(waiting)
  const text = `Entity ${entityId} of type ${entityType} is in shard ${shard}. ${place}${waitingInWords(buffered)}`
  return whole({
    ...{ entityType, entityId, shard, home, isHere, epoch, isRunning, waiting, buffered },
    ...{ homeAddress: home === undefined ? undefined : addressOfNode(home), coordinator, text },
    phase: here === 'absent' ? undefined : here,
  })
}

/** Who is asked besides. */
export interface Witnesses {
  readonly self: NodeId
  readonly region: { readonly questions: Pick<Region['questions'], 'historyOf'> }
  readonly inspector: Pick<RegionInspector, 'entityAt'>
}

/** What the coordinator and the home know besides. Where the coordinator knows of a later home, that one counts. */
export async function withAnswers(
  found: EntityExplanation,
  { self, region, inspector }: Witnesses,
  timeoutMs: number,
): Promise<EntityExplanation> {
  const { shard, entityId } = found
  const ask = (node: NodeId) => inspector.entityAt(node, { shard, entityId }, timeoutMs)
  const asked = region.questions.historyOf(shard, { timeout: timeoutMs }).catch(() => undefined)
  const known = found.home === undefined || found.isHere ? undefined : ask(found.home)
  const history = await asked
  const later = (history?.epoch ?? 0) > (found.epoch ?? 0) ? history : undefined
  const isLater = later?.home !== undefined && later.home !== found.home
  const home = isLater ? later.home : found.home
  const atHome = isLater ? ask(later.home) : known
  const report = await atHome
  const silent = [
    ...(history === undefined ? (['coordinator'] as const) : []),
    ...(atHome !== undefined && report === undefined ? (['home'] as const) : []),
  ]
  // What this node knew of the home before is not true of the later one.
  const { phase, isRunning, waiting } = isLater ? {} : found
  return whole({
    ...found,
    ...{ home, homeAddress: home === undefined ? undefined : addressOfNode(home) },
    ...{ isMoving: history?.isMoving, whyHere: history?.whyHere, moves: history?.moves },
    isHere: home === self,
    epoch: report?.epoch ?? later?.epoch ?? found.epoch,
    phase: report?.phase ?? phase,
    isRunning: report?.isRunning ?? isRunning,
    waiting: report?.waiting ?? waiting,
    bufferedAtHome: report?.buffered,
    silent: silent.length === 0 ? undefined : silent,
  })
}

/** What is not known is left out: JSON has no word for it. */
function whole(found: {
  readonly [Name in keyof EntityExplanation]: EntityExplanation[Name] | undefined
}): EntityExplanation {
  const entries = Object.entries(found).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as unknown as EntityExplanation
}

function placeInWords(
  region: Region,
  shard: ShardId,
  { view, isRunning }: { readonly view: View; readonly isRunning: boolean | undefined },
): string {
  const { home, waitsForFlushOf } = region.explain(shard)
  const { phase, refusal, isFrozen } = region.snapshot()
  if (isRemoved(view)) return 'This node was removed from the cluster: call it through another.'
  if (phase === 'stopped') return 'The region of this node has stopped: call it through another.'
  if (refusal !== undefined) return `The region of this node was refused: ${refusal}.`
  if (home === view.self && waitsForFlushOf === undefined) return hereInWords(region, isRunning)
  const place = elsewhereInWords(region, shard, view)
  return isFrozen ? `${place} This node is frozen. ${frozenInWords}` : place
}

/** All the rest of the cluster knows it, and has gone on. */
function isRemoved({ self, state }: View): boolean {
  return state.members.some(({ node, status }) => node === self && status === 'Down')
}

function elsewhereInWords(region: Region, shard: ShardId, view: View): string {
  const { home, waitsForFlushOf, isRouted } = region.explain(shard)
  if (waitsForFlushOf !== undefined) {
    return `It moved away from ${waitsForFlushOf}, which has not yet answered for the messages it still had.${reachOf(waitsForFlushOf, view)}`
  }
  if (home === undefined) return unknownInWords(region, shard, view)
  if (!isRouted)
    return `It lives on ${home}, but nothing is routed there now.${reachOf(home, view)}`
  const reach = reachOf(home, view)
  return `It lives on ${home}${reach === '' ? '; what it is doing is known there.' : `.${reach}`}`
}

/** Nobody may say where it is. */
function unknownInWords(region: Region, shard: ShardId, view: View): string {
  const place = askedInWords(region, shard, view)
  const { coordinator = view.self, trouble: heard } = region.explain(shard)
  const trouble = coordinator === view.self ? (view.trouble ?? heard) : heard
  return trouble === undefined ? place : `${place} ${trouble}`
}

function askedInWords(region: Region, shard: ShardId, view: View): string {
  const { here, isMoving, coordinator, buffered } = region.explain(shard)
  if (here === 'stopping') return 'It is being handed off by this node; its entities are stopping.'
  if (coordinator === undefined) {
    return `Its home is not known, and no coordinator has been found yet: is a node with the role up, and a majority reachable?`
  }
  const asked = reachOf(coordinator, view)
  if (isMoving) {
    return `It is moving to another home, which the coordinator on ${coordinator} has not announced yet.${asked}`
  }
  return buffered === 0
    ? `Its home is not known yet; the coordinator on ${coordinator} is asked when a message comes.${asked}`
    : `Its home is not known yet; the coordinator on ${coordinator} was asked and has not answered.${asked}`
}

function waitingInWords(buffered: number): string {
  if (buffered === 0) return ''
  return buffered === 1
    ? ' One message of this node waits for that shard.'
    : ` ${buffered} messages of this node wait for that shard.`
}

function mailInWords(waiting: number | undefined): string {
  if (waiting === undefined || waiting === 0) return ''
  return waiting === 1
    ? ' One message waits in its mailbox.'
    : ` ${waiting} messages wait in its mailbox.`
}

function hereInWords(region: Region, isRunning: boolean | undefined): string {
  if (region.snapshot().isFrozen) return `It lives on this node, which is frozen. ${frozenInWords}`
  return isRunning === true
    ? 'It lives on this node, and the entity runs.'
    : 'It lives on this node; the entity starts with its next message.'
}

const frozenInWords =
  'It may have been cut off from the majority: look at the network, at the other nodes and at the store. It goes on when it sees them again.'

/** Nothing, for a node that can be reached. */
function reachOf(node: NodeId, { state }: View): string {
  return state.unreachable.has(node)
    ? ` ${node} cannot be reached now: it goes on when that node is back, or elsewhere once that node was removed.`
    : ''
}
