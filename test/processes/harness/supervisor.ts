/**
 * Keeps processes running as a process manager does: what ends is started again, and so is what could not start. Nobody else
 * lends the cluster a hand.
 */
import type { Watcher } from './members.ts'
import { type Exit, NodeError, type NodeProcess, ProcessGone } from './node-process.ts'
import { within } from './patience.ts'
import type { Launched, ProcessCluster } from './process-cluster.ts'

/** Between the end of a process and the start of the next. */
const restartMs = 500

export class Supervisor<N extends Watcher, O extends object> {
  readonly processes: ProcessCluster<N, O>
  /** Those that ended though nobody had asked them to, and those that could not start, in words. */
  readonly ends: string[] = []
  readonly #wanted = new Map<string, O>()
  readonly #launched = new Map<string, NodeProcess<N>>()
  readonly #running = new Map<string, NodeProcess<N>>()
  #listeners: (() => void)[] = []

  constructor(processes: ProcessCluster<N, O>) {
    this.processes = processes
  }

  /** Starts it, and again whenever it ends. Resolves when it has started for the first time. */
  async keep(name: string, options: O): Promise<NodeProcess<N>> {
    // A copy: it also tells this wish from later ones.
    const wish = { ...options }
    this.#wanted.set(name, wish)
    this.#run(name, wish).catch((error: unknown) => {
      this.ends.push(`${name} cannot be started: ${String(error)}`)
    })
    for (;;) {
      const node = this.#running.get(name)
      if (node !== undefined) return node
      await this.#changed()
    }
  }

  /** Takes note of one that was started by somebody else. It is not started again. */
  adopt(name: string, node: NodeProcess<N>): void {
    this.#launched.set(name, node)
    this.#running.set(name, node)
  }

  /** Starts nothing any more. */
  end(): void {
    this.#wanted.clear()
  }

  /** SIGTERM, and it stays down. */
  terminate(name: string): Promise<Exit> {
    this.#wanted.delete(name)
    return this.#known(name).terminate()
  }

  /** kill -9, and it stays down. */
  kill(name: string): Promise<Exit> {
    this.#wanted.delete(name)
    return this.#known(name).kill()
  }

  /** One that has started and not ended. */
  named(name: string): NodeProcess<N> {
    const node = this.#running.get(name)
    if (node === undefined) throw new Error(`${name} does not run`)
    return node
  }

  /** Resolves when these, whichever of their lives it is, see exactly each other, Up and reachable. Answers how long it took. */
  async united(names: readonly string[], limitMs: number): Promise<number> {
    const begunMs = performance.now()
    const up = await Promise.all(names.map((name) => this.processes.addressOf(name)))
    await within(this.#unite(names, up), `one cluster of ${names.join(', ')}`, Math.round(limitMs))
    return performance.now() - begunMs
  }

  async #unite(names: readonly string[], up: readonly string[]): Promise<void> {
    for (;;) {
      const nodes: (NodeProcess<Watcher> | undefined)[] = names.map((n) => this.#running.get(n))
      const change = this.#changed()
      if (nodes.every((node) => node !== undefined)) {
        const all = Promise.all(nodes.map((node) => node.call('whenViewIs', { up })))
        const isDone = await Promise.race([all.then(() => true), change.then(() => false)]).catch(
          (error: unknown) => {
            if (!(error instanceof ProcessGone)) throw error
            return false
          },
        )
        all.catch(() => undefined)
        if (isDone) return
      }
      await change
    }
  }

  /** What each of them sees, in words: for the story of a run that failed. */
  async views(names: readonly string[]): Promise<string[]> {
    return Promise.all(
      names.map(async (name) => {
        const node: NodeProcess<Watcher> | undefined = this.#running.get(name)
        if (node === undefined) return `${name} does not run`
        const view = await node.callWithin(2_000, 'view').catch(() => undefined)
        if (view === undefined) return `${name} does not answer`
        const members = view.members.map(({ node: id, status }) => `${id} ${status}`)
        return `${name}${view.isFrozen ? ', frozen,' : ''} sees ${members.join(', ')}`
      }),
    )
  }

  async #run(name: string, options: O): Promise<void> {
    while (this.#wanted.get(name) === options) {
      const { node, started } = await this.processes.launch(name, options)
      this.#launched.set(name, node)
      try {
        await started
        this.#running.set(name, node)
        this.#tell()
      } catch (error) {
        // A program whose node does not start ends.
        await node.kill()
        if (this.#wanted.get(name) === options) {
          this.ends.push(`${name} did not start: ${String(error)}`)
        }
      }
      const { code, signal } = await node.exited
      if (this.#running.get(name) === node) this.#running.delete(name)
      if (this.#wanted.get(name) !== options) break
      if (code !== 0 || signal !== null) this.ends.push(`${name} ended with ${signal ?? code}`)
      this.#tell()
      await new Promise((resolve) => setTimeout(resolve, restartMs))
    }
  }

  #known(name: string): NodeProcess<N> {
    const node = this.#launched.get(name)
    if (node === undefined) throw new Error(`${name} was never started`)
    return node
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve))
  }

  #tell(): void {
    for (const tell of this.#listeners.splice(0)) tell()
  }
}

/** What was said when a start was refused, and the process ended; undefined when it was not. */
export async function refusalOf<N>({ node, started }: Launched<N>): Promise<string | undefined> {
  try {
    await started
    return undefined
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof ProcessGone)) throw error
    await node.kill()
    return `${error.message} ${node.transcript}`
  }
}
