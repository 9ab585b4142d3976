/** Checks how a node is described: every problem at once, in words for the person who wrote it. */
import type { EntityType } from '../entity/index.ts'
import { isDefinition, notYetInEntities, optionsOfEntities } from '../entity/internals.ts'
import {
  isSeedAddress,
  problemsWithAppVersion,
  problemsWithDiscovery,
  problemsWithRoles,
} from '../cluster/internals.ts'
import { type Duration, toMs } from '../foundation/duration.ts'
import { portFunctions, problemsWithEnvironment } from '../foundation/environment.ts'
import {
  InvalidSettings,
  anything,
  type Check,
  maybe,
  mustBe,
  mustBeFunction,
  mustHave,
  problemsWithOptions,
} from '../foundation/invalid-settings.ts'
import { refuseNotYet, type NotYet, within } from '../foundation/not-there-yet.ts'
import { show } from '../foundation/show.ts'
import type { Journal, PostgresStore } from '../persistence/index.ts'
import { isPostgresUrl } from '../persistence/internals.ts'
import { isProjection } from '../projection/internals.ts'
import { InsecureBind } from '../remote/index.ts'
import {
  problemsWithAdvertised,
  problemsWithSecret,
  problemsWithTls,
  problemWithReach,
  refuseInsecureBind,
} from '../remote/internals.ts'
import type { NodeOptions } from './node-options.ts'
import { isObject, isRecord } from '../foundation/is-object.ts'
import { notYetInSharding } from '../sharding/internals.ts'
import { problemsWithSettings, settingPlaces } from './settings-of-parts.ts'

export const defaultHost = '127.0.0.1'

const leastShards =
  'New shards go to the node with the fewest; `defineEntity` takes another strategy.'
const askTheNode = 'Read `node.cluster.state` and `node.explain`.'
const entityInstead = 'Keep what is shared in an entity.'

const notYet: NotYet = {
  ...notYetInEntities,
  leases: 'A type has one for each of its shards by `lease` in its definition.',
  allocation: leastShards,
  allocationStrategy: leastShards,
  management: askTheNode,
  dashboard: askTheNode,
  replicator: entityInstead,
  distributedData: entityInstead,
  reliableDelivery:
    'A call is made at most once: let the entity recognise what it has done, and call again.',
  queries:
    'Read by `node.events`, `node.ids` and `node.eventsOf`, or keep a view by `projections`.',
  ...within('settings.sharding', notYetInSharding),
}

/** What people look for here and is found elsewhere. */
const places: ReadonlyMap<string, string> = new Map([
  ...settingPlaces,
  ...Object.keys(portFunctions).map((port) => [port, 'belongs in environment'] as const),
  ...optionsOfEntities.map((name) => [name, 'belongs to defineEntity, not to startNode'] as const),
  ['downingStrategy', 'is `settings.cluster.downing.strategy` here'],
  ['postgres', "belongs in store, as in store: { postgres: { url: '…' } }"],
  [
    'timeout',
    "belongs to a call, as in node.entity(Counter, id, { timeout: '5s' }); the one of all calls is `callTimeout`",
  ],
])

const checks = {
  // Looked at together.
  entities: anything,
  proxies: anything,
  projections: maybe(problemsWithProjections),
  name: maybe(
    mustBe('a text of 1 to 100 letters, digits, ".", "_" or "-"', (given) =>
      /^[\w.-]{1,100}$/.test(String(given)),
    ),
  ),
  host: maybe(
    mustBe(
      'a host name or an IP address',
      (given) => typeof given === 'string' && /^[^\s/#@]{1,250}$/.test(given),
    ),
  ),
  port: maybe(
    mustBe(
      'a whole number from 0 to 65535',
      (given) => Number.isInteger(given) && (given as number) >= 0 && (given as number) <= 65_535,
    ),
  ),
  secret: problemsWithSecret,
  tls: problemsWithTls,
  // Looked at together with the host.
  advertised: anything,
  insecure: anything,
  seeds: maybe(problemsWithSeeds),
  // Looked at together with the port.
  discovery: anything,
  roles: (_, given) => problemsWithRoles(given as readonly string[] | undefined),
  // What a promise comes to is looked at then.
  appVersion: (_, given) => (isThenable(given) ? [] : problemsWithAppVersion(given)),
  store: maybe(
    mustBe(
      "{ folder: '…' }, 'postgres://…', { postgres: { url: '…' } }, 'memory', a journal or a function that opens one",
      (given) =>
        given === 'memory' ||
        typeof given === 'function' ||
        isJournal(given) ||
        isFolder(given) ||
        postgresOf(given) !== undefined,
    ),
  ),
  keepCallerContext: maybe(mustBe('true or false', (given) => typeof given === 'boolean')),
  logger: mustHave(portFunctions.logger),
  callTimeout: maybe(problemsWithTimeout),
  environment: (_, given) => problemsWithEnvironment(given),
  transport: mustHave(['listen', 'connect']),
  beforeJoin: maybe(mustBeFunction),
  settings: maybe(problemsWithSettings),
} satisfies Record<keyof NodeOptions, Check>

/** Throws `NotThereYet`, `InsecureBind`, or `InvalidSettings` with every problem. */
export function checkNodeOptions(options: NodeOptions): void {
  const given: unknown = options
  if (!isRecord(given)) {
    throw new InvalidSettings('The options of startNode', [
      `they must be an object such as { entities: [Counter] }, not ${show(options)}`,
    ])
  }
  refuseNotYet(options, notYet)
  const { host, advertised } = options
  const bound = typeof host === 'string' ? host : defaultHost
  const problems = [
    ...problemsWithOptions(options, checks, places),
    ...contradictions(options),
    ...problemsWithAdvertised(bound, advertised),
    ...problemsWithFinding(options),
    ...problemsWithEntities(options),
  ]
  const insecure = insecureBindOf(options)
  const unreachable = problemWithReach(bound, advertised)
  // It is the error that counts, also where nobody has said yet how others reach the node.
  if (insecure !== undefined && problems.every((problem) => problem === unreachable)) {
    throw new InsecureBind(bound, unreachable)
  }
  if (problems.length === 0) return
  if (insecure !== undefined) problems.push(insecure.message)
  throw new InvalidSettings('The options of startNode', problems)
}

export function isThenable(given: unknown): given is PromiseLike<unknown> {
  return isObject(given) && typeof given['then'] === 'function'
}

/** The same said in two places, and not the same. */
function contradictions(options: NodeOptions): string[] {
  const { logger, environment, callTimeout, settings, tls, transport } = options
  const problems: string[] = []
  if (tls !== undefined && transport !== undefined) {
    problems.push('tls is for the network of Sherd: a transport of your own encrypts by itself')
  }
  const other: unknown = environment?.logger
  if (logger !== undefined && other !== undefined && other !== logger) {
    problems.push('logger and environment.logger are two different loggers; give only one of them')
  }
  const askTimeoutMs: unknown = settings?.actor?.askTimeoutMs
  if (callTimeout === undefined || askTimeoutMs === undefined) return problems
  if (problemsWithTimeout('callTimeout', callTimeout).length > 0) return problems
  const callTimeoutMs = toMs(callTimeout, 'callTimeout')
  if (callTimeoutMs !== askTimeoutMs) {
    problems.push(
      `callTimeout (${callTimeoutMs} ms) and settings.actor.askTimeoutMs (${show(askTimeoutMs)}) are the same setting and differ; give only one of them`,
    )
  }
  return problems
}

function problemsWithTimeout(name: string, given: unknown): string[] {
  try {
    return toMs(given as Duration, name) > 0 ? [] : [`${name} must be longer than 0`]
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

export function isJournal(store: unknown): store is Journal {
  return isObject(store) && 'claim' in store && 'append' in store
}

/** How a PostgreSQL store is described; undefined when it is another one. */
export function postgresOf(store: unknown): PostgresStore | undefined {
  if (typeof store === 'string') return isPostgresUrl(store) ? { url: store } : undefined
  if (!isObject(store) || isJournal(store)) return undefined
  const { postgres } = store
  return isRecord(postgres) ? postgres : undefined
}

function isFolder(store: unknown): boolean {
  return isObject(store) && typeof store['folder'] === 'string' && store['folder'] !== ''
}

function insecureBindOf({
  host,
  port = 0,
  secret,
  tls,
  insecure,
}: NodeOptions): InsecureBind | undefined {
  if (typeof host !== 'string') return undefined
  try {
    refuseInsecureBind({
      ...{ bind: { host, port }, secret, certificates: tls },
      insecure: insecure === true,
    })
    return undefined
  } catch (error) {
    if (error instanceof InsecureBind) return error
    throw error
  }
}

function problemsWithFinding({ seeds, discovery, port, advertised }: NodeOptions): string[] {
  if (discovery === undefined) return []
  const problems = problemsWithDiscovery('discovery', discovery, advertised?.port ?? port)
  if (seeds === undefined) return problems
  return [...problems, 'seeds and discovery are two ways to find the same nodes: give only one']
}

function problemsWithSeeds(name: string, seeds: unknown): string[] {
  if (!Array.isArray(seeds)) return [`${name} must be a list of host:port, not ${show(seeds)}`]
  return seeds
    .filter((seed: unknown) => !isSeedAddress(seed))
    .map((seed) => `${name}: ${show(seed)} is not a host:port such as 10.0.0.7:2552`)
}

function problemsWithEntities(options: NodeOptions): string[] {
  const entities: readonly unknown[] = options.entities ?? []
  const proxies: readonly unknown[] = options.proxies ?? []
  const noLists = Object.entries({ entities, proxies }).filter(([, list]) => !Array.isArray(list))
  if (noLists.length > 0) {
    return noLists.map(([name]) => `${name} must be a list, such as [Counter]`)
  }
  const problems: string[] = []
  const seen = new Map<string, EntityType<unknown>>()
  for (const entity of [...entities, ...proxies]) {
    if (!isEntityType(entity)) {
      problems.push(`${show(entity)} is not an entity; make it with defineEntity or entityType`)
      continue
    }
    const before = seen.get(entity.name)
    if (before !== undefined && before !== entity) {
      problems.push(`two entity types have the name ${show(entity.name)}; rename one`)
    }
    seen.set(entity.name, entity)
  }
  for (const [index, entity] of entities.entries()) {
    if (isEntityType(entity) && entities.indexOf(entity) < index) {
      problems.push(`${entity.name} is in entities twice`)
    }
    if (!isEntityType(entity) || isDefinition(entity)) continue
    problems.push(
      `${entity.name} has no implementation: put it into proxies, or its definition into entities`,
    )
  }
  return problems
}

function problemsWithProjections(name: string, given: unknown): string[] {
  if (!Array.isArray(given)) return [`${name} must be a list, such as [carts], not ${show(given)}`]
  const list: readonly unknown[] = given
  const names = list.map((each) => (isRecord(each) ? each['name'] : undefined))
  return list.flatMap((each, index) => {
    if (!isProjection(each)) return [`${name}: ${show(each)} is not made by defineProjection`]
    return names.indexOf(each.name) < index
      ? [`${name}: two have the name ${show(each.name)}; rename one`]
      : []
  })
}

function isEntityType(entity: unknown): entity is EntityType<unknown> {
  return isObject(entity) && typeof entity['name'] === 'string'
}
