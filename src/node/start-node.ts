/**
 * Starts a node: chooses the adapters, starts every room from the ground up, joins the cluster, and resolves when entities
 * can be called. Whatever fails, all that was started is stopped again. One file because it is the one place that knows all rooms.
 */
import { ActorSystem } from '../actor/index.ts'
import { type Discovery, type DiscoveryOptions, IncompatibleSettings } from '../cluster/index.ts'
import {
  Cluster,
  dnsDiscovery,
  type FoundingStore,
  problemsWithAppVersion,
  type SharedStore,
} from '../cluster/internals.ts'
import type { EntityType } from '../entity/index.ts'
import {
  answerLostCalls,
  type AnyEntity,
  entityBehavior,
  type EntityCall,
  EntityWorld,
} from '../entity/internals.ts'
import { type Duration, seconds, toMs } from '../foundation/duration.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { type Address, addressOf, hostAndPortOf } from '../foundation/node-id.ts'
import { show } from '../foundation/show.ts'
import { systemEnvironment } from '../foundation/system-environment.ts'
import { registerLeases } from '../lease/index.ts'
import {
  defaultJournalSettings,
  hasRegisters,
  type Journal,
  LmdbJournal,
  MemoryJournal,
  MemoryStore,
  PostgresJournal,
  type PostgresSettings,
  RecoveryPermits,
} from '../persistence/index.ts'
import { placeOfUrl, postgresSettingsTable } from '../persistence/internals.ts'
import { ClusterProjections, rangesTypeOf, StoredReading } from '../projection/internals.ts'
import { tcpTransport } from '../remote/index.ts'
import { openTls, Remoting, type RemotingOptions, warnOfOpenBind } from '../remote/internals.ts'
import { codecOfStore } from '../serialization/internals.ts'
import { EntityTypeKey, type ShardingSettings } from '../sharding/index.ts'
import { ClusterSharding } from '../sharding/internals.ts'
import { Singletons } from '../singleton/internals.ts'
import type { Environment } from '../foundation/environment.ts'
import { ForeignWriters } from './foreign-writers.ts'
import { foundingStoreOf, withdraw } from './founding-register.ts'
import { GuardedJournal } from './guarded-journal.ts'
import { NodeLogger } from './node-logger.ts'
import { type NodeParts, SherdNode } from './sherd-node.ts'
import type { HostedEntity, NodeOptions, NodeSettings } from './node-options.ts'
import {
  checkNodeOptions,
  defaultHost,
  isJournal,
  isThenable,
  postgresOf,
} from './node-settings.ts'
import { clusterSettingsOf } from './settings-of-parts.ts'
import { whenThawed } from './when-thawed.ts'

const defaultName = 'sherd'
const defaultFolder = './sherd-data'
/** How long a fresh member waits for the coordinators of its types before it says that it is ready all the same. */
const registrationPatienceMs = seconds(10)

/**
 * Rejects with `InvalidSettings`, `NotThereYet`, `PortTaken`, `InsecureBind`, `TlsUnusable`, `JoinFailed`,
 * `ClusterElsewhere`, `JournalFolderUnusable` and others, each of which says what to do; and with the error of a store that does not open.
 */
export async function startNode(given: NodeOptions): Promise<SherdNode> {
  checkNodeOptions(given)
  const options = await withVersion(inOnePlace(given))
  const real = systemEnvironment(options.environment)
  let name = placeOf(options)
  const environment = { ...real, logger: new NodeLogger(real.logger, () => name) }
  const journal = await openJournal(options, environment)
  let system: ActorSystem
  try {
    const { actor } = options.settings ?? {}
    system = new ActorSystem(options.name ?? defaultName, {
      environment,
      ...(actor !== undefined && { settings: actor }),
    })
  } catch (error) {
    await journal.close()
    throw error
  }
  const shared = sharedStoreOf(options, journal)
  const founding = shared && foundingStoreOf(options.name ?? defaultName, journal, environment)
  let parts: NodeParts | undefined
  // The very last thing: whoever still writes must be able to.
  system.shutdown.addTask('actor-system-terminate', 'close the journal', async () => {
    await system.whenTerminated
    // Nothing of this node can act any more: the next start need not wait for it.
    if (founding !== undefined && parts !== undefined) await withdraw(founding, parts)
    await journal.close()
  })
  try {
    parts = await startRooms(options, system, {
      ...{ journal, founding },
      onAddress: (address) => (name = address),
    })
    const node = new SherdNode(parts)
    initEntities(options, parts)
    parts.projections.start()
    await options.beforeJoin?.(node)
    await join(options, parts)
    return node
  } catch (error) {
    journal.isTakenBack = error instanceof IncompatibleSettings
    await system.terminate()
    throw error
  }
}

/** What can be said in two places, where the parts of a node look for it. */
function inOnePlace({ logger, callTimeout, ...options }: NodeOptions): NodeOptions {
  const { environment, settings } = options
  if (logger === undefined && callTimeout === undefined) return options
  const askTimeoutMs = callTimeout === undefined ? {} : { askTimeoutMs: toMs(callTimeout) }
  return {
    ...options,
    environment: { ...environment, ...(logger !== undefined && { logger }) },
    settings: { ...settings, actor: { ...settings?.actor, ...askTimeoutMs } },
  }
}

/** With the version, if it comes late: nothing is started before, since all parts of a node may tell it. */
async function withVersion(options: NodeOptions): Promise<StartOptions> {
  const { appVersion, ...others } = options
  if (!isThenable(appVersion)) return { ...others, appVersion }
  const version = await appVersion
  const problems = problemsWithAppVersion(version)
  if (problems.length > 0) throw new InvalidSettings('The options of startNode', problems)
  return { ...others, appVersion: version }
}

/** Where others will find it, as far as that is said: the port may be the system's choice. */
function placeOf({ host = defaultHost, port = 0, advertised }: NodeOptions): Address {
  return addressOf(advertised?.host ?? host, advertised?.port ?? port)
}

/** A journal that comes open has an owner, who closes it; one that is opened here is closed with the node. */
async function openJournal(
  { store, settings }: NodeOptions,
  environment: Environment,
): Promise<GuardedJournal> {
  if (isJournal(store)) return new GuardedJournal(store, false)
  const chosen = settings?.journal
  if (store === 'memory') return new GuardedJournal(memoryJournal(chosen, environment), true)
  if (typeof store === 'function') {
    const journal: unknown = await store(environment)
    if (!isJournal(journal)) {
      const problem = `store must resolve with a journal, not ${show(journal)}`
      throw new InvalidSettings('The options of startNode', [problem])
    }
    return new GuardedJournal(journal, true)
  }
  const { timers, clock, logger } = environment
  const postgres = postgresOf(store)
  if (postgres !== undefined) {
    const own = { ...commonSettings(chosen), ...postgres.settings }
    const given = { ...postgres, settings: own, timers, clock }
    return new GuardedJournal(await PostgresJournal.open(given), true)
  }
  const folder = folderOf(store)
  const given = { folder, timers, clock, logger, ...(chosen !== undefined && { settings: chosen }) }
  return new GuardedJournal(await LmdbJournal.open(given), true)
}

function folderOf(store: NodeOptions['store']): string {
  return typeof store === 'object' && 'folder' in store ? store.folder : defaultFolder
}

/** Those of the settings of journals that PostgreSQL has as well. */
function commonSettings(chosen: NodeSettings['journal']): Partial<PostgresSettings> {
  const known = Object.keys(postgresSettingsTable.settings)
  return Object.fromEntries(Object.entries(chosen ?? {}).filter(([name]) => known.includes(name)))
}

/** Two journals in memory are two stores: only an id tells. */
function memoryJournal(settings: NodeSettings['journal'], { random }: Environment): MemoryJournal {
  const { eventBytesMax, appendEventsMax, stateBytesMax } = {
    ...defaultJournalSettings,
    ...settings,
  }
  return new MemoryJournal({
    store: new MemoryStore({ storeId: random.uid().toString(36) }),
    settings: { eventBytesMax, appendEventsMax, stateBytesMax },
  })
}

interface StartOptions extends NodeOptions {
  readonly appVersion?: string | undefined
}

interface StartParts {
  readonly journal: GuardedJournal
  readonly founding: FoundingStore | undefined
  readonly onAddress: (address: Address) => void
}

async function startRooms(
  options: StartOptions,
  system: ActorSystem,
  { journal, founding, onAddress }: StartParts,
): Promise<NodeParts> {
  const { settings = {} } = options
  const remoting = await startRemoting(options, system)
  onAddress(remoting.address)
  const { roles = [] } = options
  const called = calledBy(options)
  const ranges = new Set(rangeTypes(options))
  const attributes = attributesOf(options)
  const leases = hasRegisters(journal) ? registerLeases(journal) : undefined
  const cluster = Cluster.start({
    ...{ system, remoting, roles, attributes, settings: clusterSettingsOf(options) },
    ...{ store: sharedStoreOf(options, journal), founding },
    isStorePrivate: options.store === 'memory',
    discovery: options.discovery && discoveryOf(options.discovery, remoting.address),
    ...(leases !== undefined && { leases }),
    ...(options.appVersion !== undefined && { appVersion: options.appVersion }),
  })
  journal.isFrozen = () => cluster.lookForFreeze()
  journal.lookAtFounding = () => cluster.lookAtFounding()
  journal.whenThawed = () => whenThawed(system, cluster)
  const singletons = new Singletons({
    ...{ system, remoting, cluster, leases, dataCenter: cluster.settings.dataCenter },
    ...(settings.singleton !== undefined && { settings: settings.singleton }),
  })
  const foreignWriters = new ForeignWriters(cluster, system.log)
  const adviceOnWriter = (writer: string) => foreignWriters.adviceOn(writer)
  const sharding = new ClusterSharding({
    ...{ system, remoting, cluster, singletons, journal, roles, attributes, adviceOnWriter },
    dataCenter: cluster.settings.dataCenter,
    hostAttribute: (entityType) =>
      called.has(entityType) || ranges.has(entityType) ? hostAttribute(entityType) : undefined,
    coordinatorAttribute: (entityType) =>
      called.has(entityType) ? coordinatorAttribute(entityType) : undefined,
    ...(settings.sharding !== undefined && { settings: settings.sharding }),
  })
  const world = new EntityWorld({
    journal,
    codec: codecOfStore(),
    serialization: settings.remote?.serialization ?? {},
    recoveryPermits: new RecoveryPermits(settings.concurrentRecoveriesMax),
    writer: remoting.node,
    adviceOnWriter,
    appVersion: options.appVersion,
    ...(settings.entity !== undefined && { settings: settings.entity }),
  })
  const keepsCallerContext = options.keepCallerContext === true
  const { appVersion } = options
  const projections = new ClusterProjections({
    ...{ system, remoting, cluster, sharding, journal, node: remoting.node, appVersion },
    ...{ projections: options.projections ?? [], hostAttribute },
  })
  const reading = new StoredReading(journal, system.environment.timers, appVersion)
  const parts = { system, remoting, cluster, singletons, sharding, world, keepsCallerContext }
  return { ...parts, projections, reading }
}

function discoveryOf(options: DiscoveryOptions, address: Address): Discovery {
  if ('dns' in options) return dnsDiscovery(options, hostAndPortOf(address).port)
  return { name: 'discovery.lookUp', ...options }
}

async function startRemoting(options: NodeOptions, system: ActorSystem): Promise<Remoting> {
  const { name = defaultName, host = defaultHost, port = 0, advertised, settings = {} } = options
  const { secret, insecure = false } = options
  const bind = { host, port }
  const { transport, certificates } = await networkOf(options, system)
  // Elsewhere nobody can tell what reaches it.
  if (options.transport === undefined) {
    warnOfOpenBind({ bind, secret, certificates, insecure }, system.log)
  }
  return Remoting.start({
    ...{ system, transport, clusterName: name, bind, secret, certificates, insecure },
    ...(advertised !== undefined && { advertised }),
    ...(settings.remote !== undefined && { settings: settings.remote }),
  })
}

async function networkOf(
  { name = defaultName, tls, transport = tcpTransport, settings }: NodeOptions,
  system: ActorSystem,
): Promise<Pick<RemotingOptions, 'transport' | 'certificates'>> {
  if (tls === undefined) return { transport }
  const { clock, timers } = system.environment
  const network = await openTls({
    ...{ tls, clusterName: name, settings: settings?.remote?.certificates },
    environment: { clock, timers, logger: system.log },
  })
  system.shutdown.addTask('actor-system-terminate', 'look at no more certificates', async () =>
    network.stop(),
  )
  return network
}

function initEntities(options: NodeOptions, { sharding, world }: NodeParts): void {
  const { entities = [], proxies = [] } = options
  const called = calledBy(options)
  const { answered, work } = world
  answerLostCalls({ sharding, answered, work, isOurs: (name) => called.has(name) })
  for (const entity of entities) {
    const { allocationStrategy, passivation, rememberEntities, lease, coordinatorRole } = entity
    const behaviorOf = entityBehavior(entity as AnyEntity, world)
    sharding.init({
      key: new EntityTypeKey<EntityCall>(entity.name),
      behavior: ({ entityId }) => behaviorOf(entityId),
      ...(allocationStrategy !== undefined && { allocationStrategy }),
      ...(passivation !== undefined && { passivation }),
      ...(rememberEntities !== undefined && { rememberEntities }),
      ...(lease !== undefined && { lease }),
      ...(coordinatorRole !== undefined && { coordinatorRole }),
      settings: settingsOf(entity),
    })
  }
  const hosted = new Set(entities.map(({ name }) => name))
  for (const type of proxies) {
    if (hosted.has(type.name)) continue
    const { coordinatorRole } = type
    sharding.startProxy({
      entityType: type.name,
      ...(coordinatorRole !== undefined && { coordinatorRole }),
      settings: settingsOf(type),
    })
  }
}

/** The names of the entity types that a node with these options can call. */
function calledBy({ entities = [], proxies = [] }: NodeOptions): ReadonlySet<string> {
  return new Set([...entities, ...proxies].map(({ name }) => name))
}

/** The entity types that live on a node with these options. */
function hostedBy({ entities = [], roles = [] }: NodeOptions): readonly HostedEntity[] {
  return entities.filter(({ role }) => role === undefined || roles.includes(role))
}

/** The types of the ranges of its projections. */
function rangeTypes({ projections = [] }: NodeOptions): readonly string[] {
  return projections.map(({ name }) => rangesTypeOf(name))
}

/** The types whose coordinators may run on a node with these options, although it may host none of them. */
function ledTypes({ entities = [], roles = [] }: NodeOptions): readonly string[] {
  return entities
    .filter(({ coordinatorRole: own }) => own !== undefined && roles.includes(own))
    .map(({ name }) => name)
}

/** What lives on a node with these options, and must find its coordinator and its store. */
function hostedTypes(options: NodeOptions): readonly string[] {
  return [...hostedBy(options).map(({ name }) => name), ...rangeTypes(options)]
}

/** Every host of the type has it: its coordinator must run on one of them, and not on whoever is the oldest. */
function hostAttribute(entityType: string): string {
  return `host of ${entityType}`
}

/** Likewise, for types whose coordinators run elsewhere. */
function coordinatorAttribute(entityType: string): string {
  return `coordinator of ${entityType}`
}

/** What the others have to know of a node with these options. */
function attributesOf(options: NodeOptions): readonly string[] {
  return [
    ...hostedTypes(options).map(hostAttribute),
    ...ledTypes(options).map(coordinatorAttribute),
  ]
}

/** What the other hosts must use as well. Who hosts nothing, and runs no coordinator, writes nothing. */
function sharedStoreOf(options: NodeOptions, { storeId: id }: Journal): SharedStore | undefined {
  const isUsed = hostedTypes(options).length + ledTypes(options).length > 0
  if (id === undefined || !isUsed) return undefined
  const { store } = options
  if (isJournal(store)) return { id, name: 'a journal object' }
  if (typeof store === 'function') return { id, name: 'a journal that it opened' }
  const postgres = postgresOf(store)
  if (postgres !== undefined) {
    const { url, partitions = [url ?? ''] } = postgres
    return { id, name: `PostgreSQL at ${partitions.map(placeOfUrl).join(', ')}` }
  }
  const name = store === 'memory' ? "'memory'" : `the folder ${folderOf(store)}`
  return { id, name }
}

function settingsOf({
  numberOfShards,
  passivateAfter,
}: EntityType<unknown>): Partial<ShardingSettings> {
  return {
    ...(numberOfShards !== undefined && { numberOfShards }),
    ...(passivateAfter !== undefined && { passivateIdleAfterMs: idleMs(passivateAfter) }),
  }
}

function idleMs(passivateAfter: Duration | 'never'): number {
  return passivateAfter === 'never' ? Infinity : toMs(passivateAfter, 'passivateAfter')
}

async function join(options: NodeOptions, parts: NodeParts): Promise<void> {
  const { cluster } = parts
  const { seeds = [], discovery } = options
  if (discovery !== undefined) cluster.joinDiscovered()
  else if (seeds.length === 0) cluster.join()
  else cluster.joinSeeds(seeds)
  await cluster.whenUp
  await registered(options, parts)
}

/**
 * Resolves when the regions of this node know their coordinators: the first call need not wait for them. A region that its
 * coordinator refuses will never be of use: rejects with `IncompatibleSettings`.
 */
async function registered(options: NodeOptions, parts: NodeParts): Promise<void> {
  const { system, sharding, remoting } = parts
  const { log, environment } = system
  let patienceEnds: (() => void) | undefined
  const late = new Promise<undefined>((resolve) => (patienceEnds = () => resolve(undefined)))
  const timer = environment.timers.after(registrationPatienceMs, () => patienceEnds?.())
  try {
    for (const name of new Set([...hostedTypes(options), ...ledTypes(options)])) {
      const answer = await Promise.race([sharding.whenRegistered(name), late])
      if (answer === undefined) {
        return log.warn(
          { entityType: name },
          'No coordinator has answered yet; calls will wait for it.',
        )
      }
      const { refusal } = answer
      if (refusal !== undefined) {
        throw new IncompatibleSettings(remoting.node, [`the entity ${name}: ${refusal}`])
      }
    }
  } finally {
    timer.cancel()
  }
}
