/**
 * S3: every message is delivered, or a node tells that it gave it up and something went wrong that explains it, or a fault
 * that came after it excuses it: the death of its sender or of a process that may have held it, or a connection between
 * two of those that broke with messages in it. May have held it: who ran the shard of its target up to then, or was to run
 * it; anyone, while no process that is awake runs that shard. Excuses are counted; those for connections may not exceed
 * what the nodes themselves counted as unconfirmed.
 *
 * What explains a loss is near: it lasted until shortly before the message was sent, or came later; and where a message is
 * given up on its way from one node to another, it happened to one of those that it may have been on.
 */
import type { FaultKind, Findings, Trouble } from './findings.ts'

interface Sent {
  readonly id: string
  readonly atMs: number
  readonly by: string
  readonly to: string | undefined
  /** It was given to a node that had been told to stop: that node may refuse it. */
  readonly isLate: boolean
  excuse: Excuse | undefined
}

/**
 * A fault, or a node that could not let go of its entities in the time it has for that, or nodes that leave all at once, so
 * that nobody is left who could host.
 */
type Kind = FaultKind | 'overrun' | 'desertion'

interface OwnTrouble extends Omit<Trouble, 'kind'> {
  readonly kind: Kind
}

const anyTrouble: readonly Kind[] = ['crash', 'pause', 'network', 'store', 'overrun']
const peerTrouble: readonly Kind[] = ['crash', 'pause', 'network', 'overrun']

interface Explanation {
  readonly kinds: readonly Kind[]
  /**
   * A hand-off needs every node, so any may have kept it from going well; on its way a message meets only some; and an
   * actor ends because of what happened to its own node.
   */
  readonly where: 'anywhere' | 'on its way' | 'there'
}

const anywhere = { kinds: anyTrouble, where: 'anywhere' } as const
const there = { kinds: anyTrouble, where: 'there' } as const
const onItsWay = { kinds: peerTrouble, where: 'on its way' } as const

/** What must have gone wrong before a node may give up a message for that reason. For any other reason it never may. */
const explanations: ReadonlyMap<string, Explanation> = new Map<string, Explanation>([
  ['overtaken', anywhere],
  ['hand-off-timeout', anywhere],
  // Its caller was told that it timed out: somebody took too long.
  ['expired', anywhere],
  // Its store of remembered entities was silent or failed, or its lease is lost.
  ['shard-failed', anywhere],
  ['region-stopped', { ...anywhere, kinds: [...anyTrouble, 'desertion'] }],
  ['terminated', there],
  ['terminated-while-queued', there],
  ['terminated-while-stashed', there],
  ['no-such-actor', onItsWay],
  ['former-incarnation', onItsWay],
  ['unreachable', onItsWay],
  ['quarantined', onItsWay],
  ['connection-rejected', onItsWay],
  ['remoting-stopped', onItsWay],
])

/** As long as a cluster with the settings of the product may take to come to terms with what went wrong. */
const LINGERS_MS = 60_000

/** How a region that has stopped, or is about to, refuses what is given to it. */
const refusedByRegion = 'region-stopped'

type Excuse = 'its sender died' | 'a home died' | 'a process died, no home known' | 'broken'

/** Who may hold messages to a target now. */
export interface Holders {
  /** Labels of lives that run it or did. */
  readonly homes: ReadonlySet<string>
  /** Labels of lives that were to run it: messages were sent there and may come back, whether it ever ran or not. */
  readonly chosen: ReadonlySet<string>
  /** Whether one of them does, and lives. */
  readonly isAtHome: boolean
}

/** What a node tells of a message that it gave up. */
export interface ToldLoss {
  readonly reason: string
  /** The label of the life that tells. */
  readonly by: string
}

export interface BrokenConnection {
  /** The label of the life that tells. */
  readonly by: string
  /** The label of the life at the other end. */
  readonly peer: string
  /** Messages of which it does not know whether they arrived. */
  readonly unconfirmed: number
}

/** Every message is delivered, told as lost, or excused by a fault. */
export class NoSilentLoss {
  readonly #findings: Findings
  readonly #holdersOf: (to: string) => Holders | undefined
  /** Neither delivered nor told as lost. */
  readonly #open = new Map<string, Sent>()
  readonly #senders = new Map<string, string>()
  readonly #delivered = new Set<string>()
  readonly #leaving = new Set<string>()
  readonly #ownTroubles: OwnTrouble[] = []
  readonly #lingersMs: number
  #sentCount = 0
  #lostCount = 0
  #unconfirmed = 0

  /** Without `holdersOf`, or where it answers undefined, anyone may hold anything. */
  constructor(
    findings: Findings,
    holdersOf: (to: string) => Holders | undefined = () => undefined,
    lingersMs = LINGERS_MS,
  ) {
    this.#findings = findings
    this.#lingersMs = lingersMs
    this.#holdersOf = holdersOf
  }

  /** `by` is the label of the sender's life. */
  sent(id: string, by: string, to?: string): void {
    this.#sentCount++
    this.#senders.set(id, by)
    const isLate = this.#leaving.has(by)
    this.#open.set(id, { id, atMs: this.#findings.now, by, to, isLate, excuse: undefined })
  }

  delivered(id: string): void {
    const by = this.#senders.get(id)
    if (by === undefined) return
    this.#findings.check(
      'no message is delivered twice',
      !this.#delivered.has(id),
      `${id} of ${by}`,
    )
    this.#delivered.add(id)
    this.#open.delete(id)
  }

  isDelivered(id: string): boolean {
    return this.#delivered.has(id)
  }

  /** @internal A node tells that it gave the message up, and why. */
  lost(id: string, { reason, by: teller }: ToldLoss): void {
    const message = this.#open.get(id)
    if (message === undefined) return
    this.#open.delete(id)
    this.#lostCount++
    this.#findings.reached(`a message is given up: ${reason}`)
    const { by, to, atMs, isLate } = message
    // What it took all the same and sent on is owed to its sender like any other.
    if (isLate && teller === by && reason === refusedByRegion) return
    if (this.#explains(reason, message, teller)) return
    const what = `${id}, sent by ${by}${to === undefined ? '' : ` to ${to}`} at ${atMs} ms`
    this.#findings.check(
      'no message is given up without a fault',
      false,
      `${what}, was given up by ${teller} (${reason}); the last troubles were ${this.#lastTroubles()}`,
    )
  }

  /** The life with that label has been told to stop: what is sent through it from now on, its region may refuse. */
  leaves(label: string): void {
    this.#leaving.add(label)
  }

  /** The life with that label has used up the time it has to let go of something, and stops what it still runs by force. */
  overran(label: string): void {
    this.#trouble('overrun', [nodeOf(label)])
  }

  /** All nodes that are there have been told to stop. */
  nobodyStays(): void {
    this.#trouble('desertion', [])
  }

  /** @internal The process with that label dies: whatever is on it is gone. To be told before it does. */
  crashed(label: string): void {
    for (const message of this.#open.values()) {
      const excuse = this.#excuseOfDeath(message, label)
      if (excuse !== undefined && (message.excuse ?? 'broken') === 'broken') message.excuse = excuse
    }
  }

  /** @internal */
  connectionBroke({ by, peer, unconfirmed }: BrokenConnection): void {
    if (unconfirmed === 0) return
    this.#unconfirmed += unconfirmed
    for (const message of this.#open.values()) {
      if (message.excuse === undefined && this.#mayRunOver(message, by, peer)) {
        message.excuse = 'broken'
      }
    }
  }

  /** Nothing is under way any more that could still arrive, as far as is known. */
  get isSettled(): boolean {
    return [...this.#open.values()].every(({ excuse }) => excuse !== undefined)
  }

  /** When nothing is under way any more. */
  conclude(): void {
    const broken: string[] = []
    for (const { id, by, to, atMs, excuse } of this.#open.values()) {
      const detail = `${id}, sent by ${by}${to === undefined ? '' : ` to ${to}`} at ${atMs} ms`
      if (excuse === undefined) {
        const name = 'no message is lost silently'
        this.#findings.check(name, false, `${detail}, neither arrived nor was its loss told`)
      } else if (excuse === 'broken') {
        broken.push(detail)
        this.#findings.excuse('S3: lost in a connection that broke')
      } else {
        this.#findings.excuse(`S3: lost when ${excuse}`)
      }
    }
    this.#findings.check(
      'no message is lost silently',
      broken.length <= this.#unconfirmed,
      `${broken.length} messages vanished in broken connections, and nodes counted ${this.#unconfirmed}: ${broken.slice(0, 60).join('; ')}`,
    )
  }

  get summary(): { readonly sent: number; readonly delivered: number; readonly lost: number } {
    return { sent: this.#sentCount, delivered: this.#delivered.size, lost: this.#lostCount }
  }

  #trouble(kind: Kind, nodes: readonly string[]): void {
    const { now } = this.#findings
    this.#ownTroubles.push({ kind, nodes, sinceMs: now, untilMs: now })
  }

  get #troubles(): readonly OwnTrouble[] {
    return [...this.#findings.troubles, ...this.#ownTroubles]
  }

  #lastTroubles(): string {
    const last = this.#troubles.slice(-3).map(({ kind, nodes, sinceMs, untilMs }) => {
      return `${kind} of ${nodes.join(', ') || 'all'} from ${sinceMs} to ${untilMs} ms`
    })
    return last.join('; ') || 'none'
  }

  #explains(reason: string, message: Sent, teller: string): boolean {
    const explanation = explanations.get(reason)
    if (explanation === undefined) return false
    const fromMs = message.atMs - this.#lingersMs
    const near = this.#troubles.filter(
      ({ kind, untilMs }) => untilMs >= fromMs && explanation.kinds.includes(kind),
    )
    if (near.length === 0 || explanation.where === 'anywhere') return near.length > 0
    const nodes =
      explanation.where === 'there' ? new Set([nodeOf(teller)]) : this.#nodesOf(message, teller)
    return nodes === undefined || near.some((trouble) => trouble.nodes.some((n) => nodes.has(n)))
  }

  /** The names of the nodes on which it may have been; undefined when nobody knows. */
  #nodesOf({ by, to }: Sent, teller: string): ReadonlySet<string> | undefined {
    const holders = to === undefined ? undefined : this.#holdersOf(to)
    if (holders === undefined) return undefined
    return new Set([by, teller, ...holders.homes, ...holders.chosen].map(nodeOf))
  }

  #excuseOfDeath({ by, to }: Sent, label: string): Excuse | undefined {
    if (by === label) return 'its sender died'
    const holders = to === undefined ? undefined : this.#holdersOf(to)
    if (holders !== undefined && mayHold(holders, label)) return 'a home died'
    return holders?.isAtHome === true ? undefined : 'a process died, no home known'
  }

  /** From sender to home, or back: only its sender sends a message on. */
  #mayRunOver({ by: sender, to }: Sent, by: string, peer: string): boolean {
    const holders = to === undefined ? undefined : this.#holdersOf(to)
    if (holders?.isAtHome !== true) return true
    return by === sender ? mayHold(holders, peer) : peer === sender && mayHold(holders, by)
  }
}

/** Also one that never ran it has taken what was sent there, and holds it until it has come back to its sender. */
function mayHold({ homes, chosen }: Holders, label: string): boolean {
  return homes.has(label) || chosen.has(label)
}

/** The name of the node in the label of a life. */
function nodeOf(label: string): string {
  return label.split('#', 1)[0] as string
}
