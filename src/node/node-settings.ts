/** Checks how a node is described: every problem at once, in words for the person who wrote it. */
import { isDefinition, type EntityType } from '../entity/index.ts'
import { seconds } from '../foundation/duration.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { show } from '../foundation/show.ts'
import {
  defaultClusterSettings,
  problemsWithClusterSettings,
  type ClusterSettings,
} from '../cluster/index.ts'
import type { Journal } from '../persistence/index.ts'
import { defaultRemoteSettings, problemsWithRemoteSettings } from '../remote/index.ts'
import { problemsWithShardingSettings, shardingSettings } from '../sharding/index.ts'
import { NotThereYet } from './node-errors.ts'
import type { NodeOptions } from './node-options.ts'

/** A person waits for the node: after this it says why it could not join. */
const joinDeadlineMs = seconds(30)

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
  'store',
  'settings',
  'environment',
  'transport',
  'beforeJoin',
])

const knownSettings: ReadonlySet<string> = new Set<keyof NonNullable<NodeOptions['settings']>>([
  'actor',
  'remote',
  'cluster',
  'singleton',
  'sharding',
  'entity',
  'journal',
  'concurrentRecoveriesMax',
])

/** What people will look for, and what to do until it is there. */
const notYet: Readonly<Record<string, string>> = {
  tls: 'Give every node the same `secret` and guard the network, or tunnel it.',
  rememberEntities: 'Entities start with their first call after a move.',
  lease: 'The fence of the journal keeps a second writer out without it.',
  snapshots: 'Every event is read when an entity starts: keep streams short.',
  durableState: 'Define `events`.',
  downing: 'The strategy is keep-majority; its times are in `settings.cluster.downing`.',
  dataCenter: 'Run one cluster per data center.',
  discovery: 'List the `seeds`.',
  management: 'Read `node.cluster.state` and `node.explain`.',
  replicator: 'Keep what is shared in an entity.',
}

const seedForm = /^(\[[0-9a-fA-F:.]+\]|[^\s/#@:[\]]{1,250}):(\d{1,5})$/

/** Throws `NotThereYet`, or `InvalidSettings` with every problem. */
export function checkNodeOptions(options: NodeOptions): void {
  refuseWhatIsNotThere(options)
  const problems = [
    ...unknownNames('', options, knownOptions),
    ...unknownNames('settings.', options.settings ?? {}, knownSettings),
    ...problemsWithPlace(options),
    ...problemsWithSeeds(options.seeds),
    ...problemsWithRoles(options.roles),
    ...problemsWithStore(options.store),
    ...problemsWithEntities(options),
    ...problemsWithRooms(options),
  ]
  if (problems.length > 0) throw new InvalidSettings('The options of startNode', problems)
}

/** What the cluster gets: a newcomer that finds nobody gives up after a while, with reasons. */
export function clusterSettingsOf({ settings }: NodeOptions): Partial<ClusterSettings> {
  return { joinDeadlineMs, ...settings?.cluster }
}

export function isJournal(store: unknown): store is Journal {
  return typeof store === 'object' && store !== null && 'claim' in store && 'append' in store
}

function refuseWhatIsNotThere(options: object): void {
  for (const [option, instead] of Object.entries(notYet)) {
    if (option in options) throw new NotThereYet(`\`${option}\``, instead)
  }
  const { store } = options as { readonly store?: unknown }
  const wantsPostgres =
    store === 'postgres' || (typeof store === 'object' && store !== null && 'postgres' in store)
  if (wantsPostgres) {
    throw new NotThereYet(
      'The PostgreSQL store',
      "Use { folder: '…' }, which all nodes of one host share.",
    )
  }
}

function unknownNames(prefix: string, given: object, known: ReadonlySet<string>): string[] {
  return Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => `${prefix}${name} is not an option; known are ${[...known].join(', ')}`)
}

function problemsWithPlace({ name, host, port, secret }: NodeOptions): string[] {
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
  return problems
}

function problemsWithSeeds(seeds: readonly string[] | undefined): string[] {
  if (seeds === undefined) return []
  if (!Array.isArray(seeds)) return ['seeds must be a list of host:port']
  return seeds
    .filter((seed: unknown) => {
      const port = typeof seed === 'string' ? Number(seedForm.exec(seed)?.[2] ?? 0) : 0
      return port < 1 || port > 65_535
    })
    .map((seed) => `seeds: ${show(seed)} is no host:port, such as 10.0.0.7:2552`)
}

function problemsWithRoles(roles: readonly string[] = []): string[] {
  const areTexts = Array.isArray(roles) && roles.every((role) => typeof role === 'string' && role)
  return areTexts ? [] : ['roles must be a list of texts, none of them empty']
}

function problemsWithStore(store: NodeOptions['store']): string[] {
  if (store === undefined || store === 'memory' || isJournal(store)) return []
  const isFolder =
    typeof store === 'object' && store !== null && typeof store.folder === 'string' && store.folder
  return isFolder
    ? []
    : [`store must be { folder: '…' }, 'memory' or a journal, not ${show(store)}`]
}

function problemsWithEntities({ entities = [], proxies = [] }: NodeOptions): string[] {
  const problems: string[] = []
  const seen = new Map<string, EntityType<unknown>>()
  for (const entity of [...entities, ...proxies] as readonly unknown[]) {
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
  for (const entity of entities as readonly unknown[]) {
    if (!isEntityType(entity) || isDefinition(entity)) continue
    problems.push(
      `${entity.name} has no implementation: put it into proxies, or its definition into entities`,
    )
  }
  return problems
}

function isEntityType(entity: unknown): entity is EntityType<unknown> {
  return (
    typeof entity === 'object' &&
    entity !== null &&
    'name' in entity &&
    typeof entity.name === 'string'
  )
}

function problemsWithRooms(options: NodeOptions): string[] {
  const { settings = {} } = options
  const remote = { ...defaultRemoteSettings, ...settings.remote }
  const cluster = { ...defaultClusterSettings, ...clusterSettingsOf(options) }
  const permits = settings.concurrentRecoveriesMax ?? 1
  return [
    ...prefixed('settings.remote.', problemsWithRemoteSettings(remote)),
    ...prefixed('settings.cluster.', problemsWithClusterSettings(cluster)),
    ...prefixed(
      'settings.sharding.',
      problemsWithShardingSettings(shardingSettings(settings.sharding)),
    ),
    ...(Number.isSafeInteger(permits) && permits >= 1
      ? []
      : [`settings.concurrentRecoveriesMax must be a whole number of at least 1, not ${permits}`]),
  ]
}

function prefixed(prefix: string, problems: readonly string[]): string[] {
  return problems.map((problem) => `${prefix}${problem}`)
}
