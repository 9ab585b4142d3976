/**
 * How two nodes find out that they belong together, seen from one end of one connection:
 *
 *   both      waiting ──Secured, where it is encrypted: the certificate is looked at──▶ waiting
 *   dialer    waiting ──Opened: Hello──▶ greeted ──Challenge: Proof──▶ proved ──Accepted──▶ over (established)
 *   listener  waiting ──Hello: Challenge──▶ challenged ──Proof: Accepted──▶ over (established)
 *   any       ──Refusal, nonsense, time-out──▶ over (failed)
 *
 * The dialer proves itself first: a stranger who calls learns nothing that was made with the secret, nor who is given up.
 *
 * Invariant: established only after the other end has shown a certificate of our cluster and has proved that it knows our
 * secret, as far as there are such, over numbers both ends drew for this connection, and is a node of our cluster under the
 * address we know it by, that is not given up then. The same holds for believing that it has given this node up, or knows a
 * later incarnation: whoever merely sits on that port could say so.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import { addressOfNode, type NodeId } from '../../foundation/node-id.ts'
import { HandshakeBroken, type HandshakeError, HandshakeTimeout } from '../remote-errors.ts'
import {
  type CertificateObjection,
  objectionToChannel,
  objectionToNode,
} from '../tls/certificate-rules.ts'
import { TlsFailed, TlsMissing, WrongTlsVersion } from '../tls/tls-errors.ts'
import type { CloseReason, PeerCertificate, SecureChannel } from '../transport.ts'
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
  HandshakeEffect,
  HandshakeInput,
  HandshakeOptions,
  Objection,
} from './handshake-inputs.ts'
import { isSameProof, proofOf, type Prover, provedBy } from './handshake-proof.ts'
import { errorOfRefusal, type RefusalStory } from './handshake-refusals.ts'

/** What a listener says only to one that has proved itself, and is believed with a proof alone. The others are about settings. */
const verdicts: ReadonlySet<RefusalReason> = new Set<Exclude<Objection, 'overtaken' | undefined>>([
  'quarantined',
  'quarantined-in-return',
  'removed',
  'former-incarnation',
  'too-many-peers',
])

type State = 'waiting' | 'greeted' | 'proved' | 'challenged' | 'over'

export class HandshakeMachine {
  readonly #options: HandshakeOptions
  #state: State = 'waiting'
  #peer: NodeId | undefined
  #lane: Lane | undefined
  /** Of the other end, once it was found to be one of our cluster. */
  #certificate: PeerCertificate | undefined
  /** The one that both ends know: a listener learns which from the proof of the dialer. */
  #secret: string | undefined
  /** What only the two ends know of the connection, and everything that was said before the proofs, as bytes. */
  readonly #transcript: Buffer[] = []

  constructor(options: HandshakeOptions) {
    this.#options = options
    if (options.role.type === 'dialer') this.#secret = options.secrets[0]
  }

  /** The other end has said the right first word, and the last is still to come. */
  get isUnderWay(): boolean {
    return this.#state === 'challenged' || this.#state === 'proved'
  }

  step(input: HandshakeInput): HandshakeEffect[] {
    if (this.#state === 'over') return []
    switch (input.type) {
      case 'Secured':
        return this.#secured(input.channel)
      case 'NotSecured':
        return this.#fail(this.#errorOfTls(input.reason))
      case 'Opened':
        return this.#lacksCertificate ? this.#refuse('tls-required') : this.#greet()
      case 'FrameReceived':
        return this.#lacksCertificate ? this.#refuse('tls-required') : this.#received(input.bytes)
      case 'NonsenseReceived':
        return this.#notUnderstood(input.problem, input.isTls)
      case 'TimedOut':
        return this.#fail(new HandshakeTimeout(this.#peerAddress()))
      default:
        return unreachable(input)
    }
  }

  #secured(channel: SecureChannel): HandshakeEffect[] {
    assert(this.#state === 'waiting' && this.#transcript.length === 0, 'encryption comes first')
    const { certificates } = this.#options
    this.#transcript.push(channel.binding)
    if (certificates === undefined) return []
    const objection = objectionToChannel(channel, certificates)
    if (objection !== undefined) return this.#refuse(objection.reason, objection)
    this.#certificate = channel.certificate
    return []
  }

  /** A certificate is demanded and none was accepted: nothing the other end says is listened to. */
  get #lacksCertificate(): boolean {
    return this.#options.certificates !== undefined && this.#certificate === undefined
  }

  #notUnderstood(problem: string, isTls: boolean): HandshakeEffect[] {
    const isFirst = this.#state === 'waiting' || this.#state === 'greeted'
    // The other end waits for TLS, and finds out by what it gets that there is none.
    if (isTls && isFirst && this.#options.certificates === undefined) {
      return this.#refuse('tls-unexpected')
    }
    return this.#fail(new HandshakeBroken(this.#peerAddress(), problem))
  }

  #errorOfTls({ type, detail }: CloseReason): HandshakeError {
    const address = this.#peerAddress()
    if (type === 'no-tls') return new TlsMissing(address, false)
    return type === 'tls-version'
      ? new WrongTlsVersion(address, detail)
      : new TlsFailed(address, detail)
  }

  #greet(): HandshakeEffect[] {
    const { self, clusterName, secrets, nonce, role } = this.#options
    assert(role.type === 'dialer', 'the one who dialed greets')
    const { lane, to } = role
    const hasSecret = secrets.length > 0
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
    const { self, clusterName, secrets, nonce, role } = this.#options
    if (role.type !== 'listener') return this.#refuse('protocol')
    this.#peer = hello.from
    this.#lane = hello.lane
    if (hello.clusterName !== clusterName) return this.#refuse('cluster-name')
    if (hello.hasSecret && secrets.length === 0) return this.#refuse('secret-unexpected')
    if (!hello.hasSecret && secrets.length > 0) return this.#refuse('secret-required')
    if (hello.to !== addressOfNode(self)) return this.#refuse('address', { calledAs: hello.to })
    const objection = this.#objectionToCertificate()
    if (objection !== undefined) return this.#refuse(objection.reason, objection)
    this.#transcript.push(Buffer.from(bytes))
    this.#state = 'challenged'
    return [this.#say({ type: 'Challenge', from: self, nonce })]
  }

  /** Dialer: is this the one I called? Then proves itself. */
  #prove(challenge: Challenge, bytes: Buffer): HandshakeEffect[] {
    const { role, objectionTo } = this.#options
    assert(role.type === 'dialer', 'the one who dialed proves itself first')
    this.#peer = challenge.from
    if (addressOfNode(challenge.from) !== role.to) {
      return this.#refuse('address', { calledAs: role.to })
    }
    const unfit = this.#objectionToCertificate()
    if (unfit !== undefined) return this.#refuse(unfit.reason, unfit)
    const objection = objectionTo(challenge.from)
    if (objection === 'overtaken') return this.#overtaken()
    if (objection !== undefined) return this.#refuse(objection)
    this.#transcript.push(Buffer.from(bytes))
    this.#state = 'proved'
    return [this.#say({ type: 'Proof', proof: this.#proofOf('dialer') })]
  }

  /** The other end has said who it is: may its certificate speak for that? */
  #objectionToCertificate(): CertificateObjection | undefined {
    const { certificates } = this.#options
    const [certificate, peer] = [this.#certificate, this.#peer]
    if (certificates === undefined || certificate === undefined || peer === undefined) {
      return undefined
    }
    return objectionToNode(certificate, addressOfNode(peer), certificates)
  }

  #proofOf(prover: Prover): Buffer {
    return proofOf(this.#secret, prover, this.#transcript)
  }

  #accept(proof: Buffer): HandshakeEffect[] {
    const { secrets, objectionTo } = this.#options
    const proved = provedBy(secrets, proof, 'dialer', this.#transcript)
    if (proved === undefined) return this.#refuse('secret')
    // What this end proves is for one who may know no other.
    this.#secret = proved.secret
    assert(this.#peer !== undefined, 'who proves something has said who it is')
    const objection = objectionTo(this.#peer)
    if (objection === 'overtaken') return this.#overtaken()
    if (objection !== undefined) {
      return this.#refuse(objection, { proof: this.#proofOf(`listener refuses: ${objection}`) })
    }
    const answer = this.#proofOf('listener')
    return [this.#say({ type: 'Accepted', proof: answer }), ...this.#establish()]
  }

  #finish(proof: Buffer): HandshakeEffect[] {
    const { objectionTo } = this.#options
    if (!isSameProof(proof, this.#proofOf('listener'))) return this.#refuse('secret')
    assert(this.#peer !== undefined, 'who proves something has said who it is')
    const objection = objectionTo(this.#peer)
    if (objection === 'overtaken') return this.#overtaken()
    // The other end takes the handshake for over and reads no refusal: closing tells it.
    if (objection !== undefined) return this.#fail(this.#errorFor(objection, { isTheirs: false }))
    return this.#establish()
  }

  #establish(): HandshakeEffect[] {
    const [peer, lane] = [this.#peer, this.#lane]
    assert(peer !== undefined && lane !== undefined, 'both ends have said who they are')
    assert(
      !this.#lacksCertificate,
      'who is spoken to has shown a certificate, where one is demanded',
    )
    this.#state = 'over'
    return [{ type: 'Establish', peer, lane }]
  }

  /** We do not want the other end, and tell it why, but nothing of what we know. */
  #refuse(
    reason: RefusalReason,
    { proof, ...story }: Partial<RefusalStory> & { readonly proof?: Buffer } = {},
  ): HandshakeEffect[] {
    const refusal = this.#say({ type: 'Refusal', reason, ...(proof !== undefined && { proof }) })
    return [refusal, ...this.#fail(this.#errorFor(reason, { ...story, isTheirs: false }))]
  }

  /** The other end does not want us. */
  #refused(refusal: Refusal): HandshakeEffect[] {
    const { reason } = refusal
    const isVerdict = this.#options.role.type === 'dialer' && verdicts.has(reason)
    if (isVerdict && !this.#isProved(refusal)) {
      const detail = `it refuses this node (${reason}) without proof that it knows the secret`
      return this.#fail(new HandshakeBroken(this.#peerAddress(), detail))
    }
    const isGivenUp = reason === 'quarantined' || reason === 'removed'
    const givenUpBy = isVerdict && isGivenUp ? this.#peer : undefined
    return this.#fail(this.#errorFor(reason, { isTheirs: true }), givenUpBy)
  }

  #isProved({ reason, proof }: Refusal): boolean {
    if (this.#state !== 'proved' || proof === undefined) return false
    return isSameProof(proof, this.#proofOf(`listener refuses: ${reason}`))
  }

  #errorFor(reason: RefusalReason, story: Omit<RefusalStory, 'peer'>): HandshakeError {
    return errorOfRefusal(reason, { ...story, peer: this.#peerAddress() }, this.#options)
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
