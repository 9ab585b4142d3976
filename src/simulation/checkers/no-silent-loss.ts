/**
 * S3: every message is delivered, or there is a record of its loss, or a fault that came after it excuses it: the death of
 * its sender or of a process that may have held it, or a connection between two of those that broke with messages in it.
 * May have held it: who ran the shard of its target up to then; anyone, while no process that is awake runs that shard. Excuses
 * are counted; those for connections may not exceed what the nodes themselves counted as unconfirmed.
 */
import type { Findings } from './findings.ts'

interface Sent {
  readonly id: string
  readonly atMs: number
  readonly by: string
  readonly to: string | undefined
  excuse: Excuse | undefined
}

type Excuse = 'its sender died' | 'a home died' | 'a process died, no home known' | 'broken'

/** Who may hold messages to a target now. */
export interface Holders {
  /** Labels of lives that run it or did. */
  readonly homes: ReadonlySet<string>
  /** Whether one of them does, and lives. */
  readonly isAtHome: boolean
}

export interface BrokenConnection {
  /** The label of the life that tells. */
  readonly by: string
  /** The name of the node at the other end. */
  readonly peer: string
  /** Messages of which it does not know whether they arrived. */
  readonly unconfirmed: number
}

export class NoSilentLoss {
  readonly #findings: Findings
  readonly #holdersOf: (to: string) => Holders | undefined
  /** Neither delivered nor told as lost. */
  readonly #open = new Map<string, Sent>()
  readonly #senders = new Map<string, string>()
  readonly #delivered = new Set<string>()
  /** Names of nodes that died once: a home may have died before it ran anything. */
  readonly #mortals = new Set<string>()
  #sentCount = 0
  #lostCount = 0
  #unconfirmed = 0

  /** Without `holdersOf`, or where it answers undefined, anyone may hold anything. */
  constructor(
    findings: Findings,
    holdersOf: (to: string) => Holders | undefined = () => undefined,
  ) {
    this.#findings = findings
    this.#holdersOf = holdersOf
  }

  /** `by` is the label of the sender's life. */
  sent(id: string, by: string, to?: string): void {
    this.#sentCount++
    this.#senders.set(id, by)
    this.#open.set(id, { id, atMs: this.#findings.now, by, to, excuse: undefined })
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

  /** A node tells that it lost the message, and why. */
  lost(id: string, _reason: string): void {
    if (this.#open.delete(id)) this.#lostCount++
  }

  /** The process with that label dies: whatever is on it is gone. To be told before it does. */
  crashed(label: string): void {
    this.#mortals.add(nameOf(label))
    for (const message of this.#open.values()) {
      const excuse = this.#excuseOfDeath(message, label)
      if (excuse !== undefined && (message.excuse ?? 'broken') === 'broken') message.excuse = excuse
    }
  }

  connectionBroke({ by, peer, unconfirmed }: BrokenConnection): void {
    if (unconfirmed === 0) return
    this.#unconfirmed += unconfirmed
    for (const message of this.#open.values()) {
      if (message.excuse === undefined && this.#mayRunOver(message, by, peer)) {
        message.excuse = 'broken'
      }
    }
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

  #excuseOfDeath({ by, to }: Sent, label: string): Excuse | undefined {
    if (by === label) return 'its sender died'
    const holders = to === undefined ? undefined : this.#holdersOf(to)
    if (holders?.homes.has(label) === true) return 'a home died'
    return holders?.isAtHome === true ? undefined : 'a process died, no home known'
  }

  /** From sender to home, or back: only its sender sends a message on. */
  #mayRunOver({ by: sender, to }: Sent, by: string, peer: string): boolean {
    const holders = to === undefined ? undefined : this.#holdersOf(to)
    if (holders?.isAtHome !== true) return true
    const isPeerHome = [...holders.homes].some((label) => nameOf(label) === peer)
    return by === sender
      ? isPeerHome || this.#mortals.has(peer)
      : holders.homes.has(by) && peer === nameOf(sender)
  }
}

function nameOf(label: string): string {
  return label.slice(0, label.indexOf('#'))
}
