/** What the sharded benchmarks agree on: a thousand plain actor entities in a hundred shards, on nodes of this machine. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type ActorRef, Behaviors } from '../src/actor/index.ts'
import { Cluster } from '../src/cluster/internals.ts'
import { MemoryJournal } from '../src/persistence/index.ts'
import { tcpTransport } from '../src/remote/index.ts'
import { Remoting } from '../src/remote/internals.ts'
import { EntityTypeKey, type Passivation } from '../src/sharding/index.ts'
import { ClusterSharding } from '../src/sharding/internals.ts'
import { Singletons } from '../src/singleton/internals.ts'
import { quietSystem } from './quiet-system.ts'

export const entityCount = 1000
export const entityIds = Array.from({ length: entityCount }, (_, index) => `account-${index}`)

/** Messages after which the entities ask for the next burst; one to each entity. */
export const burst = 1_000

export type ToAccount =
  | { readonly type: 'add'; readonly by: number }
  | { readonly type: 'get'; readonly replyTo: ActorRef<number> }
  /** From now on, this actor is told whenever all entities of the process together have handled a burst. */
  | { readonly type: 'hello'; readonly sender: ActorRef<string> }

export const accounts = new EntityTypeKey<ToAccount>('Account')

/** A node of the cluster `bench`: the first forms it, the others join it. */
export async function startMember(seed?: string) {
  const system = quietSystem()
  const remoting = await Remoting.start({
    system,
    transport: tcpTransport,
    clusterName: 'bench',
    bind: { host: '127.0.0.1', port: 0 },
  })
  const cluster = Cluster.start({ system, remoting })
  const singletons = new Singletons({ system, remoting, cluster })
  const journal = new MemoryJournal()
  const settings = { numberOfShards: 100, passivateIdleAfterMs: Infinity }
  const sharding = new ClusterSharding({
    system,
    remoting,
    cluster,
    singletons,
    journal,
    settings,
  })
  cluster.join(seed ?? remoting.address)
  await cluster.whenUp
  return { system, remoting, cluster, sharding }
}

export type BenchMember = Awaited<ReturnType<typeof startMember>>

/** Makes the member a host of accounts. Every account adds up, answers 1, and counts the bursts of its process. */
export function hostAccounts({ sharding }: BenchMember, passivation: Passivation = 'off'): void {
  let sender: ActorRef<string> | undefined
  let handled = 0
  const behavior = Behaviors.receiveMessage<ToAccount>((message) => {
    if (message.type === 'get') return message.replyTo.tell(1)
    if (message.type === 'hello') sender = message.sender
    else if (++handled % burst === 0) sender?.tell('next')
  })
  sharding.init({ key: accounts, behavior: () => behavior, passivation })
}

/** Asks every account once, so that all shards have homes and all entities run. */
export async function wakeAll(member: BenchMember) {
  const refs = entityIds.map((id) => member.sharding.entityRefFor(accounts, id))
  const get = (replyTo: ActorRef<number>): ToAccount => ({ type: 'get', replyTo })
  await Promise.all(refs.map((ref) => ref.ask(get, { timeout: '20s' })))
  return refs
}

/** Starts a process that hosts all accounts, and waits until it is up. */
export function startHost(): Promise<{ readonly address: string; end(): void }> {
  const child = fork(fileURLToPath(new URL('./sharded-child.js', import.meta.url)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the other process ended with ${code}`)))
    child.once('message', (address) =>
      resolve({ address: address as string, end: () => child.disconnect() }),
    )
  })
}
