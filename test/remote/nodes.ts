/** Nodes for tests of remoting: an actor system with a network each, ended together, and waits for events. */
import { ActorSystem, type ActorSettings, type EventClass } from '../../src/actor/index.ts'
import { hostAndPortOf } from '../../src/foundation/node-id.ts'
import {
  type ChosenRemoteSettings,
  type RemoteSettings,
  tcpTransport,
  type TlsOptions,
  type Transport,
} from '../../src/remote/index.ts'
import { openTls, Remoting, type RemotingOptions } from '../../src/remote/internals.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { patienceMs } from '../processes/harness/patience.ts'
import { Authority } from './certificates.ts'
import { MemoryNetwork } from './memory-transport.ts'

export interface TestNode {
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly logs: CapturedLogs
  readonly port: number
  /** Ends the process of this node as kill -9 would, as far as others can see. */
  kill(): Promise<void>
}

export interface TestNodeOptions extends Partial<Omit<RemotingOptions, 'settings'>> {
  readonly name?: string
  readonly port?: number
  readonly remote?: ChosenRemoteSettings
  /** Encrypted, in place of the network of these nodes. */
  readonly tls?: TlsOptions
  readonly actor?: Partial<ActorSettings>
}

/** Fast enough for tests that wait for a second attempt. */
const quick: Partial<RemoteSettings> = { reconnectMinMs: 5, reconnectMaxMs: 50, confirmAfterMs: 10 }

export class TestNodes {
  readonly transport: Transport
  readonly network: MemoryNetwork | undefined
  readonly #nodes: TestNode[] = []
  readonly #tls: (() => TlsOptions) | undefined

  constructor(kind: 'tcp' | 'tls' | 'memory', seed = 1) {
    const authority = kind === 'tls' ? new Authority() : undefined
    this.#tls = authority && (() => authority.credentials())
    const random = new SeededRandom(seed, 'network')
    const schedule = (callback: () => void): void => void setImmediate(callback)
    this.network = kind === 'memory' ? new MemoryNetwork({ random, schedule }) : undefined
    this.transport = this.network?.transport ?? tcpTransport
  }

  async start(options: TestNodeOptions = {}): Promise<TestNode> {
    const { name = 'shop', port = 0, remote, actor, tls = this.#tls?.(), ...rest } = options
    const logs = new CapturedLogs()
    const system = new ActorSystem(name, {
      environment: { logger: logs },
      settings: { hookSignals: false, ...actor },
    })
    const clusterName = rest.clusterName ?? 'test'
    const remoting = await Remoting.start({
      system,
      transport: this.transport,
      ...(tls !== undefined && (await networkOf(tls, clusterName, system, remote?.certificates))),
      clusterName,
      bind: { host: '127.0.0.1', port },
      settings: { ...quick, ...remote },
      ...rest,
    })
    const node: TestNode = {
      system,
      remoting,
      logs,
      port: hostAndPortOf(remoting.address).port,
      kill: async () => {
        await remoting.stop()
        await system.terminate()
      },
    }
    this.#nodes.push(node)
    return node
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map(({ system }) => system.terminate()))
  }
}

async function networkOf(
  tls: TlsOptions,
  clusterName: string,
  system: ActorSystem,
  settings: ChosenRemoteSettings['certificates'],
): Promise<Pick<RemotingOptions, 'transport' | 'certificates'>> {
  const environment = { ...system.environment, logger: system.log }
  const network = await openTls({ tls, clusterName, settings, environment })
  system.shutdown.addTask('actor-system-terminate', 'look at no more certificates', async () =>
    network.stop(),
  )
  return network
}

/** Lets turns pass until the condition holds, doing this in each; fails by name when it never does. */
export async function untilTurn(
  what: string,
  isTrue: () => boolean,
  inEachTurn: () => void = () => undefined,
): Promise<void> {
  const endMs = performance.now() + patienceMs
  while (!isTrue()) {
    if (performance.now() > endMs) throw new Error(`not within ${patienceMs} ms: ${what}`)
    inEachTurn()
    await new Promise(setImmediate)
  }
}

/** The next event of this class that satisfies the predicate; fails by name when it does not come. */
export function nextEvent<E>(
  system: ActorSystem,
  eventClass: EventClass<E>,
  isMeant: (event: E) => boolean = () => true,
): Promise<E> {
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => {
      subscription.unsubscribe()
      reject(new Error(`no ${eventClass.name} came within ${patienceMs} ms`))
    }, patienceMs)
    const subscription = system.eventStream.subscribe(eventClass, (event) => {
      if (!isMeant(event)) return
      clearTimeout(patience)
      subscription.unsubscribe()
      resolve(event)
    })
  })
}
