/**
 * S8: one founding lives. Members of two foundings of a cluster never act at the same time. A member acts from when it is
 * let in to its end while its node lives, is not frozen and does not sleep; one that has slept acts again when it has
 * been seen to, so that it is blamed for what it does after it was succeeded, and not for having slept. A node that keeps
 * no founding in the store is not looked at.
 */
import type { Findings, WatchedLife } from './findings.ts'

interface ActiveMember {
  readonly life: WatchedLife
  readonly founder: string
  isFrozen: boolean
  /** The pauses it had had when it was last seen to act. */
  pausesSeen: number
}

/** Members of two foundings of a cluster never act at the same time. */
export class OneFounding {
  readonly #findings: Findings
  readonly #members = new Map<string, ActiveMember>()
  readonly #founders = new Set<string>()

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** How many foundings there have been. */
  get count(): number {
    return this.#founders.size
  }

  /** A node is a member of that founding now. */
  entered(life: WatchedLife, founder: string, isFrozen: boolean): void {
    if (this.#members.has(life.label)) return
    this.#founders.add(founder)
    const member = { life, founder, isFrozen, pausesSeen: life.pauseCount }
    this.#members.set(life.label, member)
    this.#compare(member)
  }

  frozen(life: WatchedLife): void {
    const member = this.#members.get(life.label)
    if (member !== undefined) member.isFrozen = true
  }

  thawed(life: WatchedLife): void {
    const member = this.#members.get(life.label)
    if (member === undefined) return
    member.isFrozen = false
    this.acted(life)
  }

  /** Something was handled on that node. */
  acted(life: WatchedLife): void {
    const member = this.#members.get(life.label)
    if (member === undefined) return
    member.pausesSeen = life.pauseCount
    this.#compare(member)
  }

  /** The cluster is over for this node, and nothing lives there any more. */
  left(life: WatchedLife): void {
    this.#members.delete(life.label)
  }

  #compare(member: ActiveMember): void {
    if (!isActive(member)) return
    for (const other of this.#members.values()) {
      if (other.founder === member.founder || !isActive(other)) continue
      this.#findings.check(
        'one founding lives',
        false,
        `${member.life.label} acts in the cluster founded by ${member.founder}, and ${other.life.label} in that founded by ${other.founder}`,
      )
    }
  }
}

function isActive({ life, isFrozen, pausesSeen }: ActiveMember): boolean {
  return life.isAlive && !life.isPaused && !isFrozen && pausesSeen === life.pauseCount
}
