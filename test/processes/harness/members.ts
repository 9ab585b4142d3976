/** A cluster of node processes of which each can say what it sees of the others: formed, changed, and awaited. */
import { lowestOf, type View, type WantedView } from '../nodes/views.ts'
import type { NodeProcess } from './node-process.ts'
import type { ProcessCluster } from './process-cluster.ts'

/** What every kind of node that is a member can be asked. */
export interface Watcher {
  view(): View
  whenViewIs(wanted: WantedView): Promise<View>
}

interface WithSeeds {
  readonly seeds?: readonly string[]
}

export class Members<N extends Watcher, O extends WithSeeds> {
  readonly processes: ProcessCluster<N, O>
  readonly #running = new Map<string, NodeProcess<N>>()

  constructor(processes: ProcessCluster<N, O>) {
    this.processes = processes
  }

  /** Starts them side by side, all with the same seeds, and waits until all see all. */
  async form(names: readonly string[], options: O): Promise<NodeProcess<N>[]> {
    const seeds = options.seeds ?? (await this.addresses(names))
    const members = await Promise.all(names.map((name) => this.start(name, { ...options, seeds })))
    await this.settle()
    return members
  }

  async start(name: string, options: O): Promise<NodeProcess<N>> {
    const member = await this.processes.start(name, options)
    this.#running.set(name, member)
    void member.exited.then(() => {
      if (this.#running.get(name) === member) this.#running.delete(name)
    })
    return member
  }

  addresses(names: readonly string[]): Promise<string[]> {
    return Promise.all(names.map((name) => this.processes.addressOf(name)))
  }

  /** Waits until these, or all that run, see exactly each other, Up and reachable; answers what they see. */
  async settle(
    names: readonly string[] = [...this.#running.keys()],
    roles: Readonly<Record<string, string>> = {},
  ): Promise<View[]> {
    const wanted: WantedView = { up: await this.addresses(names), roles }
    // All are found before any is asked: nobody would wait for those answers.
    const members: NodeProcess<Watcher>[] = names.map((name) => this.named(name))
    return Promise.all(members.map((member) => member.call('whenViewIs', wanted)))
  }

  get running(): readonly NodeProcess<N>[] {
    return [...this.#running.values()]
  }

  named(name: string): NodeProcess<N> {
    const member = this.#running.get(name)
    if (member === undefined) throw new Error(`${name} does not run`)
    return member
  }

  /** The name of the running member that must lead: the one of the lowest address. */
  async leaderToBe(): Promise<string> {
    const names = [...this.#running.keys()]
    const addresses = await this.addresses(names)
    return names[addresses.indexOf(lowestOf(addresses))] ?? ''
  }
}
