/**
 * Starts a node: chooses the adapters, starts every room from the ground up, joins the cluster, and resolves when entities
 * can be called. Whatever fails, all that was started is stopped again.
 */
import { ActorSystem } from '../actor/index.ts'
import { Cluster, IncompatibleSettings, type SharedStore } from '../cluster/index.ts'
import {
  answerLostCalls,
  type AnyEntity,
  entityBehavior,
  type EntityCall,
  type EntityType,
  EntityWorld,
} from '../entity/index.ts'
import { type Duration, seconds, toMs } from '../foundation/duration.ts'
import { systemEnvironment } from '../foundation/system-environment.ts'
import { type Journal, LmdbJournal, MemoryJournal, RecoveryPermits } from '../persistence/index.ts'
import { Remoting, tcpTransport } from '../remote/index.ts'
import { ValueCodec } from '../serialization/index.ts'
import { ClusterSharding, EntityTypeKey, type ShardingSettings } from '../sharding/index.ts'
import { Singletons } from '../singleton/index.ts'
import type { Environment } from '../foundation/environment.ts'
import { ForeignWriters } from './foreign-writers.ts'
import { GuardedJournal } from './guarded-journal.ts'
import { type NodeParts, SherdNode } from './sherd-node.ts'
import type { HostedEntity, NodeOptions } from './node-options.ts'
import { checkNodeOptions, defaultHost, hostRolePrefix, isJournal } from './node-settings.ts'
import { clusterSettingsOf } from './room-settings.ts'

const defaultName = 'sherd'
const defaultFolder = './sherd-data'
/** How long a fresh member waits for the coordinators of its types before it says that it is ready all the same. */
const registrationPatienceMs = seconds(10)
const registrationLookMs = 10

/**
 * Rejects with `InvalidSettings`, `NotThereYet`, `PortTaken`, `InsecureBind`, `JoinFailed`, `JournalFolderUnusable` and
 * others, each of which says what to do.
 */
export async function startNode(options: NodeOptions): Promise<SherdNode> {
  checkNodeOptions(options)
  const environment = systemEnvironment(options.environment)
  const journal = openJournal(options, environment)
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
  // The very last thing: whoever still writes must be able to.
  system.shutdown.addTask('actor-system-terminate', 'close the journal', async () => {
    await system.whenTerminated
    await journal.close()
  })
  try {
    const parts = await startRooms(options, system, journal)
    const node = new SherdNode(parts)
    initEntities(options, parts)
    options.beforeJoin?.(node)
    await join(options, parts)
    return node
  } catch (error) {
    await system.terminate()
    throw error
  }
}

function openJournal({ store, settings }: NodeOptions, environment: Environment): GuardedJournal {
  // Two journals in memory are two stores: only an id tells.
  const makeId = (): string => environment.random.uid().toString(36)
  if (isJournal(store)) {
    if (store instanceof MemoryJournal) store.identify(makeId)
    return new GuardedJournal(store, false)
  }
  const journalSettings = settings?.journal
  const chosen = journalSettings === undefined ? {} : { settings: journalSettings }
  if (store === 'memory') {
    const journal = new MemoryJournal(chosen)
    journal.identify(makeId)
    return new GuardedJournal(journal, true)
  }
  const { timers, clock, logger } = environment
  const folder = store?.folder ?? defaultFolder
  return new GuardedJournal(LmdbJournal.open({ folder, timers, clock, logger, ...chosen }), true)
}

async function startRooms(
  options: NodeOptions,
  system: ActorSystem,
  journal: GuardedJournal,
): Promise<NodeParts> {
  const { name = defaultName, host = defaultHost, port = 0, advertised } = options
  const { settings = {}, secret, insecure = false, transport = tcpTransport } = options
  const remoting = await Remoting.start({
    ...{ system, transport, clusterName: name, bind: { host, port }, secret, insecure },
    ...(advertised !== undefined && { advertised }),
    ...(settings.remote !== undefined && { settings: settings.remote }),
  })
  const roles = [...(options.roles ?? []), ...hostedBy(options).map(hostRoleOf)]
  const cluster = Cluster.start({
    ...{ system, remoting, roles, settings: clusterSettingsOf(options) },
    store: sharedStoreOf(options, journal),
    ...(options.appVersion !== undefined && { appVersion: options.appVersion }),
  })
  journal.isFrozen = () => cluster.lookForFreeze()
  const singletons = new Singletons({
    ...{ system, remoting, cluster },
    ...(settings.singleton !== undefined && { settings: settings.singleton }),
  })
  const foreignWriters = new ForeignWriters(cluster, system.log)
  const adviceOnWriter = (writer: string) => foreignWriters.adviceOn(writer)
  const sharding = new ClusterSharding({
    ...{ system, remoting, cluster, singletons, journal, roles, adviceOnWriter },
    ...(settings.sharding !== undefined && { settings: settings.sharding }),
  })
  const world = new EntityWorld({
    journal,
    codec: new ValueCodec({ use: 'stored' }),
    serialization: settings.remote?.serialization ?? {},
    recoveryPermits: new RecoveryPermits(settings.concurrentRecoveriesMax),
    writer: remoting.node,
    adviceOnWriter,
    ...(settings.entity !== undefined && { settings: settings.entity }),
  })
  return { system, remoting, cluster, singletons, sharding, world }
}

function initEntities(options: NodeOptions, { system, sharding, world }: NodeParts): void {
  const { entities = [], proxies = [] } = options
  const called = new Set([...entities, ...proxies].map(({ name }) => name))
  const { answered, work } = world
  answerLostCalls({ system, answered, work, isOurs: (name) => called.has(name) })
  for (const entity of entities) {
    const { allocationStrategy } = entity
    const behaviorOf = entityBehavior(entity as AnyEntity, world)
    sharding.init({
      key: new EntityTypeKey<EntityCall>(entity.name),
      behavior: ({ entityId }) => behaviorOf(entityId),
      ...(allocationStrategy !== undefined && { strategy: allocationStrategy }),
      ...routingOf(entity),
    })
  }
  const hosted = new Set(entities.map(({ name }) => name))
  for (const type of proxies) {
    if (hosted.has(type.name)) continue
    sharding.startProxy({ typeName: type.name, ...routingOf(type) })
  }
}

/** The entity types that live on a node with these options. */
function hostedBy({ entities = [], roles = [] }: NodeOptions): readonly HostedEntity[] {
  return entities.filter(({ role }) => role === undefined || roles.includes(role))
}

/** A role that every host of the type has: its coordinator must run on one of them, and not on whoever is the oldest. */
function hostRoleOf({ name }: EntityType<unknown>): string {
  return `${hostRolePrefix}${name}`
}

/** What the other hosts must use as well. Who hosts nothing writes nothing. */
function sharedStoreOf(options: NodeOptions, { storeId: id }: Journal): SharedStore | undefined {
  if (id === undefined || hostedBy(options).length === 0) return undefined
  const { store } = options
  if (isJournal(store)) return { id, name: 'a journal object' }
  const name = store === 'memory' ? "'memory'" : `the folder ${store?.folder ?? defaultFolder}`
  return { id, name }
}

function routingOf(type: EntityType<unknown>): {
  readonly role: string
  readonly settings: Partial<ShardingSettings>
} {
  const { numberOfShards, passivateAfter } = type
  const settings = {
    ...(numberOfShards !== undefined && { numberOfShards }),
    ...(passivateAfter !== undefined && { passivateIdleAfterMs: idleMs(passivateAfter) }),
  }
  return { role: hostRoleOf(type), settings }
}

function idleMs(passivateAfter: Duration | 'never'): number {
  return passivateAfter === 'never' ? Infinity : toMs(passivateAfter, 'passivateAfter')
}

async function join(options: NodeOptions, parts: NodeParts): Promise<void> {
  const { cluster } = parts
  const { seeds = [] } = options
  if (seeds.length === 0) cluster.join()
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
  const { timers, clock } = system.environment
  const beganMs = clock.monotonicMs()
  for (const { name } of hostedBy(options)) {
    while (sharding.regionState(name).coordinator === undefined) {
      if (clock.monotonicMs() - beganMs > registrationPatienceMs) {
        system.log.warn(
          { entity: name },
          'No coordinator has answered yet; calls will wait for it.',
        )
        return
      }
      await new Promise<void>((resolve) => void timers.after(registrationLookMs, resolve))
    }
    const { refusal } = sharding.regionState(name)
    if (refusal !== undefined) {
      throw new IncompatibleSettings(remoting.node, [`the entity ${name}: ${refusal}`])
    }
  }
}
