/**
 * How two nodes find out that they belong together, seen from one end of one connection:
 *
 *   dialer    waiting ──Opened: Hello──▶ greeted ──Challenge: Proof──▶ proved ──Accepted──▶ over (established)
 *   listener  waiting ──Hello: Challenge──▶ challenged ──Proof: Accepted──▶ over (established)
 *   any       ──Refusal, nonsense, time-out──▶ over (failed)
 *
 * The dialer proves itself first: a stranger who calls learns nothing that was made with the secret, nor who is given up.
 *
 * Invariant: established only after the other end has proved that it knows our secret, over numbers both ends drew for
 * this connection, and is a node of our cluster under the address we know it by, that is not given up then. The same holds for believing that it has
 * given this node up, or knows a later incarnation: whoever merely sits on that port could say so.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import { type Address, addressOfNode, type NodeId } from '../../foundation/node-id.ts'
import {
  HandshakeBroken,
  type HandshakeError,
  HandshakeTimeout,
  IncarnationRefused,
  SecretMissing,
  WrongAddress,
  WrongClusterName,
  WrongProtocol,
  WrongSecret,
} from '../remote-errors.ts'
import { MalformedFrame } from '../wire/byte-cursor.ts'
import type { Lane } from '../lane.ts'
import {
  type Challenge,
  decodeHandshake,
  encodeHandshake,
  type Hello,
  type HandshakeMessage,
  protocolVersion,
  type Refusal,
  type RefusalReason,
} from './handshake-messages.ts'
import type {
  Exclusion,
  HandshakeEffect,
  HandshakeInput,
  HandshakeOptions,
} from './handshake-inputs.ts'
import { isSameProof, proofOf } from './handshake-proof.ts'

/** Other refusals are about settings. */
const exclusions: ReadonlySet<RefusalReason> = new Set<Exclusion>([
  'quarantined',
  'quarantined-in-return',
  'former-incarnation',
])

type State = 'waiting' | 'greeted' | 'proved' | 'challenged' | 'over'

export class HandshakeMachine {
  readonly #options: HandshakeOptions
  #state: State = 'waiting'
  #peer: NodeId | undefined
  #lane: Lane | undefined
  /** Everything that was said before the proofs, as bytes. */
  readonly #transcript: Buffer[] = []

  constructor(options: HandshakeOptions) {
    this.#options = options
  }

  /** The other end has said the right first word, and the last is still to come. */
  get isUnderWay(): boolean {
    return this.#state === 'challenged' || this.#state === 'proved'
  }

  step(input: HandshakeInput): HandshakeEffect[] {
    if (this.#state === 'over') return []
    switch (input.type) {
      case 'Opened':
        return this.#greet()
      case 'FrameReceived':
        return this.#received(input.bytes)
      case 'TimedOut':
        return this.#fail(new HandshakeTimeout(this.#peerAddress()))
      default:
        return unreachable(input)
    }
  }

  #greet(): HandshakeEffect[] {
    const { self, clusterName, secret, nonce, role } = this.#options
    assert(role.type === 'dialer', 'the one who dialed greets')
    const { lane, to } = role
    const hasSecret = secret !== undefined
    const hello: Hello = {
      ...{ type: 'Hello', version: protocolVersion, lane, hasSecret, clusterName },
      ...{ from: self, to, nonce },
    }
    this.#lane = lane
    this.#state = 'greeted'
    return [this.#say(hello)]
  }

  #received(bytes: Buffer): HandshakeEffect[] {
    let message: ReturnType<typeof decodeHandshake>
    try {
      message = decodeHandshake(bytes)
    } catch (error) {
      assert(error instanceof MalformedFrame, 'reading a handshake fails in one way only')
      // The first words of a stranger: it may be any program.
      if (this.#state === 'waiting') return this.#refuse('protocol')
      return this.#fail(new HandshakeBroken(this.#peerAddress(), error.message))
    }
    const state = this.#state
    if (message.type === 'ForeignHello') return this.#refuse('protocol')
    if (message.type === 'Refusal') return this.#refused(message)
    if (state === 'waiting' && message.type === 'Hello') return this.#challenge(message, bytes)
    if (state === 'greeted' && message.type === 'Challenge') return this.#prove(message, bytes)
    if (state === 'challenged' && message.type === 'Proof') return this.#accept(message.proof)
    if (state === 'proved' && message.type === 'Accepted') return this.#finish(message.proof)
    return this.#fail(new HandshakeBroken(this.#peerAddress(), `${message.type} out of turn`))
  }

  /** Listener: checks all that needs no secret, and asks for the proof. */
  #challenge(hello: Hello, bytes: Buffer): HandshakeEffect[] {
    const { self, clusterName, secret, nonce, role } = this.#options
    if (role.type !== 'listener') return this.#refuse('protocol')
    this.#peer = hello.from
    this.#lane = hello.lane
    if (hello.clusterName !== clusterName) return this.#refuse('cluster-name')
    if (hello.hasSecret && secret === undefined) return this.#refuse('secret-unexpected')
    if (!hello.hasSecret && secret !== undefined) return this.#refuse('secret-required')
    if (hello.to !== addressOfNode(self)) return this.#refuse('address', { calledAs: hello.to })
    this.#transcript.push(Buffer.from(bytes))
    this.#state = 'challenged'
    return [this.#say({ type: 'Challenge', from: self, nonce })]
  }

  /** Dialer: is this the one I called? Then proves itself. */
  #prove(challenge: Challenge, bytes: Buffer): HandshakeEffect[] {
    const { secret, role, objectionTo } = this.#options
    assert(role.type === 'dialer', 'the one who dialed proves itself first')
    this.#peer = challenge.from
    if (addressOfNode(challenge.from) !== role.to) {
      return this.#refuse('address', { calledAs: role.to })
    }
    const objection = objectionTo(challenge.from)
    if (objection === 'overtaken') return this.#overtaken()
    if (objection !== undefined) return this.#refuse(objection)
    this.#transcript.push(Buffer.from(bytes))
    this.#state = 'proved'
    return [this.#say({ type: 'Proof', proof: proofOf(secret, 'dialer', this.#transcript) })]
  }

  #accept(proof: Buffer): HandshakeEffect[] {
    const { secret, objectionTo } = this.#options
    if (!isSameProof(proof, proofOf(secret, 'dialer', this.#transcript))) {
      return this.#refuse('secret')
    }
    assert(this.#peer !== undefined, 'who proves something has said who it is')
    const objection = objectionTo(this.#peer)
    if (objection === 'overtaken') return this.#overtaken()
    if (objection !== undefined) {
      const verdict = proofOf(secret, `listener refuses: ${objection}`, this.#transcript)
      return this.#refuse(objection, { proof: verdict })
    }
    const answer = proofOf(secret, 'listener', this.#transcript)
    return [this.#say({ type: 'Accepted', proof: answer }), ...this.#establish()]
  }

  #finish(proof: Buffer): HandshakeEffect[] {
    const { secret, objectionTo } = this.#options
    if (!isSameProof(proof, proofOf(secret, 'listener', this.#transcript))) {
      return this.#refuse('secret')
    }
    assert(this.#peer !== undefined, 'who proves something has said who it is')
    const objection = objectionTo(this.#peer)
    if (objection === 'overtaken') return this.#overtaken()
    // The other end takes the handshake for over and reads no refusal: closing tells it.
    if (objection !== undefined) return this.#fail(this.#errorFor(objection, false, undefined))
    return this.#establish()
  }

  #establish(): HandshakeEffect[] {
    const [peer, lane] = [this.#peer, this.#lane]
    assert(peer !== undefined && lane !== undefined, 'both ends have said who they are')
    this.#state = 'over'
    return [{ type: 'Establish', peer, lane }]
  }

  /** We do not want the other end, and tell it why. */
  #refuse(
    reason: RefusalReason,
    { calledAs, proof }: { readonly calledAs?: Address; readonly proof?: Buffer } = {},
  ): HandshakeEffect[] {
    const refusal = this.#say({ type: 'Refusal', reason, ...(proof !== undefined && { proof }) })
    return [refusal, ...this.#fail(this.#errorFor(reason, false, calledAs))]
  }

  /** The other end does not want us. */
  #refused(refusal: Refusal): HandshakeEffect[] {
    const { reason } = refusal
    const isExclusion = this.#options.role.type === 'dialer' && exclusions.has(reason)
    if (isExclusion && !this.#isProved(refusal)) {
      const detail = `it refuses this node (${reason}) without proof that it knows the secret`
      return this.#fail(new HandshakeBroken(this.#peerAddress(), detail))
    }
    const givenUpBy = isExclusion && reason === 'quarantined' ? this.#peer : undefined
    return this.#fail(this.#errorFor(reason, true, undefined), givenUpBy)
  }

  #isProved({ reason, proof }: Refusal): boolean {
    if (this.#state !== 'proved' || proof === undefined) return false
    const { secret } = this.#options
    return isSameProof(proof, proofOf(secret, `listener refuses: ${reason}`, this.#transcript))
  }

  #errorFor(
    reason: RefusalReason,
    isTheirs: boolean,
    calledAs: Address | undefined,
  ): HandshakeError {
    const { clusterName, secret, role } = this.#options
    const peer = this.#peerAddress()
    switch (reason) {
      case 'protocol':
        return new WrongProtocol(peer)
      case 'cluster-name':
        return new WrongClusterName(peer, clusterName)
      case 'secret':
        return new WrongSecret(peer)
      case 'secret-required':
      case 'secret-unexpected':
        return new SecretMissing(peer, secret === undefined)
      case 'address':
        return new WrongAddress(peer, calledAs ?? (role.type === 'dialer' ? role.to : peer))
      case 'quarantined':
      case 'quarantined-in-return':
        return new IncarnationRefused(peer, 'quarantined')
      case 'former-incarnation':
        return new IncarnationRefused(isTheirs ? peer : addressOfNode(this.#options.self), reason)
      default:
        return unreachable(reason)
    }
  }

  /** No verdict: whoever lives there is to try again. */
  #overtaken(): HandshakeEffect[] {
    const detail = 'another process is connected under its address; the living one connects anew'
    return this.#fail(new HandshakeBroken(this.#peerAddress(), detail))
  }

  #fail(error: HandshakeError, givenUpBy?: NodeId): HandshakeEffect[] {
    this.#state = 'over'
    return [{ type: 'Fail', error, givenUpBy }]
  }

  #say(message: HandshakeMessage): HandshakeEffect {
    const bytes = encodeHandshake(message)
    const isProof = message.type === 'Proof' || message.type === 'Accepted'
    // As the other end will see it: from its kind on.
    if (!isProof && message.type !== 'Refusal') this.#transcript.push(bytes.subarray(4))
    return { type: 'Send', bytes }
  }

  #peerAddress(): string {
    if (this.#peer !== undefined) return addressOfNode(this.#peer)
    const { role } = this.#options
    return role.type === 'dialer' ? role.to : role.from
  }
}
