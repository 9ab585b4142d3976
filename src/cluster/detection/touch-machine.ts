/**
 * Finds out whether a node has lost touch with the others, where it monitors only a few of them: those few may be silent
 * because they are dead, or because it is cut off. So it asks others, chosen by chance, and goes by how many of them answer.
 * Where one member decides which side goes on, as the oldest may, that one is always asked.
 *
 *   in touch ──a third of the monitored are silent──▶ asking ──enough answered──▶ in touch
 *                                                       │ ▲
 *                            most are silent: out of touch ──asks others, each heartbeat──┘
 *
 * Where so many are asked that nobody is left out, those who did not answer are the silent, exactly. Where there are more
 * members, and two thirds of those asked are silent, all are held for silent that were not heard.
 *
 * Invariant: nobody is asked more often than once per heartbeat, and not more than `askedMax` at a time. Whoever is cut
 * off together with less than a tenth of the members finds that out within `outOfTouchAfterMs`, but for a chance of a few
 * in a million. Larger parts find it out together: between them they monitor most of the others.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Random } from '../../foundation/random.ts'
import type { HeartbeatResponse } from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { sample } from '../gossip/gossip-peers.ts'
import type { Monitored, TouchEffect, TouchInput, TouchSnapshot } from './touch-inputs.ts'

/** With those it monitors, so many that a tenth that answers is hardly ever taken for a third. */
const askedMax = 48
const silentShareOfMonitored = 1 / 3
const silentShareOfAsked = 2 / 3

const nobody: ReadonlySet<NodeId> = new Set()

interface Round {
  readonly number: number
  readonly asked: ReadonlySet<NodeId>
  readonly answered: Set<NodeId>
}

export class TouchMachine {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  readonly #random: Random
  #members: readonly NodeId[] = []
  #unheard: ReadonlySet<NodeId> = nobody
  #decisive: NodeId | undefined
  #rounds = 0
  #askedAt = -Infinity
  #round: Round | undefined
  #silent: ReadonlySet<NodeId> = nobody
  /** Of those it monitors so many were silent just now that it cannot tell whether it is them or this node. */
  #isDoubtful = false

  constructor(self: NodeId, settings: ClusterSettings, random: Random) {
    this.#self = self
    this.#settings = settings
    this.#random = random
  }

  step(input: TouchInput, now: number): TouchEffect[] {
    switch (input.type) {
      case 'MembersChanged':
        this.#members = input.members
        this.#unheard = input.unheard
        this.#decisive = input.decisive
        return []
      case 'Overslept':
        this.#round = undefined
        return []
      case 'HeartbeatResponse':
        this.#answered(input)
        return []
      case 'Tick':
        return this.#tick(input.monitored, now)
      default:
        return unreachable(input)
    }
  }

  snapshot(): TouchSnapshot {
    return { isInDoubt: this.#round !== undefined && this.#isDoubtful, silent: this.#silent }
  }

  #tick(monitored: Monitored, now: number): TouchEffect[] {
    // Where everybody is monitored there is nobody else to ask.
    if (this.#members.length - 1 <= this.#settings.monitoredByMembers) {
      this.#round = undefined
      this.#silent = nobody
      this.#isDoubtful = false
      return []
    }
    this.#isDoubtful = isMostlySilent(monitored, silentShareOfMonitored)
    const round = this.#round
    if (round !== undefined) {
      const isOver = now - this.#askedAt >= this.#settings.heartbeatIntervalMs
      if (!isOver && round.answered.size < round.asked.size) return []
      this.#round = undefined
      this.#silent = this.#silentBy(round, monitored)
    }
    const wantsToKnow = this.#isDoubtful || this.#silent.size > 0
    const hasJustAsked = now - this.#askedAt < this.#settings.heartbeatIntervalMs
    return wantsToKnow && !hasJustAsked ? this.#ask(monitored, now) : []
  }

  /** What answers an earlier question may have been under way for long, and says nothing about now. */
  #answered({ from, sequence }: HeartbeatResponse): void {
    const round = this.#round
    if (round?.number === sequence && round.asked.has(from)) round.answered.add(from)
  }

  #ask({ silent, heard }: Monitored, now: number): TouchEffect[] {
    const others = this.#members.filter(
      (node) =>
        node !== this.#self && !this.#unheard.has(node) && !silent.has(node) && !heard.has(node),
    )
    const asked = this.#chosenFrom(others)
    const number = ++this.#rounds
    this.#askedAt = now
    this.#round = { number, asked: new Set(asked), answered: new Set() }
    return asked.map((to) => ({
      type: 'Send',
      to,
      message: { type: 'Heartbeat', from: this.#self, sequence: number },
    }))
  }

  /** By chance, but for the one on whom it depends: that one is not left to chance. */
  #chosenFrom(others: readonly NodeId[]): readonly NodeId[] {
    const decisive = this.#decisive
    if (decisive === undefined || !others.includes(decisive)) {
      return sample(others, askedMax, this.#random)
    }
    const rest = others.filter((node) => node !== decisive)
    return [decisive, ...sample(rest, askedMax - 1, this.#random)]
  }

  /** Who is to be held for silent after a round of questions. */
  #silentBy({ asked, answered }: Round, monitored: Monitored): ReadonlySet<NodeId> {
    const heard = new Set([...monitored.heard, ...answered])
    const silent = new Set([...monitored.silent, ...asked].filter((node) => !heard.has(node)))
    const isAll = 1 + heard.size + silent.size + this.#unheard.size >= this.#members.length
    if (silent.size === 0) return nobody
    if (isAll) return new Set([...silent, ...this.#unheard])
    if (!isMostlySilent({ silent, heard }, silentShareOfAsked)) return nobody
    return new Set(this.#members.filter((node) => node !== this.#self && !heard.has(node)))
  }
}

function isMostlySilent({ silent, heard }: Monitored, share: number): boolean {
  return silent.size > 0 && silent.size >= share * (silent.size + heard.size)
}
