/**
 * D1, D2, D4 for entities that keep a list of unique ids, one per command: what was acknowledged is in the list exactly
 * once; what is in the list was asked for; and when one command was acknowledged before another was made, it stands first.
 */
import type { Findings } from './findings.ts'

interface Command {
  readonly id: string
  readonly entity: string
  readonly invokedMs: number
  ackedMs: number | undefined
}

/** What was acknowledged is there, once and in order, for entities that keep a list of ids. */
export class NothingAcknowledgedIsLost {
  readonly #findings: Findings
  readonly #commands = new Map<string, Command>()
  readonly #byEntity = new Map<string, Command[]>()
  /** Why two instances may be active now, if they may: the one that was replaced cannot write, but it can be read. */
  readonly #excuseForTwo: () => string | undefined

  constructor(findings: Findings, excuseForTwo: () => string | undefined = () => undefined) {
    this.#findings = findings
    this.#excuseForTwo = excuseForTwo
  }

  /** Once per command; repeating it under the same id is the same command. */
  invoked(id: string, entity: string): void {
    const command = { id, entity, invokedMs: this.#findings.now, ackedMs: undefined }
    this.#commands.set(id, command)
    const all = this.#byEntity.get(entity)
    if (all === undefined) this.#byEntity.set(entity, [command])
    else all.push(command)
  }

  acknowledged(id: string): void {
    const command = this.#commands.get(id)
    if (command !== undefined) command.ackedMs ??= this.#findings.now
  }

  get acknowledgedCount(): number {
    return [...this.#commands.values()].filter(({ ackedMs }) => ackedMs !== undefined).length
  }

  /** What somebody read from the entity: everything that was acknowledged before the read began is there. */
  read(entity: string, ids: readonly string[], invokedMs: number): void {
    const known = new Set(ids)
    for (const command of this.#of(entity)) {
      if (command.ackedMs === undefined || command.ackedMs >= invokedMs) continue
      if (known.has(command.id)) continue
      const excuse = this.#excuseForTwo()
      if (excuse !== undefined)
        return this.#findings.excuse(`D4: an old instance was read: ${excuse}`)
      this.#findings.check(
        'a read shows what was acknowledged before it',
        false,
        `${command.id} was acknowledged at ${command.ackedMs} ms; a read of ${entity} begun at ${invokedMs} ms does not show it`,
      )
    }
  }

  /** The list as the journal has it in the end. */
  conclude(entity: string, ids: readonly string[]): void {
    const places = new Map<string, number>()
    for (const [place, id] of ids.entries()) {
      const earlier = places.get(id)
      this.#findings.check(
        'every command takes effect once',
        earlier === undefined,
        `${id} stands in ${entity} at ${earlier} and at ${place}`,
      )
      this.#findings.check(
        'nothing is stored that nobody asked for',
        this.#commands.get(id)?.entity === entity,
        `${id} stands in ${entity} at ${place}`,
      )
      places.set(id, place)
    }
    for (const { id, ackedMs } of this.#of(entity)) {
      this.#findings.check(
        'nothing acknowledged is lost',
        ackedMs === undefined || places.has(id),
        `${id} was acknowledged at ${ackedMs} ms and is not in ${entity}`,
      )
    }
    this.#checkRealTimeOrder(entity, ids)
  }

  #checkRealTimeOrder(entity: string, ids: readonly string[]): void {
    // Going backwards: nobody may stand before a command that was acknowledged before he was even invoked.
    let earliest: Command | undefined
    for (const id of [...ids].reverse()) {
      const command = this.#commands.get(id)
      if (command === undefined) continue
      this.#findings.check(
        'commands take effect in real-time order',
        earliest?.ackedMs === undefined || command.invokedMs <= earliest.ackedMs,
        `${entity}: ${id} was invoked at ${command.invokedMs} ms and stands before ${earliest?.id}, acknowledged at ${earliest?.ackedMs} ms`,
      )
      const isEarlier = (command.ackedMs ?? Infinity) < (earliest?.ackedMs ?? Infinity)
      if (isEarlier) earliest = command
    }
  }

  #of(entity: string): readonly Command[] {
    return this.#byEntity.get(entity) ?? []
  }
}
