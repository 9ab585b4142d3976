import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, DeadLetter } from '../../src/actor/index.ts'
import { ConnectionFailed, HandshakeFailed } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes } from './nodes.ts'

/** On a machine that does much else. */
const patient = { within: '30s' } as const

describe.each(['tcp', 'tls', 'memory'] as const)('RM-001 handshake over %s', (kind) => {
  let nodes = new TestNodes(kind)

  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes(kind, 11)
  })

  const refTo = (from: TestNode, to: { address: string }, path: string): ActorRef<string> =>
    from.remoting.refAt(to.address, path)

  /** A port where nobody listens now. */
  const freePort = async (): Promise<number> => {
    const node = await nodes.start()
    await node.kill()
    return node.port
  }

  test('RM-001 sent to an absent node for longer than messages wait: lost, and later ones arrive', async () => {
    const a = await nodes.start({ remote: { giveUpAfterMs: 3_000 } })
    const port = await freePort()
    const target = refTo(a, { address: `127.0.0.1:${port}` }, '/user/probe')
    const refused = nextEvent(a.system, ConnectionFailed)
    const lost = nextEvent(a.system, DeadLetter)
    target.tell('too early')
    expect(await refused).toMatchObject({ address: `127.0.0.1:${port}`, reason: 'refused' })
    expect(await lost).toMatchObject({ message: 'too early', reason: 'unreachable' })
    const b = await nodes.start({ port })
    const probe = createTestProbe<string>(b.system, 'probe')
    target.tell('in time')
    await probe.expect('in time', patient)
  })

  test('RM-001 sent to an absent node that comes soon: the very first message arrives', async () => {
    const a = await nodes.start()
    const port = await freePort()
    const refused = nextEvent(a.system, ConnectionFailed)
    refTo(a, { address: `127.0.0.1:${port}` }, '/user/probe').tell('the first')
    await refused
    const b = await nodes.start({ port })
    const probe = createTestProbe<string>(b.system, 'probe')
    await probe.expect('the first', patient)
  })

  test('RM-001 called by a name that is not its own: refused, told at both ends, a dead letter', async () => {
    const a = await nodes.start()
    const advertised = await nodes.start({ advertised: { host: 'other.example' } })
    const lost = nextEvent(a.system, DeadLetter)
    const told = nextEvent(advertised.system, HandshakeFailed)
    refTo(a, { address: `127.0.0.1:${advertised.port}` }, '/user/probe').tell('hello')
    expect(await lost).toMatchObject({ reason: 'connection-rejected' })
    expect((await told).error.code).toBe('WRONG_ADDRESS')
    await a.logs.expect(/Call it by its advertised address/, { level: 'warn', ...patient })
    const called = new RegExp(`was called by the address "?127\\.0\\.0\\.1:${advertised.port}`)
    await advertised.logs.expect(called, { level: 'warn', ...patient })
  })
})
