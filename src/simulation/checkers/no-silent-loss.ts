/**
 * S3: every message is delivered, or there is a record of its loss, or a fault excuses it: a process that died, or a
 * connection that broke with messages in it. Excuses are counted; those for connections may not exceed what the nodes
 * themselves counted as unconfirmed.
 */
import type { Findings } from './findings.ts'

interface Sent {
  readonly atMs: number
  readonly by: string
  delivered: number
  lost: string | undefined
}

export class NoSilentLoss {
  readonly #findings: Findings
  readonly #messages = new Map<string, Sent>()
  #lastCrashMs = -1
  #lastBreakMs = -1
  #unconfirmed = 0

  constructor(findings: Findings) {
    this.#findings = findings
  }

  sent(id: string, by: string): void {
    this.#messages.set(id, { atMs: this.#findings.now, by, delivered: 0, lost: undefined })
  }

  delivered(id: string): void {
    const message = this.#messages.get(id)
    if (message === undefined) return
    message.delivered++
    this.#findings.check(
      'no message is delivered twice',
      message.delivered === 1,
      `${id} of ${message.by}`,
    )
  }

  isDelivered(id: string): boolean {
    return (this.#messages.get(id)?.delivered ?? 0) > 0
  }

  /** A node tells that it lost the message, and why. */
  lost(id: string, reason: string): void {
    const message = this.#messages.get(id)
    if (message !== undefined) message.lost = reason
  }

  /** A process has died: whatever was on it is gone. */
  crashed(): void {
    this.#lastCrashMs = this.#findings.now
  }

  /** A connection broke, and the node does not know of so many messages whether they arrived. */
  connectionBroke(unconfirmed: number): void {
    if (unconfirmed === 0) return
    this.#unconfirmed += unconfirmed
    this.#lastBreakMs = this.#findings.now
  }

  /** When nothing is under way any more. */
  conclude(): void {
    const broken: string[] = []
    for (const [id, message] of this.#messages) {
      if (message.delivered > 0 || message.lost !== undefined) continue
      if (this.#lastCrashMs >= message.atMs) {
        this.#findings.excuse('S3: lost with a process that died')
      } else if (this.#lastBreakMs >= message.atMs) {
        broken.push(`${id} (at ${message.atMs} ms)`)
        this.#findings.excuse('S3: lost in a connection that broke')
      } else {
        const detail = `${id}, sent by ${message.by} at ${message.atMs} ms, neither arrived nor was its loss told`
        this.#findings.check('no message is lost silently', false, detail)
      }
    }
    this.#findings.check(
      'no message is lost silently',
      broken.length <= this.#unconfirmed,
      `${broken.length} messages vanished in broken connections, and nodes counted ${this.#unconfirmed}: ${broken.slice(0, 60).join('; ')}`,
    )
  }

  get summary(): { readonly sent: number; readonly delivered: number; readonly lost: number } {
    const all = [...this.#messages.values()]
    return {
      sent: all.length,
      delivered: all.filter(({ delivered }) => delivered > 0).length,
      lost: all.filter(({ lost, delivered }) => lost !== undefined && delivered === 0).length,
    }
  }
}
