/** Checks how a node is described: every problem at once, in words for the person who wrote it. */
import { isDefinition, type EntityType } from '../entity/index.ts'
import { isSeedAddress, problemsWithAppVersion, problemsWithRoles } from '../cluster/index.ts'
import { problemsWithEnvironment, problemsWithPort } from '../foundation/environment.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { NotThereYet, refuseNotYet } from '../foundation/not-there-yet.ts'
import { show } from '../foundation/show.ts'
import type { Journal } from '../persistence/index.ts'
import {
  InsecureBind,
  problemsWithAdvertised,
  refuseInsecureBind,
  type Transport,
} from '../remote/index.ts'
import type { NodeOptions } from './node-options.ts'
import { problemsWithRooms } from './room-settings.ts'

export const defaultHost = '127.0.0.1'

const knownOptions: ReadonlySet<string> = new Set<keyof NodeOptions>([
  'entities',
  'proxies',
  'name',
  'host',
  'port',
  'advertised',
  'seeds',
  'secret',
  'insecure',
  'roles',
  'appVersion',
  'store',
  'settings',
  'environment',
  'transport',
  'beforeJoin',
])

const transportFunctions: readonly (keyof Transport)[] = ['listen', 'connect']

const firstCall = 'Entities start with their first call after a move.'
const fenceInstead = 'The fence of the journal keeps a second writer out without it.'
const keepMajority = 'The strategy is keep-majority; its times are in `settings.cluster.downing`.'
const leastShards = 'New shards go to the node with the fewest.'
const askTheNode = 'Read `node.cluster.state` and `node.explain`.'
const entityInstead = 'Keep what is shared in an entity.'
const folderInstead = "Use { folder: '…' }, which all nodes of one host share."

/** What people will look for, and what to do until it is there. */
const notYet: Readonly<Record<string, string>> = {
  tls: 'Give every node the same `secret` and guard the network, or tunnel it.',
  rememberEntities: firstCall,
  lease: fenceInstead,
  leases: fenceInstead,
  snapshots: 'Every event is read when an entity starts: keep streams short.',
  durableState: 'Define `events`.',
  downing: keepMajority,
  downingStrategy: keepMajority,
  allocation: leastShards,
  allocationStrategy: leastShards,
  dataCenter: 'Run one cluster per data center.',
  discovery: 'List the `seeds`.',
  management: askTheNode,
  dashboard: askTheNode,
  replicator: entityInstead,
  distributedData: entityInstead,
  reliableDelivery:
    'A call is made at most once: let the entity recognise what it has done, and call again.',
  queries: 'Read the journal by `readSlices`, or keep an entity that knows the answer.',
  postgres: folderInstead,
}

/** The same within the settings. */
const notYetInSettings: readonly (readonly [path: readonly string[], instead: string])[] = [
  [['sharding', 'rememberEntities'], firstCall],
]

/** Throws `NotThereYet`, `InsecureBind`, or `InvalidSettings` with every problem. */
export function checkNodeOptions(options: NodeOptions): void {
  if (!isObject(options) || Array.isArray(options)) {
    throw new InvalidSettings('The options of startNode', [
      `they must be an object such as { entities: [Counter] }, not ${show(options)}`,
    ])
  }
  refuseWhatIsNotThere(options)
  const problems = [
    ...unknownOptions(options),
    ...problemsWithPlace(options),
    ...problemsWithSeeds(options.seeds),
    ...problemsWithRoles(options.roles),
    ...problemsWithAppVersion(options.appVersion),
    ...problemsWithStore(options.store),
    ...problemsWithEntities(options),
    ...problemsWithPorts(options),
    ...problemsWithRooms(options),
  ]
  const insecure = insecureBindOf(options)
  if (problems.length === 0) {
    if (insecure !== undefined) throw insecure
    return
  }
  if (insecure !== undefined) problems.push(insecure.message)
  throw new InvalidSettings('The options of startNode', problems)
}

export function isJournal(store: unknown): store is Journal {
  return isObject(store) && 'claim' in store && 'append' in store
}

function refuseWhatIsNotThere(options: object): void {
  refuseNotYet(options, notYet)
  const { store, settings } = options as { readonly store?: unknown; readonly settings?: unknown }
  for (const [path, instead] of notYetInSettings) {
    if (isThere(settings, path)) {
      throw new NotThereYet(`\`settings.${path.join('.')}\``, instead)
    }
  }
  const wantsPostgres =
    store === 'postgres' || (typeof store === 'object' && store !== null && 'postgres' in store)
  if (wantsPostgres) {
    throw new NotThereYet('The PostgreSQL store', folderInstead)
  }
}

function isThere(within: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true
  return isObject(within) && name in within && isThere((within as never)[name], rest)
}

function unknownOptions(options: object): string[] {
  return Object.keys(options)
    .filter((name) => !knownOptions.has(name))
    .map((name) => `${name} is not an option; known are ${[...knownOptions].join(', ')}`)
}

function insecureBindOf({
  host,
  port = 0,
  secret,
  insecure,
}: NodeOptions): InsecureBind | undefined {
  if (typeof host !== 'string') return undefined
  try {
    refuseInsecureBind({ bind: { host, port }, secret, insecure: insecure === true })
    return undefined
  } catch (error) {
    if (error instanceof InsecureBind) return error
    throw error
  }
}

function problemsWithPlace({ name, host, port, secret, advertised }: NodeOptions): string[] {
  const problems: string[] = []
  if (name !== undefined && !/^[\w.-]{1,100}$/.test(String(name))) {
    problems.push(`name must have 1 to 100 letters, digits, ".", "_" or "-", not ${show(name)}`)
  }
  if (host !== undefined && (typeof host !== 'string' || !/^[^\s/#@]{1,250}$/.test(host))) {
    problems.push(`host must be a host name or an IP address, not ${show(host)}`)
  }
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    problems.push(`port must be a whole number from 0 to 65535, not ${show(port)}`)
  }
  if (secret !== undefined && (typeof secret !== 'string' || secret.length < 16)) {
    problems.push('secret must have at least 16 characters; draw it at random')
  }
  const bound = typeof host === 'string' ? host : defaultHost
  return [...problems, ...problemsWithAdvertised(bound, advertised)]
}

function problemsWithSeeds(seeds: readonly string[] | undefined): string[] {
  if (seeds === undefined) return []
  if (!Array.isArray(seeds)) return ['seeds must be a list of host:port']
  return seeds
    .filter((seed: unknown) => !isSeedAddress(seed))
    .map((seed) => `seeds: ${show(seed)} is no host:port, such as 10.0.0.7:2552`)
}

function problemsWithStore(store: NodeOptions['store']): string[] {
  if (store === undefined || store === 'memory' || isJournal(store)) return []
  if (typeof store === 'function') return []
  const isFolder = isObject(store) && typeof store.folder === 'string' && store.folder !== ''
  return isFolder
    ? []
    : [
        `store must be { folder: '…' }, 'memory', a journal or a function that opens one, not ${show(store)}`,
      ]
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
      problems.push(`${show(entity)} is no entity; make it with defineEntity or entityType`)
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
      problems.push(`${entity.name} stands in entities twice`)
    }
    if (!isEntityType(entity) || isDefinition(entity)) continue
    problems.push(
      `${entity.name} has no implementation: put it into proxies, or its definition into entities`,
    )
  }
  return problems
}

function isEntityType(entity: unknown): entity is EntityType<unknown> {
  return isObject(entity) && 'name' in entity && typeof entity.name === 'string'
}

/** What stands for the world. */
function problemsWithPorts({ environment, transport, beforeJoin }: NodeOptions): string[] {
  const problems = [
    ...problemsWithEnvironment(environment),
    ...problemsWithPort('transport', transport, transportFunctions),
  ]
  if (beforeJoin !== undefined && typeof beforeJoin !== 'function') {
    problems.push(`beforeJoin must be a function, not ${show(beforeJoin)}`)
  }
  return problems
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
