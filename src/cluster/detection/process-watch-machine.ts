/**
 * Proves that a member is dead: its process runs on the same host as this one, was seen running there, and has ended.
 *
 *   new ──looked at, it runs──▶ seen ──connection lost, or somebody cannot reach it──▶ suspected ──it has ended──▶ dead
 *    ├─▶ looked at later, while nobody can tell
 *    └──it cannot be found──▶ unknown     ▲──it runs, and nobody misses it any more──────┘ ▲─┘ looked at again
 *
 * Who was never found here proves nothing by its absence, even if it seems to run on this host: two hosts may have been made
 * to look the same. A process that is killed closes its connections a moment before it is gone, hence the looks in
 * quick succession. One that is Exiting may end as soon as it was removed, and this node may not have heard of
 * that yet: it gets the time for it.
 *
 * Invariant: nobody is dead whose process was not seen running by this node.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Member } from '../gossip/member.ts'
import { neighboursOf } from './process-of-member.ts'
import type {
  ProcessWatchEffect,
  ProcessWatchInput,
  ProcessWatchOptions,
  ProcessWatchSnapshot,
} from './process-watch-inputs.ts'

const firstPauseMs = 5

interface Neighbour {
  readonly identity: string
  state: 'new' | 'seen' | 'suspected' | 'dead' | 'unknown'
  /** Before the next look at a suspect. */
  pauseMs: number
  lookAt: number
  /** Since when it is known to have ended. */
  endedAt: number | undefined
}

export class ProcessWatchMachine {
  readonly #options: ProcessWatchOptions
  #neighbours = new Map<NodeId, Neighbour>()
  #members: readonly Member[] = []
  #missed: ReadonlySet<NodeId> = new Set()

  constructor(options: ProcessWatchOptions) {
    this.#options = options
  }

  step(input: ProcessWatchInput, now: number): ProcessWatchEffect[] {
    switch (input.type) {
      case 'MembersChanged':
        this.#changeMembers(input.members, now)
        this.#missed = input.unreachable
        for (const node of this.#missed) this.#suspect(node, now)
        return [...this.#conclude(now), ...this.#look(now)]
      case 'ConnectionLost':
        this.#suspect(input.node, now)
        return this.#look(now)
      case 'ProcessesSeen':
        for (const node of input.running) this.#runs(node, now)
        for (const node of input.unknown) this.#cannotTell(node, now)
        for (const node of input.ended) this.#ended(node, now)
        return [...this.#conclude(now), ...this.#look(now)]
      case 'LookDue':
      case 'Tick':
        return [...this.#conclude(now), ...this.#look(now)]
      default:
        return unreachable(input)
    }
  }

  snapshot(): ProcessWatchSnapshot {
    const inState = (...states: readonly Neighbour['state'][]): NodeId[] =>
      [...this.#neighbours].filter(([, { state }]) => states.includes(state)).map(([node]) => node)
    return { seen: inState('seen', 'suspected'), suspected: inState('suspected') }
  }

  #changeMembers(members: readonly Member[], now: number): void {
    const before = this.#neighbours
    this.#members = members
    this.#neighbours = new Map()
    for (const [node, identity] of neighboursOf(this.#options.identity, members)) {
      const fresh = { identity, state: 'new', pauseMs: 0, lookAt: now, endedAt: undefined } as const
      this.#neighbours.set(node, before.get(node) ?? { ...fresh })
    }
  }

  #suspect(node: NodeId, now: number): void {
    const neighbour = this.#neighbours.get(node)
    if (neighbour?.state !== 'seen') return
    neighbour.state = 'suspected'
    neighbour.pauseMs = 0
    neighbour.lookAt = now
  }

  #look(now: number): ProcessWatchEffect[] {
    const processes = new Map<NodeId, string>()
    let nextAt = Infinity
    for (const [node, neighbour] of this.#neighbours) {
      if (neighbour.lookAt <= now) {
        processes.set(node, neighbour.identity)
        neighbour.lookAt = Infinity
        if (neighbour.state === 'suspected') this.#lookLater(neighbour, now)
      }
      nextAt = Math.min(nextAt, neighbour.lookAt)
    }
    if (processes.size === 0) return []
    const looks: ProcessWatchEffect[] = [{ type: 'LookAtProcesses', processes }]
    if (nextAt < Infinity) looks.push({ type: 'LookAgain', afterMs: nextAt - now })
    return looks
  }

  /** Twice as long each time. */
  #lookLater(neighbour: Neighbour, now: number): void {
    const { processLookIntervalMs } = this.#options.settings
    const pauseMs = Math.max(2 * neighbour.pauseMs, firstPauseMs)
    neighbour.pauseMs = Math.min(pauseMs, processLookIntervalMs)
    neighbour.lookAt = now + neighbour.pauseMs
  }

  #runs(node: NodeId, now: number): void {
    const neighbour = this.#neighbours.get(node)
    if (neighbour === undefined) return
    if (neighbour.state === 'new') {
      neighbour.state = 'seen'
      // It may have been missed before it was found.
      if (this.#missed.has(node)) this.#suspect(node, now)
    }
    this.#clear(node, neighbour)
  }

  /** As where processes of other users are hidden, or no more files can be opened. */
  #cannotTell(node: NodeId, now: number): void {
    const neighbour = this.#neighbours.get(node)
    if (neighbour === undefined) return
    if (neighbour.state === 'new')
      neighbour.lookAt = now + this.#options.settings.processLookIntervalMs
    this.#clear(node, neighbour)
  }

  /** A suspect that nobody misses any more is none. */
  #clear(node: NodeId, neighbour: Neighbour): void {
    const isPatient = neighbour.pauseMs >= this.#options.settings.processLookIntervalMs
    if (neighbour.state !== 'suspected' || !isPatient || this.#missed.has(node)) return
    neighbour.state = 'seen'
    neighbour.lookAt = Infinity
  }

  #ended(node: NodeId, now: number): void {
    const neighbour = this.#neighbours.get(node)
    if (neighbour === undefined) return
    if (neighbour.state === 'new') neighbour.state = 'unknown'
    if (neighbour.state !== 'suspected') return
    neighbour.endedAt ??= now
    neighbour.lookAt = Infinity
  }

  #conclude(now: number): ProcessWatchEffect[] {
    const { exitedLingerMs } = this.#options.settings
    const nodes: NodeId[] = []
    for (const [node, neighbour] of this.#neighbours) {
      const { state, endedAt } = neighbour
      if (state !== 'suspected' || endedAt === undefined) continue
      const isExiting = this.#members.some((m) => m.node === node && m.status === 'Exiting')
      if (isExiting && now - endedAt < exitedLingerMs) continue
      neighbour.state = 'dead'
      nodes.push(node)
    }
    return nodes.length === 0 ? [] : [{ type: 'Died', nodes }]
  }
}
