/**
 * Words that are told to entities all the time, through every node but those that are about to leave: as they are only told,
 * nobody repeats one. In the end each must have been heard once.
 */
import type { NodeProcess } from '../harness/node-process.ts'
import type { EntityNode } from '../nodes/entity-node.ts'

export interface TellsOptions {
  /** The nodes that run. */
  readonly nodes: () => readonly NodeProcess<EntityNode>[]
  /** How long a teller rests after each round of words. */
  readonly paceMs: number
  /** Aborted when nothing is to be told any more. */
  readonly over: AbortSignal
}

export interface Heard {
  /** That no node took, with the error. */
  readonly refused: readonly string[]
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
}

const ears = Array.from({ length: 40 }, (_, n) => `ear-${n}`)
const lookMs = 50

export class Tells {
  readonly #options: TellsOptions
  readonly #told = new Set<string>()
  /** Every process that may have heard something, whether it still runs or not. */
  readonly #lives = new Set<NodeProcess<EntityNode>>()
  readonly #shunned = new Set<string>()
  readonly #refused: string[] = []
  readonly #underWay = new Map<string, Promise<unknown>>()
  #teller: Promise<void> | undefined
  #isStopping = false

  constructor(options: TellsOptions) {
    this.#options = options
  }

  get told(): number {
    return this.#told.size
  }

  start(): void {
    this.#teller = this.#tellUntilStopped()
  }

  /** Uses that node no more: resolves when it has taken all that it was given. */
  async leave(name: string): Promise<void> {
    this.#shunned.add(name)
    await this.#underWay.get(name)
  }

  /** It is there again. */
  back(name: string): void {
    this.#shunned.delete(name)
  }

  /** Ends it, and answers what was not taken, not heard in time or heard more than once, in words. */
  async stop(withinMs: number): Promise<Heard> {
    this.#isStopping = true
    await this.#teller
    await Promise.all(this.#underWay.values())
    const untilMs = performance.now() + withinMs
    for (;;) {
      const heard = this.#heard()
      const lost = [...this.#told].filter((word) => !heard.has(word))
      const doubled = [...heard].filter(([, times]) => times > 1).map(([word]) => word)
      if (lost.length === 0 || performance.now() > untilMs) {
        return { refused: this.#refused, lost, doubled }
      }
      await rest(lookMs)
    }
  }

  #heard(): Map<string, number> {
    const heard = new Map<string, number>()
    for (const { news } of this.#lives) {
      for (const { type, word } of news.since()) {
        if (type === 'Heard') heard.set(String(word), (heard.get(String(word)) ?? 0) + 1)
      }
    }
    return heard
  }

  async #tellUntilStopped(): Promise<void> {
    for (let round = 1; !this.#isStopping && !this.#options.over.aborted; round++) {
      const nodes = this.#options.nodes()
      for (const node of nodes) {
        this.#lives.add(node)
        if (!this.#shunned.has(node.name)) this.#tell(node, round)
      }
      await rest(this.#options.paceMs)
    }
  }

  #tell(node: NodeProcess<EntityNode>, round: number): void {
    const ear = ears[(round * 7 + this.#told.size) % ears.length] as string
    const word = `${node.name} ${node.pid} to ${ear}, ${round}`
    this.#told.add(word)
    const taken = node
      .call('tellEar', ear, word)
      .catch((error: unknown) => void this.#refused.push(`${word}: ${String(error)}`))
    this.#underWay.set(node.name, taken)
  }
}

/** The pace of the load; nothing waits for anything here. */
function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
