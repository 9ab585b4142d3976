import { afterEach, describe, expect, test } from 'vitest'
import {
  HandshakeFailed,
  PeerConnected,
  PeerQuarantined,
  ThisNodeQuarantined,
} from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode, TestNodes, untilTurn } from './nodes.ts'

const idleSoon = { idleAfterMs: 20, forgetAfterMs: 40 }

describe.each(['tcp', 'memory'] as const)('a member that was removed, over %s', (kind) => {
  let nodes = new TestNodes(kind)
  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes(kind, 11)
  })

  const at =
    ({ remoting }: TestNode, name: string) =>
    (from: TestNode) =>
      from.remoting.refAt(remoting.address, `/user/${name}`)

  /** `gone` lives on and has not heard of it; `kept` has forgotten it, with how far they had counted system messages. */
  const start = async () => {
    const kept = await nodes.start({ remote: { ...idleSoon, peersMax: 2 } })
    const gone = await nodes.start({ remote: { idleAfterMs: 20 } })
    kept.remoting.nodeJoined(gone.remoting.node)
    gone.remoting.nodeJoined(kept.remoting.node)
    const [one, two] = ['one', 'two'].map((name) => createTestProbe<string>(kept.system, name))
    const over = gone.system.whenStopped(at(kept, 'one')(gone))
    at(kept, 'one')(gone).tell('hello')
    await one!.expect('hello')
    one!.stop()
    await over
    kept.remoting.nodeRemoved(gone.remoting.node)
    await untilTurn('it is forgotten', () => kept.remoting.peerCount === 0)
    const connected: unknown[] = []
    gone.system.eventStream.subscribe(PeerConnected, (event) => connected.push(event))
    const refused: unknown[] = []
    gone.system.eventStream.subscribe(HandshakeFailed, ({ error }) => refused.push(error))
    return { kept, gone, two: two!, connected, refused }
  }

  test('and forgotten hears in the handshake what to do, and does not call again', async () => {
    const { kept, gone, connected, refused } = await start()
    const told = nextEvent(gone.system, ThisNodeQuarantined)
    const isOver = gone.system.whenStopped(at(kept, 'two')(gone))
    expect((await told).by).toBe(kept.remoting.address)
    await isOver
    // The other lane may have called by then; after that nothing is worth a call.
    at(kept, 'two')(gone).tell('nobody hears this')
    await untilTurn('nothing waits', () => gone.remoting.queuedFor(kept.remoting.address) === 0)
    expect(connected).toEqual([])
    expect(refused[0]).toMatchObject({ code: 'INCARNATION_REFUSED' })
    expect(gone.logs.matching(/removed from its cluster.*Restart this node/, 'warn')).toHaveLength(
      1,
    )
    expect(kept.logs.matching(/was removed from the cluster.*restart it/, 'warn')).toHaveLength(1)
    expect(kept.remoting.peerCount).toBe(0)
  })

  test('is let in when it was restarted at the same address', async () => {
    const { kept, gone, two } = await start()
    const told = nextEvent(gone.system, ThisNodeQuarantined)
    void gone.system.whenStopped(at(kept, 'two')(gone))
    await told
    await gone.kill()
    const next = await nodes.start({ port: gone.port })
    at(kept, 'two')(next).tell('I am new')
    await two.expect('I am new')
    const over = next.system.whenStopped(at(kept, 'two')(next))
    at(kept, 'two')(next).tell('and watch')
    await two.expect('and watch')
    two.stop()
    await over
  })

  test('is given up when even that it was removed is forgotten, in whichever direction they speak first', async () => {
    for (const isCalled of [false, true]) {
      const { kept, gone, connected } = await start()
      // More than it remembers for two peers.
      for (let n = 0; n < 20; n++) {
        kept.remoting.nodeRemoved(`10.0.0.${n}:2552#00000000000000aa`)
      }
      const givenUp = nextEvent(kept.system, PeerQuarantined)
      if (isCalled) at(gone, 'nobody')(kept).tell('hello')
      else void gone.system.whenStopped(at(kept, 'two')(gone))
      expect((await givenUp).node).toBe(gone.remoting.node)
      const told = nextEvent(gone.system, ThisNodeQuarantined)
      const isOver = gone.system.whenStopped(at(kept, 'two')(gone))
      await Promise.all([told, isOver])
      expect(connected.length).toBeLessThanOrEqual(2)
      expect(kept.logs.matching(/goes on with what this node has forgotten/)).toHaveLength(1)
      expect(kept.logs.matching(/a system message is/)).toEqual([])
    }
  })
})
