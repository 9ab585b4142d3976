/**
 * A cluster for `failover`: three processes with counters on one store, and a client in this process. All seeds are known
 * beforehand and all processes start at once, as a deployment would.
 *
 * The client is a fourth member that only routes: it lacks the role of the hosts, so it never runs an entity or the
 * coordinator. It counts when a majority is sought, but four members wait no longer than three before they give one up,
 * and three of four are as clear a majority as two of three.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type SherdNode, startNode } from '../src/node/index.ts'
import { LmdbJournal, persistenceIdOf } from '../src/persistence/index.ts'
import { freePort } from '../test/processes/harness/free-port.ts'
import { Counter, counterIds, hostRole } from './failover-counter.ts'
import { Callers } from './failover-callers.ts'
import { optionsAt, type Place } from './failover-place.ts'

const hostCount = 3
const program = fileURLToPath(new URL('./failover-child.js', import.meta.url))
/** Lines that are remembered of what a process wrote. */
const wordsMax = 20

const quiet = (): void => {}
const logger = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: console.error }

/** Where each process is, when they are not all on one host. */
export interface Seats {
  readonly client: string
  readonly hosts: readonly Seat[]
}

interface Seat {
  /** Undefined: loopback. */
  readonly host?: string
  readonly port: number
  /** What stands before its command. */
  readonly enter?: readonly string[]
}

/** Something that happened, and when. */
export interface News {
  readonly atMs: number
  readonly what: string
}

export class Host {
  readonly address: string
  readonly whenReady: Promise<void>
  readonly whenExited: Promise<void>
  readonly #child: ChildProcess
  readonly #words: string[] = []
  #mayExit = false

  constructor(
    { enter = [], ...seat }: Seat,
    cluster: Pick<Place, 'seeds'> & { readonly folder: string },
    tell: (what: string) => void,
  ) {
    const address = addressAt(seat)
    this.address = address
    const [execPath, ...execArgv] = [...enter, process.execPath]
    const child = fork(program, [JSON.stringify({ ...cluster, ...seat })], {
      execPath,
      execArgv,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child = child
    const listen = (chunk: Buffer): void => {
      this.#words.push(...chunk.toString().trimEnd().split('\n'))
      this.#words.splice(0, this.#words.length - wordsMax)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.on('message', (what) => tell(`${address} ${what as string}`))
    this.whenReady = new Promise((resolve) => {
      child.on('message', (what) => what === 'ready' && resolve())
    })
    this.whenExited = new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => {
        if (this.#mayExit) resolve()
        else reject(new Error(`a host ended with ${code}:\n${this.#words.join('\n')}`))
      })
    })
    // Those who wait for it hear of it.
    this.whenExited.catch(() => {})
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Nobody has told it to end. */
  get isAlive(): boolean {
    return !this.#mayExit
  }

  end(signal: 'SIGKILL' | 'SIGTERM'): void {
    this.#mayExit = true
    this.#child.kill(signal)
  }

  /** Lets it leave; resolves when its process is gone. */
  async leave(patienceMs: number): Promise<void> {
    this.end('SIGTERM')
    const isLate = new AbortController()
    const late = async (): Promise<never> => {
      await pause(patienceMs, undefined, { signal: isLate.signal })
      throw new Error(`a host has not left in ${patienceMs} ms:\n${this.#words.join('\n')}`)
    }
    try {
      await Promise.race([this.whenExited, late()])
    } finally {
      isLate.abort()
    }
  }
}

/** Made by `startCluster`. */
export class FailoverCluster {
  readonly hosts: readonly Host[]
  /** What happened, in order. */
  readonly news: News[] = []
  readonly #folder = mkdtempSync(join(tmpdir(), 'sherd-failover-'))
  readonly #clear = (): void => {
    for (const host of this.hosts) host.end('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
  /** Of the client. */
  readonly #place: Place
  readonly #startedMs = performance.now()
  #client: SherdNode | undefined

  constructor(seats: readonly Seat[], client?: string) {
    const seeds = seats.map(addressAt)
    this.#place = { ...(client !== undefined && { host: client }), port: 0, seeds }
    const tell = (what: string): void => this.tell(what)
    this.hosts = seats.map((seat) => new Host(seat, { folder: this.#folder, seeds }, tell))
    // Also when this process ends in the middle.
    process.once('exit', this.#clear)
  }

  /** Starts the client. Resolves when the first counter has answered it: with the time since the first process started. */
  async firstAnswer(callTimeoutMs: number): Promise<{ startMs: number; callers: Callers }> {
    const options = optionsAt(this.#place)
    const client = await startNode({
      proxies: [Counter],
      store: 'memory',
      environment: { logger },
      ...options,
      settings: { ...options.settings, actor: { hookSignals: false } },
    })
    this.#client = client
    this.tell('client up')
    client.cluster.subscribe((event) => {
      if ('member' in event) this.tell(`${addressOf(event.member.node)} ${event.type}`)
    })
    const callers = new Callers(
      counterIds.map((id) => {
        const counter = client.entity(Counter, id, { timeout: callTimeoutMs })
        return (operation) => counter.count(operation)
      }),
    )
    await callers.callFirst()
    return { startMs: performance.now() - this.#startedMs, callers }
  }

  /** Rejects when a host ends that nobody has told to. */
  get whenAllReady(): Promise<unknown> {
    const unwanted = this.hosts.map(async ({ whenExited }) => {
      await whenExited
      throw new Error('a host has ended before it was ready')
    })
    return Promise.race([Promise.all(this.hosts.map(({ whenReady }) => whenReady)), ...unwanted])
  }

  /** The host that has been a member for longest: the coordinator is there. */
  get oldest(): Host {
    const members = this.#client?.cluster.state.members ?? []
    const hosts = members.filter(({ roles }) => roles.includes(hostRole))
    const [oldest] = hosts.sort((a, b) => a.upNumber - b.upNumber)
    const found = this.hosts.find(({ address }) => oldest && address === addressOf(oldest.node))
    if (found === undefined) throw new Error('the client sees no host')
    return found
  }

  tell(what: string): void {
    this.news.push({ atMs: performance.now(), what })
  }

  /** Ends the client and all hosts. May be called twice. */
  async stop(): Promise<void> {
    try {
      // Before the hosts are gone: it leaves them in order.
      await this.#client?.stop()
    } finally {
      for (const host of this.hosts) host.end('SIGKILL')
      await Promise.allSettled(this.hosts.map(({ whenExited }) => whenExited))
    }
  }

  /** What lies in the store for each counter. When all have stopped. */
  async storedCounts(): Promise<number[]> {
    const journal = await LmdbJournal.open({ folder: this.#folder })
    try {
      const idOf = (id: string): string => persistenceIdOf(Counter.name, id)
      return await Promise.all(counterIds.map((id) => journal.highestSequenceNr(idOf(id))))
    } finally {
      await journal.close()
    }
  }

  async close(): Promise<void> {
    try {
      await this.stop()
    } finally {
      process.off('exit', this.#clear)
      this.#clear()
    }
  }
}

export async function startCluster(seats?: Seats): Promise<FailoverCluster> {
  if (seats !== undefined) return new FailoverCluster(seats.hosts, seats.client)
  const ports = await Promise.all(Array.from({ length: hostCount }, freePort))
  return new FailoverCluster(ports.map((port) => ({ port })))
}

function addressAt({ host = '127.0.0.1', port }: Seat): string {
  return `${host}:${port}`
}

/** `127.0.0.1:41234#00c0ffee12345678` without the number of the incarnation. */
function addressOf(node: string): string {
  return node.slice(0, node.indexOf('#'))
}
