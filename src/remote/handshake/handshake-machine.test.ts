import { describe, expect, test } from 'vitest'
import type { HandshakeEffect, HandshakeOptions, Objection } from './handshake-inputs.ts'
import { HandshakeMachine } from './handshake-machine.ts'
import { encodeHandshake, nonceBytes, type RefusalReason } from './handshake-messages.ts'
import { proofOf } from './handshake-proof.ts'

const secret = 'a secret of some length'
const a = '10.0.0.1:2552#00000000000000aa'
const b = '10.0.0.2:2552#00000000000000bb'
const nothing = (): Objection => undefined
/** Behind kind, magic and version. */
const laneAt = 6

const base = {
  ...{ clusterName: 'shop', secrets: [secret], certificates: undefined },
  objectionTo: nothing,
}

function dialer(options: Partial<HandshakeOptions> = {}): HandshakeMachine {
  const role = { type: 'dialer', lane: 'data', to: '10.0.0.2:2552' } as const
  return new HandshakeMachine({ ...base, self: a, nonce: nonce(1), role, ...options })
}

function listener(options: Partial<HandshakeOptions> = {}): HandshakeMachine {
  const role = { type: 'listener', from: '10.0.0.1:40001' } as const
  return new HandshakeMachine({ ...base, self: b, nonce: nonce(2), role, ...options })
}

function nonce(fill: number): Buffer {
  return Buffer.alloc(nonceBytes, fill)
}

/** Lets both talk until nothing is left to say; answers what each came to, and every byte that was said. */
function talk(dialing: HandshakeMachine, listening: HandshakeMachine) {
  const ends: Record<'dialer' | 'listener', HandshakeEffect[]> = { dialer: [], listener: [] }
  const said: Buffer[] = []
  const queue: (readonly ['dialer' | 'listener', HandshakeEffect])[] = dialing
    .step({ type: 'Opened' })
    .map((effect) => ['dialer', effect] as const)
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [who, effect] = next
    if (effect.type !== 'Send') {
      ends[who].push(effect)
      continue
    }
    said.push(effect.bytes)
    const [other, machine] =
      who === 'dialer' ? (['listener', listening] as const) : (['dialer', dialing] as const)
    const effects = machine.step({ type: 'FrameReceived', bytes: effect.bytes.subarray(4) })
    queue.push(...effects.map((each) => [other, each] as const))
  }
  return { ...ends, said }
}

/** From its kind on. */
const bytesOf = (effect: HandshakeEffect | undefined): Buffer =>
  (effect as { bytes: Buffer }).bytes.subarray(4)

const codeOf = ([effect]: readonly HandshakeEffect[]): string | undefined =>
  effect?.type === 'Fail' ? effect.error.code : effect?.type

describe('HandshakeMachine', () => {
  test('two nodes of one cluster find each other', () => {
    const { dialer: here, listener: there, said } = talk(dialer(), listener())
    expect(here).toEqual([{ type: 'Establish', peer: b, lane: 'data' }])
    expect(there).toEqual([{ type: 'Establish', peer: a, lane: 'data' }])
    expect(said).toHaveLength(4)
    expect(Buffer.concat(said).includes(secret)).toBe(false)
  })

  test('without a secret they need none', () => {
    const none = { secrets: [] }
    expect(codeOf(talk(dialer(none), listener(none)).dialer)).toBe('Establish')
  })

  test.each<[string, Partial<HandshakeOptions>, Partial<HandshakeOptions>, string]>([
    ['another cluster', {}, { clusterName: 'other' }, 'WRONG_CLUSTER_NAME'],
    ['another secret', {}, { secrets: [`${secret}.`] }, 'WRONG_SECRET'],
    ['a secret where none is', {}, { secrets: [] }, 'SECRET_MISSING'],
    ['no secret where one is', { secrets: [] }, {}, 'SECRET_MISSING'],
    ['another address', {}, { self: '10.0.0.3:2552#00000000000000bb' }, 'WRONG_ADDRESS'],
    ['a quarantined dialer', {}, { objectionTo: () => 'quarantined' }, 'INCARNATION_REFUSED'],
    ['a quarantined listener', { objectionTo: () => 'quarantined' }, {}, 'INCARNATION_REFUSED'],
    [
      'a dialer that has given us up',
      {},
      { objectionTo: () => 'quarantined-in-return' },
      'INCARNATION_REFUSED',
    ],
    ['a removed dialer', {}, { objectionTo: () => 'removed' }, 'INCARNATION_REFUSED'],
    ['a removed listener', { objectionTo: () => 'removed' }, {}, 'INCARNATION_REFUSED'],
    ['a former dialer', {}, { objectionTo: () => 'former-incarnation' }, 'INCARNATION_REFUSED'],
    ['a dialer too many', {}, { objectionTo: () => 'too-many-peers' }, 'TOO_MANY_PEERS'],
  ])('%s: refused, with the same code at both ends', (_what, ours, theirs, code) => {
    const outcome = talk(dialer(ours), listener(theirs))
    expect([codeOf(outcome.dialer), codeOf(outcome.listener)]).toEqual([code, code])
  })

  test('who is given up hears by which incarnation, and only where it has called', () => {
    const givenUpBy = ([effect]: readonly HandshakeEffect[]): string | undefined =>
      effect?.type === 'Fail' ? effect.givenUpBy : 'nothing failed'
    const refused = talk(dialer(), listener({ objectionTo: () => 'quarantined' }))
    expect([givenUpBy(refused.dialer), givenUpBy(refused.listener)]).toEqual([b, undefined])
    const refusing = talk(dialer({ objectionTo: () => 'quarantined' }), listener())
    expect([givenUpBy(refusing.dialer), givenUpBy(refusing.listener)]).toEqual([
      undefined,
      undefined,
    ])
    const removed = talk(dialer(), listener({ objectionTo: () => 'removed' }))
    expect([givenUpBy(removed.dialer), givenUpBy(removed.listener)]).toEqual([b, undefined])
    const inReturn = talk(dialer(), listener({ objectionTo: () => 'quarantined-in-return' }))
    expect(givenUpBy(inReturn.dialer)).toBeUndefined()
  })

  test('who is given up hears of it where there is no secret, too', () => {
    const none = { secrets: [] }
    const { dialer: here } = talk(
      dialer(none),
      listener({ ...none, objectionTo: () => 'quarantined' }),
    )
    expect(here).toMatchObject([{ type: 'Fail', givenUpBy: b }])
  })

  test('a stranger who calls does not learn who is given up', () => {
    const quarantining = listener({ objectionTo: () => 'quarantined' })
    const outcome = talk(dialer({ secrets: [`${secret}.`] }), quarantining)
    expect([codeOf(outcome.dialer), codeOf(outcome.listener)]).toEqual(
      Array(2).fill('WRONG_SECRET'),
    )
  })

  test('each lane is named in the first frame, and one that is none is refused', () => {
    for (const lane of ['control', 'data', 'large'] as const) {
      const role = { type: 'dialer', lane, to: '10.0.0.2:2552' } as const
      const { listener: there } = talk(dialer({ role }), listener())
      expect(there).toEqual([{ type: 'Establish', peer: a, lane }])
    }
    const [hello] = dialer().step({ type: 'Opened' })
    for (const number of [3, 255]) {
      const bytes = Buffer.from(bytesOf(hello))
      expect(bytes[laneAt]).toBe(1)
      bytes[laneAt] = number
      const effects = listener().step({ type: 'FrameReceived', bytes })
      expect(effects.map(({ type }) => type)).toEqual(['Send', 'Fail'])
      expect(codeOf(effects.slice(1))).toBe('WRONG_PROTOCOL')
    }
  })

  test('a version to come is refused by its first bytes', () => {
    const [hello] = dialer().step({ type: 'Opened' })
    const bytes = Buffer.from(bytesOf(hello).subarray(0, 8))
    bytes[5] = 2
    const effects = listener().step({ type: 'FrameReceived', bytes })
    expect(effects.map(({ type }) => type)).toEqual(['Send', 'Fail'])
    expect(codeOf(effects.slice(1))).toBe('WRONG_PROTOCOL')
  })

  test('a session that was overheard cannot be played again', () => {
    const { said } = talk(dialer(), listener())
    const again = listener({ nonce: nonce(3) })
    again.step({ type: 'FrameReceived', bytes: said[0]!.subarray(4) })
    const effects = again.step({ type: 'FrameReceived', bytes: said[2]!.subarray(4) })
    expect(codeOf(effects.slice(1))).toBe('WRONG_SECRET')
  })

  test('a proof sent back to its maker proves nothing', () => {
    const dialing = dialer()
    dialing.step({ type: 'Opened' })
    const challenge = encodeHandshake({ type: 'Challenge', from: b, nonce: nonce(9) })
    const [proof] = dialing.step({ type: 'FrameReceived', bytes: challenge.subarray(4) })
    const mine = Buffer.from((proof as { bytes: Buffer }).bytes)
    mine[4] = 0x13
    const effects = dialing.step({ type: 'FrameReceived', bytes: mine.subarray(4) })
    expect(codeOf(effects.slice(1))).toBe('WRONG_SECRET')
  })

  test.each<[Objection, string]>([
    ['quarantined', 'INCARNATION_REFUSED'],
    ['former-incarnation', 'INCARNATION_REFUSED'],
    ['overtaken', 'HANDSHAKE_BROKEN'],
  ])('who is %s while its last word is under way is not spoken to', (later, code) => {
    const answers: Objection[] = [undefined, later]
    const { dialer: here } = talk(dialer({ objectionTo: () => answers.shift() }), listener())
    expect(here.map(({ type }) => type)).toEqual(['Fail'])
    expect(codeOf(here)).toBe(code)
  })

  test('who is overtaken is told no verdict, and may try again', () => {
    const {
      dialer: here,
      listener: there,
      said,
    } = talk(dialer(), listener({ objectionTo: () => 'overtaken' }))
    expect([here, codeOf(there), said.length]).toEqual([[], 'HANDSHAKE_BROKEN', 3])
  })

  const verdicts = [
    'quarantined',
    'quarantined-in-return',
    'removed',
    'former-incarnation',
  ] as const

  test.each(verdicts)('that it is %s is believed only with proof', (reason) => {
    const listening = listener()
    const [hello] = dialer().step({ type: 'Opened' })
    const said = [bytesOf(hello)]
    const [challenge] = listening.step({ type: 'FrameReceived', bytes: said[0]! })
    said.push(bytesOf(challenge))
    const hear = (isChallenged: boolean, proof?: Buffer): readonly HandshakeEffect[] => {
      const dialing = dialer()
      dialing.step({ type: 'Opened' })
      if (isChallenged) dialing.step({ type: 'FrameReceived', bytes: said[1]! })
      const refusal = encodeHandshake({ type: 'Refusal', reason, ...(proof && { proof }) })
      return dialing.step({ type: 'FrameReceived', bytes: refusal.subarray(4) })
    }
    const proofFor = (key: string | undefined, refused: RefusalReason): Buffer =>
      proofOf(key, `listener refuses: ${refused}`, said)
    const good = proofFor(secret, reason)
    const bad = [
      undefined,
      proofFor(undefined, reason),
      proofFor(`${secret}.`, reason),
      proofFor(
        secret,
        verdicts.find((other) => other !== reason)!,
      ),
      proofOf(secret, 'listener', said),
      proofOf(secret, 'dialer', said),
    ]
    for (const effects of [
      ...bad.map((proof) => hear(true, proof)),
      hear(false),
      hear(false, good),
    ]) {
      expect(effects).toMatchObject([{ type: 'Fail', givenUpBy: undefined }])
      expect(codeOf(effects)).toBe('HANDSHAKE_BROKEN')
    }
    expect(codeOf(hear(true, good))).toBe('INCARNATION_REFUSED')
  })

  test('any bit that is changed on the way is noticed', () => {
    const { said } = talk(dialer(), listener())
    const [hello, , proof] = said as [Buffer, Buffer, Buffer]
    for (let at = 4; at < hello.length; at++) {
      const bent = Buffer.from(hello)
      bent[at] = bent[at]! ^ 1
      const machine = listener()
      const first = machine.step({ type: 'FrameReceived', bytes: bent.subarray(4) })
      const second = machine.step({ type: 'FrameReceived', bytes: proof.subarray(4) })
      expect([...first, ...second].some(({ type }) => type === 'Establish')).toBe(false)
    }
  })

  test('time runs out, once', () => {
    const machine = dialer()
    machine.step({ type: 'Opened' })
    expect(codeOf(machine.step({ type: 'TimedOut' }))).toBe('HANDSHAKE_TIMEOUT')
    expect(machine.step({ type: 'TimedOut' })).toEqual([])
  })

  test('what comes out of turn breaks it off', () => {
    const accepted = encodeHandshake({ type: 'Accepted', proof: Buffer.alloc(32) }).subarray(4)
    const machine = dialer()
    machine.step({ type: 'Opened' })
    expect(codeOf(machine.step({ type: 'FrameReceived', bytes: accepted }))).toBe(
      'HANDSHAKE_BROKEN',
    )
  })
})
