import { describe, expect, test } from 'vitest'
import { DeadLetter } from '../../src/actor/index.ts'
import { HandshakeFailed } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { LateTransport } from './late-transport.ts'
import { nextEvent, type TestNode, untilTurn } from './nodes.ts'
import { stageForTests } from './stage.ts'

describe('a handshake whose end is late', () => {
  const stage = stageForTests('tcp')
  const { start, refTo } = stage

  /** The next process on that address takes over; then the late words come. It must stay the one that lives there. */
  async function replaced(a: TestNode, former: TestNode, late: LateTransport) {
    await untilTurn('the end of the handshake is held up', () => late.holds)
    await former.kill()
    const next = await start({ port: former.port })
    const ear = createTestProbe<string>(a.system, 'ear')
    const probe = createTestProbe<string>(next.system, 'probe')
    const toA = refTo<string>(next, a, '/user/ear')
    toA.tell('one')
    await ear.expect('one')
    const failed = nextEvent(a.system, HandshakeFailed)
    late.release()
    expect((await failed).error.message).toContain('another process is connected')
    expect(a.remoting.peerAt(next.remoting.address)).toBe(next.remoting.node)
    toA.tell('two')
    await ear.expect('two')
    refTo<string>(a, next, '/user/probe').tell('three')
    await probe.expect('three')
  }

  test('does not bring back the dialed one, which was replaced meanwhile', async () => {
    const late = new LateTransport(stage.nodes.transport, 'answer')
    const [a, former] = [await start({ transport: late }), await start()]
    refTo(a, former, '/user/nobody').tell('hello')
    await replaced(a, former, late)
  })

  test('does not bring back the dialer, which was replaced meanwhile', async () => {
    const late = new LateTransport(stage.nodes.transport, 'proof')
    const [a, former] = [await start(), await start({ transport: late })]
    refTo(former, a, '/user/nobody').tell('hello')
    await replaced(a, former, late)
  })

  test('does not open a way to one that was given up meanwhile', async () => {
    const late = new LateTransport(stage.nodes.transport, 'answer')
    const [a, b] = [await start({ transport: late }), await start()]
    const probe = createTestProbe<string>(b.system, 'probe')
    refTo<string>(a, b, '/user/probe').tell('hello')
    await untilTurn('the end of the handshake is held up', () => late.holds)
    a.remoting.quarantine(b.remoting.node, 'removed')
    const lost = nextEvent(a.system, DeadLetter)
    late.release()
    expect(await lost).toMatchObject({ message: 'hello', reason: 'connection-rejected' })
    await probe.expectNo({ for: 20 })
  })
})
