/**
 * Somebody proves to be another incarnation of a peer that is still connected. As a rule the one we know is dead and its
 * connections only look alive; but two processes may be set to one advertised address. Whoever listens there is called
 * and asked for its name: it has the address, and the other is refused. When nobody answers, the claim is good.
 *
 *   asking ──it answers there itself, or nobody──▶ granted        asking ──the one we know answers──▶ denied
 *          └──yet another answers──▶ neither: that one will claim the address as well, and is granted it
 *
 * The name is heard without proof. Whoever sits on that port can at most keep out one that could not be reached there.
 */
import { AssertionFailed } from '../../foundation/assert.ts'
import type { Objection, HandshakeOptions } from '../handshake/handshake-inputs.ts'
import { type Address, hostAndPortOf, type NodeId } from '../../foundation/node-id.ts'
import type { LinkWorld } from './link-owner.ts'
import { PeerConnection } from './peer-connection.ts'

export interface AddressClaimOptions {
  readonly by: NodeId
  /** The one that is connected. */
  readonly known: NodeId
  readonly address: Address
  /** What is answered until it is known: that of an earlier claim, if there was one. */
  readonly answer: Objection
}

export class AddressClaim {
  readonly by: NodeId
  readonly #call: PeerConnection
  #answer: Objection
  #isAsking = true

  constructor({ by, known, address, answer }: AddressClaimOptions, world: LinkWorld) {
    this.by = by
    this.#answer = answer
    let found: NodeId | undefined
    const handshake: HandshakeOptions = {
      ...world.handshakeFor({ type: 'dialer', lane: 'control', to: address }),
      // Its name is all that is asked for: once established, this would take the place of the connection there is.
      objectionTo: (node) => {
        found = node
        return 'overtaken'
      },
    }
    const { connectTimeoutMs: timeoutMs, handshakeTimeoutMs } = world.settings
    this.#call = new PeerConnection({
      handshake,
      timers: world.runtime.environment.timers,
      timeoutMs: handshakeTimeoutMs,
      owner: {
        established: () => {
          throw new AssertionFailed('Invariant broken: who is asked for its name is not admitted')
        },
        failed: () => {
          this.#isAsking = false
          if (found === undefined || found === by) this.#answer = undefined
          else this.#answer = found === known ? 'former-incarnation' : 'overtaken'
        },
      },
      onBroken: (error) => world.runtime.brokenInvariant(error),
      onBadBytes: world.onBadBytes,
    })
    this.#call.attach(world.transport.connect(hostAndPortOf(address), this.#call, { timeoutMs }))
  }

  get isAsking(): boolean {
    return this.#isAsking
  }

  /** Whether whoever claims the address is admitted. */
  get answer(): Objection {
    return this.#answer
  }

  stop(): void {
    this.#call.destroy('remoting stopped')
  }
}
