import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, DeadLetter, Dropped } from '../../src/actor/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent, type TestNode } from './nodes.ts'
import { stageForTests } from './stage.ts'

interface Numbered {
  readonly from: string
  readonly n: number
}

interface Letter {
  readonly type: 'Letter'
  readonly n: number
  readonly route: readonly ActorRef<Letter>[]
}

describe.each(['tcp', 'tls', 'memory'] as const)('RM-004 order and identity over %s', (kind) => {
  const { start, refTo } = stageForTests(kind)

  test('RM-004 messages of each sender arrive in order', async () => {
    const [a, b, c] = [await start(), await start(), await start()]
    const probe = createTestProbe<Numbered>(c.system, 'target')
    const targets = [a, b].map((node) => refTo<Numbered>(node, c, '/user/target'))
    for (let n = 0; n < 1000; n++) {
      for (const [index, target] of targets.entries()) target.tell({ from: `sender ${index}`, n })
    }
    const all = await probe.receive(2000, { within: '40s' })
    for (const index of targets.keys()) {
      const numbers = all.filter(({ from }) => from === `sender ${index}`).map(({ n }) => n)
      expect(numbers).toEqual(Array.from({ length: 1000 }, (_, n) => n))
    }
  })

  test('RM-004 letters return over a route of five hops, with refs inside them', async () => {
    const all = [await start(), await start(), await start()]
    const [home] = all as [TestNode, TestNode, TestNode]
    const forward = Behaviors.receiveMessage<Letter>(({ type, n, route }) => {
      const [next, ...rest] = route
      next?.tell({ type, n, route: rest })
    })
    for (const { system } of all) system.spawn(forward, 'post')
    const probe = createTestProbe<Letter>(home.system, 'home')
    const hops = [1, 2, 0, 2, 1].map((index) => refTo<Letter>(home, all[index]!, '/user/post'))
    for (let n = 0; n < 500; n++) {
      const [first, ...rest] = hops
      first?.tell({ type: 'Letter', n, route: [...rest, probe.ref] })
    }
    const letters = await probe.receive(500, { within: '40s' })
    expect(letters.map(({ n }) => n).sort((x, y) => x - y)).toEqual(letters.map((_, n) => n))
  })

  test('RM-004 an old ref does not reach the new actor of the same name', async () => {
    const [a, b] = [await start(), await start()]
    const registry = createTestProbe<{ ref: ActorRef<string> }>(a.system, 'registry')
    const first = createTestProbe<string>(b.system, 'twice')
    refTo<{ ref: ActorRef<string> }>(b, a, '/user/registry').tell({ ref: first.ref })
    const { ref: old } = await registry.receive()
    expect(String(old)).toBe(`sherd://shop@${b.remoting.address}/user/twice#${first.ref.path.uid}`)
    old.tell('to the first')
    await first.expect('to the first')
    first.stop()
    await b.system.whenStopped(first.ref)
    const second = createTestProbe<string>(b.system, 'twice')
    const lost = nextEvent(b.system, DeadLetter)
    old.tell('to the first again')
    expect(await lost).toMatchObject({ reason: 'terminated', message: 'to the first again' })
    refTo<string>(a, b, '/user/twice').tell('to whoever is there')
    await second.expect('to whoever is there')
  })

  test('RM-004 what cannot travel is dropped with an error, and the connection stays', async () => {
    const [a, b] = [await start(), await start()]
    const probe = createTestProbe<unknown>(b.system, 'target')
    const target = refTo<unknown>(a, b, '/user/target')
    target.tell('before')
    await probe.expect('before')
    const dropped = nextEvent(a.system, Dropped)
    target.tell({ items: [{ onClick: () => undefined }] })
    expect(await dropped).toMatchObject({ reason: 'cannot-serialize' })
    await a.logs.expect(/message\.items\[0\]\.onClick is a function/, { level: 'error' })
    target.tell('x'.repeat(9 * 1024 * 1024))
    await a.logs.expect(/message takes more than 8388608 bytes/, { level: 'error' })
    target.tell('after')
    await probe.expect('after')
    const asked = target.ask<number>((replyTo) => ({ replyTo, bad: Symbol('x') }))
    await expect(asked).rejects.toThrow(/message\.bad is a symbol and cannot travel/)
  })

  test('RM-004 a large message does not hold up the order, and arrives whole', async () => {
    const [a, b] = [await start(), await start()]
    const probe = createTestProbe<string>(b.system, 'target')
    const target = refTo<string>(a, b, '/user/target')
    const large = 'y'.repeat(3_000_000)
    for (const text of ['small', large, 'smaller']) target.tell(text)
    const got = await probe.receive(3, { within: '40s' })
    expect(got.map((text) => text.length)).toEqual([5, 3_000_000, 7])
  })
})
