/**
 * The network between the nodes of a simulation. Every node is a machine of its own name: `a` listens on `a:2552`. Faults
 * are injected here; each is counted, and its place in the trace tells when.
 *
 * Promises, as TCP gives them: bytes of one connection arrive in order or not at all; there is no order between connections;
 * a short cut stalls and resumes the same bytes, a long one may end the connection at one end, at both, or at none.
 */
import { withChosen } from '../chosen-numbers.ts'
import type { Incarnation } from '../incarnation.ts'
import type { World } from '../world.ts'
import type { CloseReason, Connection, ConnectionHandler } from '../../remote/index.ts'
import { ByteStream } from './byte-stream.ts'
import { ConnectionEnd } from './connection-end.ts'
import { type Latency, Links, defaultLatency } from './links.ts'
import {
  type NetworkGround,
  type NetworkSettings,
  defaultNetworkSettings,
} from './network-ground.ts'

const SYN_AGAIN_MS = 1_000

/** Somebody who takes connections. */
export interface OpenPort {
  readonly life: Incarnation
  readonly accept: (connection: Connection) => ConnectionHandler
  waiting: number
}

interface Wire {
  readonly near: ConnectionEnd
  readonly far: ConnectionEnd
}

/** The network between the nodes of a simulation, and what can go wrong with it. */
export class SimulatedNetwork implements NetworkGround {
  /** @internal */
  readonly world: World
  /** @internal */
  readonly links: Links
  /** @internal */
  readonly random
  #settings = defaultNetworkSettings
  readonly #listeners = new Map<string, OpenPort>()
  readonly #wires = new Set<Wire>()
  readonly #downHosts = new Set<string>()
  #wireCount = 0

  constructor(world: World) {
    this.world = world
    this.random = world.random('network')
    this.links = new Links(this.random.fork('links'))
  }

  get settings(): NetworkSettings {
    return this.#settings
  }

  /** For connections made from now on. */
  configure(settings: Partial<NetworkSettings>): void {
    this.#settings = withChosen('The settings of the network', settings, this.#settings)
  }

  // ---- faults

  /** Nothing passes between nodes of different sides, in either direction, until `heal`. */
  partition(...sides: readonly (readonly string[])[]): void {
    const inWords = sides.map((side) => side.join(',')).join(' | ')
    this.#fault(`partition of ${inWords}`, sides.flat(), Infinity)
    for (const side of sides) {
      for (const other of sides) {
        if (side === other) continue
        for (const from of side) for (const to of other) this.links.cut(from, to)
      }
    }
  }

  /** Nothing passes from the one to the other; the way back stays open. */
  cut(from: string, to: string): void {
    this.#fault(`cut of ${from} -> ${to}`, [from, to], Infinity)
    this.links.cut(from, to)
  }

  /** Opens that way again. */
  join(from: string, to: string): void {
    this.links.open(from, to)
    this.world.troubles.healed(this.world.clock.nowMs, [from, to])
    this.#resume()
  }

  /** Opens all ways and lets all connections flow. */
  heal(): void {
    this.world.note(this.world.stage, 'heal')
    this.world.story.note('the network is whole again')
    this.links.openAll()
    this.world.troubles.healed(this.world.clock.nowMs)
    for (const wire of this.#wires) {
      wire.near.out?.letGo()
      wire.far.out?.letGo()
    }
    this.#resume()
  }

  /** The connections between these two carry nothing until `heal`; new ones do. */
  stall(one: string, other: string): void {
    this.#fault(`stall of ${one} - ${other}`, [one, other], Infinity)
    for (const wire of this.#wiresBetween(one, other)) {
      wire.near.out?.holdUp()
      wire.far.out?.holdUp()
    }
  }

  /** Every connection between these two breaks; part of what was under way is lost. */
  reset(one: string, other: string): void {
    this.#fault(`reset of ${one} - ${other}`, [one, other])
    for (const { near, far } of this.#wiresBetween(one, other)) {
      for (const end of [near, far]) {
        end.out?.vanish()
        end.breakOff('reset', 'the connection broke')
      }
    }
  }

  /**
   * Every connection that the first has made to the other breaks at its end, and those of the other stand. What is under way,
   * or a part of it, and the news of the end still arrive: after a stall perhaps long after a new connection stands.
   */
  breakAt(from: string, to: string): void {
    this.#fault(`break of ${from} -> ${to} at ${from}`, [from, to])
    for (const { near } of this.#wiresBetween(from, to)) {
      if (near.host === from) near.breakHere('the connection broke')
    }
  }

  /**
   * The connections between these two are half open from now on: the first has none of them any more and hears so, and the
   * other's stand. Nothing tells it: what it writes there is lost, until its machine loses patience. New ones can be made.
   */
  halfOpen(gone: string, left: string): void {
    this.#fault(`half-open connections of ${left}: gone at ${gone}`, [gone, left])
    for (const { near, far } of this.#wiresBetween(gone, left)) {
      const [end, other] = near.host === gone ? [near, far] : [far, near]
      other.out?.lose()
      end.out?.vanish()
      end.breakOff('timed-out', `no answer from ${left}`)
    }
  }

  /** For one pair, both ways, or for all pairs without a latency of their own. */
  latency(latency: Partial<Latency>, between?: readonly [string, string]): void {
    const whole = withChosen('The latency of the network', latency, defaultLatency)
    if (between === undefined) return this.links.setLatency(whole)
    const [one, other] = between
    this.links.setLatencyOf(one, other, whole)
    this.links.setLatencyOf(other, one, whole)
  }

  // ---- machines

  /** @internal */
  isHostUp(host: string): boolean {
    return !this.#downHosts.has(host)
  }

  /** @internal A process starts there, so the machine runs. */
  hostUp(host: string): void {
    if (this.#downHosts.delete(host)) this.#resume()
  }

  /** @internal The process has ended without closing anything. With its machine, nobody is told. */
  ended(life: Incarnation, withHost: boolean): void {
    for (const [key, listening] of this.#listeners) {
      if (listening.life === life) this.#listeners.delete(key)
    }
    if (withHost) this.#downHosts.add(life.name)
    for (const { near, far } of [...this.#wires]) {
      for (const end of [near, far]) {
        if (end.life !== life) continue
        end.abandon(withHost ? undefined : this.random.chance(0.5) ? 'reset' : 'ended')
      }
    }
  }

  /** Ends at this node that are not closed. */
  connectionsOf(host: string): number {
    const ends = [...this.#wires].flatMap(({ near, far }) => [near, far])
    return ends.filter((end) => end.host === host && !end.isGone).length
  }

  // ---- for transports

  /** @internal */
  listen(key: string, listening: OpenPort): boolean {
    if (this.#listeners.has(key)) return false
    this.#listeners.set(key, listening)
    return true
  }

  /** @internal */
  unlisten(key: string, listening: OpenPort): void {
    if (this.#listeners.get(key) === listening) this.#listeners.delete(key)
  }

  /** @internal Begins to connect `near`, which has a handler already, to whoever listens under that key. */
  reach(near: ConnectionEnd, to: { readonly host: string; readonly key: string }): void {
    const latencyMs = this.links.drawLatencyMs(near.host, to.host)
    this.world.stage.appoint(latencyMs, 'knock', () => this.#knock(near, to))
  }

  /** @internal */
  newEnd(life: Incarnation, host: string, peer: string): ConnectionEnd {
    const random = this.random.fork(`end ${this.#wireCount++}`)
    return new ConnectionEnd({
      ground: this,
      life,
      host,
      peer,
      random,
      onGone: (end) => this.#gone(end),
    })
  }

  #knock(near: ConnectionEnd, to: { readonly host: string; readonly key: string }): void {
    if (near.isGone || !near.life.isAlive) return
    const listening = this.#listeners.get(to.key)
    const canPass = this.links.isOpen(near.host, to.host) && this.links.isOpen(to.host, near.host)
    const isFull = listening !== undefined && listening.waiting >= this.settings.backlogMax
    if (!canPass || !this.isHostUp(to.host) || isFull) {
      // The caller hears nothing; its own time limit ends this.
      this.world.stage.appoint(SYN_AGAIN_MS, 'knock', () => this.#knock(near, to)).isAwaited = false
      return
    }
    const backMs = this.links.drawLatencyMs(to.host, near.host)
    if (listening === undefined) {
      const reason: CloseReason = { type: 'refused', detail: `nobody listens on ${to.key}` }
      near.life.appoint(backMs, 'refused', () => near.fail(reason))
      return
    }
    this.#connect(near, listening, to.host, backMs)
  }

  /** The machine says yes; its process accepts when it gets to it. */
  #connect(near: ConnectionEnd, listening: OpenPort, host: string, backMs: number): void {
    const { life, accept } = listening
    const far = this.newEnd(life, host, near.host)
    this.#wires.add({ near, far })
    const number = this.#wireCount++
    const toFar = new ByteStream(this, near, far, this.random.fork(`to ${number}`))
    const toNear = new ByteStream(this, far, near, this.random.fork(`from ${number}`))
    far.join(toNear)
    listening.waiting++
    life.appoint(0, 'accept', () => {
      listening.waiting--
      if (far.isGone) return
      far.attend(accept(far))
      toFar.start()
    })
    near.life.appoint(backMs, 'connected', () => {
      // It has given up meanwhile: what comes from there is answered with a reset.
      if (near.isGone) return far.breakOff('reset', 'the caller is gone')
      near.join(toFar)
      near.opened()
      toNear.start()
    })
  }

  #gone(end: ConnectionEnd): void {
    for (const wire of this.#wires) {
      if (wire.near !== end && wire.far !== end) continue
      const other = wire.near === end ? wire.far : wire.near
      if (!end.life.isAlive) other.out?.receiverDied()
      if (other.isGone) this.#wires.delete(wire)
      else if (!end.isKnownToOther) other.orphaned()
      return
    }
  }

  #wiresBetween(one: string, other: string): Wire[] {
    return [...this.#wires].filter(
      ({ near, far }) =>
        (near.host === one && far.host === other) || (near.host === other && far.host === one),
    )
  }

  #resume(): void {
    for (const { near, far } of [...this.#wires]) {
      near.out?.resume()
      far.out?.resume()
    }
  }

  #fault(description: string, nodes: readonly string[], forMs = 0): void {
    this.world.fault(description, { kind: 'network', nodes, forMs })
  }
}
