import { describe, expect, test } from 'vitest'
import { DeadLetter } from '../../src/actor/index.ts'
import { ConnectionFailed, PeerDisconnected, type Transport } from '../../src/remote/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent } from './nodes.ts'
import { stageForTests } from './stage.ts'

/** Its connections stay when the node ends, as those of a machine that lost its power do. */
function leavingNoWord(inner: Transport): Transport {
  return {
    listen: (at, accept) => inner.listen(at, accept),
    connect: (to, handler, options) => {
      const connection = inner.connect(to, handler, options)
      return {
        ...{ peer: connection.peer, isIdle: true },
        write: (bytes) => connection.write(bytes),
        askForTurn: () => connection.askForTurn(),
        ...{ end: () => undefined, destroy: () => undefined },
      }
    },
  }
}

describe('an address that a second process claims', () => {
  const stage = stageForTests('tcp')
  const { start, refTo } = stage

  /** Of two nodes, one ends and leaves its connections to the other as they were. */
  const oneThatLooksConnected = async () => {
    const a = await start()
    const former = await start({ transport: leavingNoWord(stage.nodes.transport) })
    const ear = createTestProbe<string>(a.system, 'ear')
    refTo<string>(former, a, '/user/ear').tell('one')
    await ear.expect('one')
    await former.kill()
    return { a, former, ear }
  }

  test('stays with the one that answers there, which notices nothing; the other is told why', async () => {
    const [a, one] = [await start(), await start()]
    const ear = createTestProbe<string>(a.system, 'ear')
    const fromOne = refTo<string>(one, a, '/user/ear')
    fromOne.tell('one')
    await ear.expect('one')
    const broken: unknown[] = []
    one.system.eventStream.subscribe(PeerDisconnected, (event) => broken.push(event))
    const two = await start({ advertised: { host: '127.0.0.1', port: one.port } })
    const lost = nextEvent(two.system, DeadLetter)
    refTo<string>(two, a, '/user/ear').tell('two')
    expect(await lost).toMatchObject({ message: 'two', reason: 'connection-rejected' })
    await two.logs.expect(/two processes set to the same advertised address/, { level: 'warn' })
    expect(a.remoting.peerAt(one.remoting.address)).toBe(one.remoting.node)
    fromOne.tell('three')
    await ear.expect('three')
    expect(broken).toEqual([])
  })

  test('goes to the next process when the former only looks connected', async () => {
    const { a, former, ear } = await oneThatLooksConnected()
    expect(a.remoting.peerAt(former.remoting.address)).toBe(former.remoting.node)
    const next = await start({ port: former.port })
    refTo<string>(next, a, '/user/ear').tell('two')
    await ear.expect('two')
    expect(a.remoting.peerAt(former.remoting.address)).toBe(next.remoting.node)
  })

  test('is not given to a third process while the next one answers there', async () => {
    const { a, former, ear } = await oneThatLooksConnected()
    const next = await start({ port: former.port })
    const third = await start({ advertised: { host: '127.0.0.1', port: former.port } })
    let attempts = 0
    const answered = new Promise<void>((resolve) => {
      third.system.eventStream.subscribe(ConnectionFailed, () => ++attempts === 3 && resolve())
    })
    refTo<string>(third, a, '/user/ear').tell('third')
    await answered
    refTo<string>(next, a, '/user/ear').tell('two')
    await ear.expect('two')
    expect(a.remoting.peerAt(former.remoting.address)).toBe(next.remoting.node)
  })
})
