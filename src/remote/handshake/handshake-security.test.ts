import { describe, expect, test } from 'vitest'
import type { CertificateRules } from '../tls/certificate-rules.ts'
import type { CloseReason, PeerCertificate, SecureChannel } from '../transport.ts'
import type { HandshakeEffect, HandshakeInput, HandshakeOptions } from './handshake-inputs.ts'
import { HandshakeMachine } from './handshake-machine.ts'
import { decodeHandshake, nonceBytes } from './handshake-messages.ts'

const a = '10.0.0.1:2552#00000000000000aa'
const b = '10.0.0.2:2552#00000000000000bb'
const old = 'the secret as it was'
const fresh = 'the secret to come'

const rules: CertificateRules = { names: ['shop'], verifyHost: false, verify: undefined }

const certificate: PeerCertificate = {
  ...{ dnsNames: ['a.shop'], ipAddresses: ['10.0.0.1'], uris: [], serialNumber: '0A' },
  ...{ fingerprint256: 'AB:CD', subject: 'CN=a', issuer: 'CN=ca', validFromMs: 0, validToMs: 1e15 },
}

function channel(changes: Partial<SecureChannel> = {}): SecureChannel {
  return { binding: Buffer.alloc(32, 7), certificate, distrust: undefined, ...changes }
}

interface Ends {
  readonly dialer?: Partial<HandshakeOptions>
  readonly listener?: Partial<HandshakeOptions>
  /** What each end sees of the other; undefined where the network is in the clear. */
  readonly seenByDialer?: SecureChannel | undefined
  readonly seenByListener?: SecureChannel | undefined
}

function machines({ dialer, listener }: Ends): readonly [HandshakeMachine, HandshakeMachine] {
  const common = {
    ...{ clusterName: 'shop', secrets: [], certificates: undefined },
    objectionTo: () => undefined,
  }
  const nonceOf = (fill: number): Buffer => Buffer.alloc(nonceBytes, fill)
  const to = '10.0.0.2:2552'
  return [
    new HandshakeMachine({
      ...{ ...common, self: a, nonce: nonceOf(1), role: { type: 'dialer', lane: 'data', to } },
      ...dialer,
    }),
    new HandshakeMachine({
      ...{ ...common, self: b, nonce: nonceOf(2), role: { type: 'listener', from: 'stranger:1' } },
      ...listener,
    }),
  ]
}

/** Lets both talk; answers what each came to. */
function talk(ends: Ends): { readonly dialer: string; readonly listener: string } {
  const [dialer, listener] = machines(ends)
  const came = { dialer: 'nothing', listener: 'nothing' }
  const queue: [keyof typeof came, HandshakeEffect][] = []
  const step = (who: keyof typeof came, input: HandshakeInput): void => {
    const machine = who === 'dialer' ? dialer : listener
    for (const effect of machine.step(input)) queue.push([who, effect])
  }
  const { seenByListener, seenByDialer } = ends
  if (seenByListener !== undefined) step('listener', { type: 'Secured', channel: seenByListener })
  if (seenByDialer !== undefined) step('dialer', { type: 'Secured', channel: seenByDialer })
  step('dialer', { type: 'Opened' })
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [who, effect] = next
    if (effect.type === 'Establish') came[who] = 'established'
    else if (effect.type === 'Fail') came[who] = effect.error.code
    else {
      const other = who === 'dialer' ? 'listener' : 'dialer'
      step(other, { type: 'FrameReceived', bytes: effect.bytes.subarray(4) })
    }
  }
  return came
}

const both = (code: string) => ({ dialer: code, listener: code })

describe('a handshake over an encrypted connection', () => {
  const encrypted = { dialer: { certificates: rules }, listener: { certificates: rules } }

  test('is established between nodes with certificates of the cluster, with a secret or without', () => {
    const seen = { seenByDialer: channel(), seenByListener: channel() }
    expect(talk({ ...encrypted, ...seen })).toEqual(both('established'))
    const secrets = { certificates: rules, secrets: [old] }
    expect(talk({ dialer: secrets, listener: secrets, ...seen })).toEqual(both('established'))
  })

  test.each<[string, SecureChannel, string]>([
    [
      'none',
      channel({
        certificate: undefined,
        distrust: { type: 'untrusted', code: 'UNABLE_TO_GET_ISSUER_CERT' },
      }),
      'CERTIFICATE_MISSING',
    ],
    // As some versions of Node have it of a session that is taken up again.
    [
      'none, though it is said to be in order',
      channel({ certificate: undefined, distrust: undefined }),
      'CERTIFICATE_MISSING',
    ],
    [
      "a stranger's",
      channel({ distrust: { type: 'untrusted', code: 'SELF_SIGNED_CERT_IN_CHAIN' } }),
      'CERTIFICATE_UNTRUSTED',
    ],
    [
      'one that has run out',
      channel({ distrust: { type: 'expired', code: 'CERT_HAS_EXPIRED' } }),
      'CERTIFICATE_EXPIRED',
    ],
    [
      'one of another cluster',
      channel({ certificate: { ...certificate, dnsNames: ['a.warehouse', 'shop.a', 'xshop'] } }),
      'WRONG_CERTIFICATE_NAME',
    ],
  ])('T01 T02 %s: both ends hear the same reason, whoever shows it', (_what, bad, code) => {
    const shownByDialer = { seenByDialer: channel(), seenByListener: bad }
    expect(talk({ ...encrypted, ...shownByDialer })).toEqual(both(code))
    const shownByListener = { seenByDialer: bad, seenByListener: channel() }
    expect(talk({ ...encrypted, ...shownByListener })).toEqual(both(code))
  })

  test('T02 a certificate that is not for the host of its node is refused, where that is demanded', () => {
    const strict = { certificates: { ...rules, verifyHost: true } }
    const forB = { ...certificate, ipAddresses: ['10.0.0.2'] }
    const seen = (byListener: PeerCertificate) => ({
      ...{ dialer: strict, listener: strict },
      ...{ seenByDialer: channel({ certificate: forB }) },
      ...{ seenByListener: channel({ certificate: byListener }) },
    })
    expect(talk(seen(certificate))).toEqual(both('established'))
    expect(talk(seen(forB))).toEqual(both('CERTIFICATE_REFUSED'))
  })

  test.each<[string, CertificateRules['verify']]>([
    [
      'says no',
      ({ serialNumber }, address) => serialNumber !== '0A' || address !== '10.0.0.1:2552',
    ],
    [
      'throws',
      () => {
        throw new Error('no list')
      },
    ],
    ['answers late', (() => Promise.resolve(true)) as never],
  ])('T02 a check of the user that %s refuses it', (_what, verify) => {
    const seen = { seenByDialer: channel(), seenByListener: channel() }
    const strict = { certificates: { ...rules, verify } }
    const ends = { dialer: { certificates: rules }, listener: strict, ...seen }
    expect(talk(ends)).toEqual(both('CERTIFICATE_REFUSED'))
  })

  test('T31 who demands encryption speaks with nobody on a network in the clear', () => {
    expect(talk(encrypted)).toEqual({ dialer: 'TLS_MISSING', listener: 'TLS_MISSING' })
    const inTheClear = { dialer: {}, listener: { certificates: rules } }
    expect(talk(inTheClear)).toEqual(both('TLS_MISSING'))
  })

  test('T03 a proof that somebody between the two passes on is worth nothing', () => {
    const ends = (binding: number) => ({
      ...{ dialer: { secrets: [old], certificates: rules } },
      ...{ listener: { secrets: [old], certificates: rules } },
      ...{ seenByDialer: channel() },
      ...{ seenByListener: channel({ binding: Buffer.alloc(32, binding) }) },
    })
    expect(talk(ends(7))).toEqual(both('established'))
    expect(talk(ends(8))).toEqual(both('WRONG_SECRET'))
  })

  test.each<[CloseReason['type'], string]>([
    ['no-tls', 'TLS_MISSING'],
    ['tls-version', 'WRONG_TLS_VERSION'],
    ['tls-failed', 'TLS_FAILED'],
  ])('T31 a connection that could not be encrypted, %s, has a reason of its own', (type, code) => {
    const [dialer] = machines({ dialer: { certificates: rules } })
    const effects = dialer.step({ type: 'NotSecured', reason: { type, detail: 'why' } })
    expect(effects).toMatchObject([{ type: 'Fail', error: { code, address: '10.0.0.2:2552' } }])
  })

  test('T31 who does not encrypt tells whoever begins to that it does not', () => {
    const [, listener] = machines({})
    const effects = listener.step({ type: 'NonsenseReceived', problem: 'too long', isTls: true })
    const [send, fail] = effects as [{ readonly bytes: Buffer }, HandshakeEffect]
    expect(decodeHandshake(send.bytes.subarray(4))).toEqual({
      ...{ type: 'Refusal', reason: 'tls-unexpected' },
    })
    expect(fail).toMatchObject({ type: 'Fail', error: { code: 'TLS_MISSING' } })
  })

  test('other nonsense is a broken handshake', () => {
    const [, listener] = machines({})
    const effects = listener.step({ type: 'NonsenseReceived', problem: 'too long', isTls: false })
    expect(effects).toMatchObject([{ type: 'Fail', error: { code: 'HANDSHAKE_BROKEN' } }])
  })
})

describe('a secret that is replaced', () => {
  // Step by step: first all accept the new one, then all prove by it, then none accepts the old one.
  const steps = [[old], [old, fresh], [fresh, old], [fresh]] as const

  test('T03 nodes of two steps that follow each other speak, whoever calls', () => {
    for (const [index, step] of steps.entries()) {
      for (const next of [steps[index + 1] ?? step, step]) {
        const forth = { dialer: { secrets: step }, listener: { secrets: next } }
        const back = { dialer: { secrets: next }, listener: { secrets: step } }
        expect([step, next, talk(forth)]).toEqual([step, next, both('established')])
        expect([step, next, talk(back)]).toEqual([step, next, both('established')])
      }
    }
  })

  test('T03 nodes that have left a step out do not, and are told so', () => {
    const ends = { dialer: { secrets: [old] }, listener: { secrets: [fresh] } }
    expect(talk(ends)).toEqual(both('WRONG_SECRET'))
  })

  test('T03 a list does not open the door to those who know none of it', () => {
    const listener = { secrets: [fresh, old] }
    expect(talk({ dialer: { secrets: ['another secret!!'] }, listener })).toEqual(
      both('WRONG_SECRET'),
    )
    expect(talk({ dialer: { secrets: [] }, listener })).toEqual(both('SECRET_MISSING'))
  })
})
