/**
 * Looks into all regions of an entity type at once. Who has not answered in time is told as failed, with the shards that it
 * should have; and without a coordinator the members are asked, so that there is an answer in any case.
 */
import { addressOfNode, compareNodes, type NodeId } from '../../foundation/node-id.ts'
import type { Region } from '../region/region.ts'
import type { ShardId } from '../shard-id.ts'
import type { HostedShard, RegionReported } from '../sharding-messages.ts'
import { duplicatesAmong, isStillThere } from './duplicate-owners.ts'
import type { RegionInspector } from './region-inspector.ts'
import type {
  ClusterReport,
  DuplicateOwnership,
  FailedShard,
  HostingRegion,
  RegionReport,
  ShardReport,
} from './reports.ts'

export interface ClusterLookOptions {
  readonly region: Region
  readonly inspector: RegionInspector
  /** Members that may host. */
  readonly hosts: readonly NodeId[]
  readonly unreachable: ReadonlySet<NodeId>
  /** The homes that this node knows: what there is to say when no coordinator answers. */
  readonly homes: ReadonlyMap<ShardId, NodeId>
  readonly withIds: boolean
  readonly timeoutMs: number
}

type Answers = Map<NodeId, RegionReported | undefined>

export async function lookIntoCluster(options: ClusterLookOptions): Promise<ClusterReport> {
  const { region, timeoutMs } = options
  const answers: Answers = new Map()
  const asked = new Map<NodeId, Promise<void>>()
  const ask = (node: NodeId): Promise<void> => {
    const known = asked.get(node)
    if (known !== undefined) return known
    const answer = options.inspector.regionAt(node, options).then((given) => {
      answers.set(node, given)
    })
    asked.set(node, answer)
    return answer
  }
  // All at once: whoever is slow, the coordinator too, has the same time.
  for (const node of options.hosts) void ask(node)
  const listed = await region.questions.regions({ timeout: timeoutMs }).catch(() => undefined)
  const expected = listed ?? expectedOf(options)
  await Promise.all(expected.map((each) => ask(each.region)))
  const duplicates = await confirmed(options, duplicatesAmong(answers))
  const regions = reportsOf(expected, answers, options)
  return summed(region, regions, { isListed: listed !== undefined, timeoutMs, duplicates })
}

/** By what this node knows itself. */
function expectedOf({ hosts, homes }: ClusterLookOptions): HostingRegion[] {
  return hosts.map((region) => ({
    region,
    shards: [...homes].filter(([, home]) => home === region).map(([shard]) => shard),
  }))
}

/** Also those that nobody expected: somebody hosts who should not. */
function reportsOf(
  expected: readonly HostingRegion[],
  answers: Answers,
  options: ClusterLookOptions,
): RegionReport[] {
  const nodes = new Set(expected.map(({ region }) => region))
  const strangers = [...answers].flatMap(([region, answer]) =>
    !nodes.has(region) && (answer?.shards.length ?? 0) > 0 ? { region, shards: [] } : [],
  )
  return [...expected, ...strangers]
    .filter(({ region }) => answers.get(region)?.isProxy !== true)
    .toSorted((a, b) => compareNodes(a.region, b.region))
    .map((each) => reportOf(each, answers.get(each.region), options))
}

function reportOf(
  { region: node, shards }: HostingRegion,
  answer: RegionReported | undefined,
  { unreachable, timeoutMs }: ClusterLookOptions,
): RegionReport {
  const address = addressOfNode(node)
  if (answer === undefined) {
    const problem = unreachable.has(node)
      ? `${node} cannot be reached`
      : `${node} has not answered within ${timeoutMs} ms`
    const failed = shards.map((shard) => ({ shard, reason: problem }))
    return { node, address, problem, buffered: 0, entities: 0, shards: [], failed }
  }
  const { phase, isFrozen, buffered } = answer
  const { answered, failed } = parted(answer.shards)
  const entities = answered.reduce((sum, each) => sum + each.entities, 0)
  return { node, address, phase, isFrozen, buffered, entities, shards: answered, failed }
}

function parted(shards: readonly HostedShard[]) {
  const answered: ShardReport[] = []
  const failed: FailedShard[] = []
  for (const { shard, epoch, phase, entities, entityIds, problem } of shards) {
    if (problem !== undefined) failed.push({ shard, reason: problem })
    else {
      const ids = entityIds === undefined ? {} : { entityIds }
      answered.push({ shard, epoch, phase, entities, ...ids })
    }
  }
  return { answered, failed }
}

/** A shard may have moved between two answers. Who is said to have the earlier life is asked again. */
async function confirmed(
  { inspector, timeoutMs }: ClusterLookOptions,
  suspected: readonly DuplicateOwnership[],
): Promise<DuplicateOwnership[]> {
  const looks = suspected.map(async (duplicate) => {
    const earlier = duplicate.owners[0]
    if (duplicate.entityId !== undefined || earlier === undefined) return [duplicate]
    const again = await inspector.regionAt(earlier.node, { withIds: false, timeoutMs })
    return isStillThere(duplicate, again) ? [duplicate] : []
  })
  return (await Promise.all(looks)).flat()
}

function summed(
  region: Region,
  regions: readonly RegionReport[],
  {
    isListed,
    timeoutMs,
    duplicates,
  }: {
    readonly isListed: boolean
    readonly timeoutMs: number
    readonly duplicates: readonly DuplicateOwnership[]
  },
): ClusterReport {
  const { coordinator } = region.snapshot()
  const total = (of: (each: RegionReport) => number) =>
    regions.reduce((sum, each) => sum + of(each), 0)
  const shardsFailed = total(({ failed }) => failed.length)
  return {
    entityType: region.entityType,
    ...(coordinator === undefined ? {} : { coordinator }),
    ...(isListed ? {} : { problem: problemWith(coordinator, timeoutMs) }),
    ...{ regions, duplicates },
    counts: {
      regions: regions.length,
      regionsFailed: total(({ problem }) => (problem === undefined ? 0 : 1)),
      shards: total(({ shards }) => shards.length) + shardsFailed,
      shardsFailed,
      entities: total(({ entities }) => entities),
    },
  }
}

function problemWith(coordinator: NodeId | undefined, timeoutMs: number): string {
  const who =
    coordinator === undefined
      ? 'No coordinator has been found'
      : `The coordinator on ${coordinator} has not answered within ${timeoutMs} ms`
  return `${who}: the members that may host were asked, and shards that nobody here knows are missing`
}
