/**
 * S1: at most one instance of an entity is active at any time. An instance is active from its start to its stop while its
 * node lives, is not frozen and does not sleep. A node that has slept counts as active again when one of its entities acts:
 * so the sleeper is blamed for the message it handles after it was replaced, and not for having slept.
 */
import type { Findings, WatchedLife } from './findings.ts'

interface NodeRecord {
  readonly life: WatchedLife
  isFrozen: boolean
  /** The pauses it had had when an entity of it acted last. */
  pausesSeen: number
}

interface Instance {
  readonly node: NodeRecord
  readonly number: string
  readonly startedMs: number
}

/** At most one instance of an entity is active at any time. */
export class OneActiveInstance {
  readonly #findings: Findings
  readonly #nodes = new Map<string, NodeRecord>()
  readonly #instances = new Map<string, Instance[]>()
  /** The reason why two may be active now by a rule that was written down before; undefined when they may not. */
  readonly #excuse: () => string | undefined

  constructor(findings: Findings, excuse: () => string | undefined = () => undefined) {
    this.#findings = findings
    this.#excuse = excuse
  }

  started(life: WatchedLife, entity: string, number: string): void {
    const node = this.#node(life)
    const instance: Instance = { node, number, startedMs: this.#findings.now }
    const all = this.#livingOf(entity)
    // On a node that is frozen, or has slept and not looked at the clock, it may stand and wait, but not act.
    if (isActive(instance)) this.#compare(entity, instance, all, 'started')
    all.push(instance)
    this.#instances.set(entity, all)
  }

  stopped(life: WatchedLife, entity: string, number: string): void {
    const others = this.#livingOf(entity).filter(
      (each) => each.node.life.label !== life.label || each.number !== number,
    )
    if (others.length === 0) this.#instances.delete(entity)
    else this.#instances.set(entity, others)
  }

  /** An instance on that node handles a message. */
  acted(life: WatchedLife, entity: string): void {
    const node = this.#node(life)
    this.#findings.check(
      'nothing is handled on a frozen node',
      !node.isFrozen,
      `${entity} handled a message on ${life.label}`,
    )
    const all = this.#livingOf(entity)
    const own = all.find((each) => each.node === node)
    node.pausesSeen = life.pauseCount
    if (own !== undefined) this.#compare(entity, own, all, 'acts')
  }

  frozen(life: WatchedLife): void {
    this.#node(life).isFrozen = true
  }

  thawed(life: WatchedLife): void {
    const node = this.#node(life)
    node.isFrozen = false
    node.pausesSeen = life.pauseCount
  }

  #compare(entity: string, own: Instance, all: readonly Instance[], what: string): void {
    const rival = all.find((each) => each !== own && isActive(each))
    if (rival === undefined) return
    const excuse = this.#excuse()
    if (excuse !== undefined) return this.#findings.excuse(`S1: ${excuse}`)
    this.#findings.check(
      'at most one active instance of an entity',
      false,
      `${entity} ${what} on ${inWords(own)}, and lives on ${inWords(rival)}`,
    )
  }

  #livingOf(entity: string): Instance[] {
    return (this.#instances.get(entity) ?? []).filter(({ node }) => node.life.isAlive)
  }

  #node(life: WatchedLife): NodeRecord {
    let node = this.#nodes.get(life.label)
    if (node === undefined) {
      node = { life, isFrozen: false, pausesSeen: 0 }
      this.#nodes.set(life.label, node)
    }
    return node
  }
}

function isActive({ node }: Instance): boolean {
  const { life, isFrozen, pausesSeen } = node
  return life.isAlive && !life.isPaused && !isFrozen && pausesSeen === life.pauseCount
}

function inWords({ node, number, startedMs }: Instance): string {
  return `${node.life.label} (instance ${number}, started at ${startedMs} ms)`
}
