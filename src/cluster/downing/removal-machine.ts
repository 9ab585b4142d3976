/**
 * Holds the removal of members back until the record of the arbiter shows that they were given up: whoever is to be removed, and
 * whatever has told so, a verdict, the end of its process, a later life at its address, or a person.
 *
 *   to be removed ──asked──▶ the record shows it ──▶ downed
 *        ▲            ├──no answer──▶ asked again, or decided anew, a heartbeat later
 *        └────────────┘ └──this node stands there itself──▶ it is downed
 *
 * An arbiter that forgets, as a lease does when it is given back, is asked in vain by a loser that was never told: the winner may
 * have let others in and ended since. The record remembers whom it has given up, each in that one life.
 *
 * Invariant: nobody is removed who does not stand in the record, but in good order; and whoever adds to it does not stand there
 * itself, by the revision that its write takes the place of. So of two sides that would go on without each other one was first, and
 * the other finds itself there before it has a view of its own, and lets nobody in. While the record cannot be read nobody is removed.
 *
 * It is not asked by a node that was never in service: whoever has given up the others may not have known of it.
 */
import { unreachable } from '../../foundation/assert.ts'
import { type NodeId, addressOfNode } from '../../foundation/node-id.ts'
import { isNeighbour } from '../gossip/data-center.ts'
import { type Gossip, emptyGossip, memberOf } from '../gossip/gossip.ts'
import { addressOfMember } from '../gossip/member.ts'
import { isForming } from '../joining/forming.ts'
import { isDownable, isMemberDownable } from './clean-cut.ts'
import type {
  RecordGivenUp,
  RecordShown,
  RemovalEffect,
  RemovalInput,
  RemovalOptions,
  RemovalSnapshot,
  Remove,
} from './removal-inputs.ts'

interface Held {
  readonly as: Remove['as']
  /** After that the picture may be another one. */
  readonly untilMs: number
  /** This node is to be downed with it. */
  readonly isWithSelf: boolean
}

interface Call extends RecordGivenUp {
  readonly isForDoubt: boolean
}

export class RemovalMachine {
  readonly #options: RemovalOptions
  #gossip: Gossip = emptyGossip
  readonly #held = new Map<NodeId, Held>()
  #mustLook = false
  #isDoubting = false
  #call: Call | undefined
  #number = 0
  #askAt = -Infinity
  #shown: ReadonlySet<NodeId> = new Set()

  constructor(options: RemovalOptions) {
    this.#options = options
  }

  step(input: RemovalInput, now: number): RemovalEffect[] {
    switch (input.type) {
      case 'Remove':
        return [...this.#remove(input, now), ...this.#ask(now)]
      case 'ViewChanged':
        this.#gossip = input.gossip
        for (const node of this.#held.keys()) if (!this.#isThere(node)) this.#held.delete(node)
        return this.#ask(now)
      case 'Downed':
        // By whoever asked for it, which may not have been given up with this node.
        if (!this.#shown.has(input.node)) this.#look()
        return this.#ask(now)
      case 'Doubted':
        this.#isDoubting = true
        if (this.#call !== undefined) this.#call = { ...this.#call, isForDoubt: false }
        this.#look()
        return this.#ask(now)
      case 'RecordShown':
        return [...this.#answered(input, now), ...this.#ask(now)]
      case 'Tick':
        return this.#ask(now)
      default:
        return unreachable(input)
    }
  }

  snapshot(): RemovalSnapshot {
    return { held: [...this.#held.keys()], isDoubting: this.#isDoubting }
  }

  /** Former lives at the address of that newcomer, which have to be removed before it can be let in. */
  formerLivesOf(newcomer: NodeId): NodeId[] {
    const address = addressOfNode(newcomer)
    return this.#gossip.members
      .filter((member) => addressOfMember(member) === address && member.node !== newcomer)
      .map(({ node }) => node)
      .filter((node) => this.#mustBeHeld(node))
  }

  #remove({ nodes, as, isLasting }: Remove, now: number): RemovalEffect[] {
    const { self, settings } = this.#options
    const held = nodes.filter((node) => this.#mustBeHeld(node))
    const untilMs = isLasting ? Infinity : now + settings.heartbeatIntervalMs
    for (const node of held) {
      const before = this.#held.get(node)
      this.#held.set(node, {
        as: before?.as === 'Died' ? 'Died' : as,
        untilMs: Math.max(before?.untilMs ?? untilMs, untilMs),
        isWithSelf: before?.isWithSelf === true || nodes.includes(self),
      })
    }
    const others = nodes.filter(
      (node) => !held.includes(node) && (node !== self || held.length === 0),
    )
    return others.length === 0 ? [] : [{ type: as, nodes: others }]
  }

  /** Members of other data centers have a record of their own; and where nobody has been Up nobody can have been outvoted. */
  #mustBeHeld(node: NodeId): boolean {
    const { keepsRecord, self } = this.#options
    return keepsRecord === true && this.#isThere(node) && !isForming(this.#gossip, self)
  }

  #isThere(node: NodeId): boolean {
    const { self } = this.#options
    const isOther = node !== self && isNeighbour(this.#gossip, node, self)
    return isOther && isMemberDownable(this.#gossip, node)
  }

  #look(): void {
    if (this.#options.keepsRecord === true) this.#mustLook = true
  }

  #ask(now: number): RemovalEffect[] {
    if (this.#call !== undefined || now < this.#askAt) return []
    for (const [node, { untilMs }] of this.#held) if (now > untilMs) this.#held.delete(node)
    const nodes = this.#isInService ? [...this.#held.keys()] : []
    if (nodes.length === 0 && !this.#mustLook) return []
    const ask = { type: 'RecordGivenUp', number: ++this.#number, nodes } as const
    this.#call = { ...ask, isForDoubt: this.#isDoubting }
    this.#mustLook = false
    return [ask]
  }

  get #isInService(): boolean {
    const own = memberOf(this.#gossip, this.#options.self)?.status
    return own === 'Up' || own === 'Leaving' || own === 'Exiting'
  }

  #answered({ number, nodes }: RecordShown, now: number): RemovalEffect[] {
    const call = this.#call
    if (call?.number !== number) return []
    this.#call = undefined
    // What was to be tried once was tried.
    const tried = call.nodes.filter((node) => this.#held.get(node)?.untilMs !== Infinity)
    if (nodes !== undefined) return this.#showed(new Set(nodes), call, tried)
    for (const node of tried) this.#held.delete(node)
    // It may stand there all the same.
    this.#mustLook = true
    this.#askAt = now + this.#options.settings.heartbeatIntervalMs
    return []
  }

  /** Also those of an earlier question, or of others: whoever stands there is given up, whatever this node sees by now. */
  #showed(shown: ReadonlySet<NodeId>, call: Call, tried: readonly NodeId[]): RemovalEffect[] {
    const { self } = this.#options
    this.#shown = shown
    const gone = this.#gossip.members
      .filter(
        (member) => isDownable(member) && shown.has(member.node) && this.#isThere(member.node),
      )
      .map(({ node }) => node)
    const isDead = (node: NodeId): boolean => this.#held.get(node)?.as === 'Died'
    const died = gone.filter(isDead)
    const down = gone.filter((node) => !isDead(node))
    const goesToo = gone.some((node) => this.#held.get(node)?.isWithSelf === true)
    if (shown.has(self) || goesToo) down.push(self)
    for (const node of [...tried, ...gone]) this.#held.delete(node)
    if (shown.has(self)) this.#held.clear()
    const isShown = call.isForDoubt && !shown.has(self)
    if (isShown) this.#isDoubting = false
    return [
      ...(died.length > 0 ? [{ type: 'Died', nodes: died } as const] : []),
      ...(down.length > 0 ? [{ type: 'Down', nodes: down } as const] : []),
      ...(isShown ? [{ type: 'ShownByStore' } as const] : []),
    ]
  }
}
