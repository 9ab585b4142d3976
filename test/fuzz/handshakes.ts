/**
 * `handshakes`: words of a handshake that are changed on their way, between two ends that demand a secret, a certificate,
 * both or neither. Whoever knows a secret and got a changed word speaks with nobody; neither does who demands a certificate
 * and was shown none, or a wrong one, whatever is said to it.
 */
import type {
  HandshakeEffect,
  HandshakeInput,
  HandshakeOptions,
} from '../../src/remote/handshake/handshake-inputs.ts'
import { HandshakeMachine } from '../../src/remote/handshake/handshake-machine.ts'
import { handshakeBytesMax, nonceBytes } from '../../src/remote/handshake/handshake-messages.ts'
import type { SecureChannel } from '../../src/remote/transport.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { checkPrototype, type Fuzz, MemoryLimit, mutated, noise, pick, runRounds } from './fuzz.ts'

const memoryLimitMiB = 64
const dialerNode = '10.0.0.1:2552#00000000000000aa'
const listenerNode = '10.0.0.2:2552#00000000000000bb'
const secret = 'a secret of some length'

const certificates = { names: ['shop'], verifyHost: false, verify: undefined }
const good: SecureChannel = {
  binding: Buffer.alloc(32, 7),
  certificate: {
    ...{ dnsNames: ['a.shop'], ipAddresses: [], uris: [], serialNumber: '1', subject: 'CN=a' },
    ...{ issuer: 'CN=ca', fingerprint256: 'AB', validFromMs: 0, validToMs: 1e15 },
  },
  distrust: undefined,
}
/** What is shown to an end that demands a certificate: undefined where the connection is in the clear. */
const shown: readonly (SecureChannel | undefined)[] = [
  ...[good, good, good, good],
  undefined,
  { ...good, certificate: undefined },
  { ...good, distrust: { type: 'untrusted', code: 'SELF_SIGNED_CERT_IN_CHAIN' } },
  { ...good, distrust: { type: 'expired', code: 'CERT_HAS_EXPIRED' } },
  { ...good, certificate: { ...good.certificate!, dnsNames: ['a.depot', 'workshop'] } },
]

type Side = 'dialer' | 'listener'

interface Demands {
  readonly secrets: readonly string[]
  readonly certificates: typeof certificates | undefined
}

const demands: readonly Demands[] = [
  { secrets: [], certificates: undefined },
  { secrets: [secret], certificates: undefined },
  { secrets: ['another of some length', secret], certificates: undefined },
  { secrets: [], certificates },
  { secrets: [secret], certificates },
]

export const handshakes: Fuzz = {
  name: 'handshakes',
  summary: 'words of a handshake that are changed on their way, between both ends',
  defaultRounds: 200_000,
  async run(options) {
    const random = new SeededRandom(options.seed, 'handshakes')
    const memory = new MemoryLimit(memoryLimitMiB)
    const counts = { established: 0, refused: 0, unfinished: 0 }
    // Every other round ends in an error, and most of the time would go into stacks that nobody reads.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    let done = 0
    try {
      await runRounds(
        options,
        (round) => {
          done = round
          counts[talk(random)]++
        },
        () => {
          checkPrototype()
          memory.check(done)
        },
      )
    } finally {
      Error.stackTraceLimit = stackTraceLimit
    }
    return { ...counts, 'memory added at most (MiB)': memory.mostMiB }
  },
}

/** One conversation, in which one word or none is changed. Throws when it has an end that it must not have. */
function talk(random: SeededRandom): 'established' | 'refused' | 'unfinished' {
  const demanded = pick(demands, random)
  const ends = { dialer: machine('dialer', demanded), listener: machine('listener', demanded) }
  const came: Record<Side, 'established' | 'refused' | undefined> = {
    ...{ dialer: undefined, listener: undefined },
  }
  const queue: [Side, HandshakeEffect][] = []
  const step = (side: Side, input: HandshakeInput): void => {
    for (const effect of ends[side].step(input)) queue.push([side, effect])
  }
  /** Who must not speak with the other, whatever that says. */
  const warned = new Set<Side>()
  if (demanded.certificates !== undefined) {
    for (const side of ['dialer', 'listener'] as const) {
      const channel = pick(shown, random)
      if (channel !== good) warned.add(side)
      if (channel !== undefined) step(side, { type: 'Secured', channel })
    }
  }
  step('dialer', { type: 'Opened' })
  const changedAt = random.below(6)
  /** Who was told something that the other end has not said. */
  const forged = new Set<Side>()
  for (let word = 0, next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [side, effect] = next
    if (effect.type !== 'Send') {
      came[side] = effect.type === 'Establish' ? 'established' : 'refused'
      if (effect.type === 'Establish' && forged.has(side)) {
        throw new Error(`the ${side} was told something that nobody has said, and believed it`)
      }
      if (effect.type === 'Establish' && warned.has(side)) {
        throw new Error(`the ${side} was shown no certificate of its cluster, and does not mind`)
      }
      continue
    }
    const said = effect.bytes.subarray(4)
    const heard = word++ === changedAt ? changed(said, random) : said
    const other = side === 'dialer' ? 'listener' : 'dialer'
    const isForged = !heard.equals(said) && demanded.secrets.length > 0
    if (isForged && came[other] === undefined) forged.add(other)
    if (heard.length > handshakeBytesMax || heard.length === 0) {
      step(other, { type: 'NonsenseReceived', problem: 'too long', isTls: random.below(2) === 0 })
    } else {
      step(other, { type: 'FrameReceived', bytes: heard })
    }
  }
  return came.dialer ?? came.listener ?? 'unfinished'
}

function machine(side: Side, { secrets, certificates: rules }: Demands): HandshakeMachine {
  const isDialer = side === 'dialer'
  const options: HandshakeOptions = {
    ...{ self: isDialer ? dialerNode : listenerNode, clusterName: 'shop' },
    // Of the one that calls the first secret only is used: it knows no other.
    ...{ secrets: isDialer ? secrets.slice(-1) : secrets, certificates: rules },
    ...{ nonce: Buffer.alloc(nonceBytes, isDialer ? 1 : 2), objectionTo: () => undefined },
    role: isDialer
      ? { type: 'dialer', lane: 'data', to: '10.0.0.2:2552' }
      : { type: 'listener', from: '10.0.0.1:40001' },
  }
  return new HandshakeMachine(options)
}

function changed(said: Buffer, random: SeededRandom): Buffer {
  return random.below(20) === 0 ? noise(random, 2 * handshakeBytesMax) : mutated(said, random)
}
