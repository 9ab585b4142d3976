import { describe, expect, test } from 'vitest'
import {
  type ActorRef,
  Behaviors,
  DeadLetter,
  PoisonPill,
  StatusReply,
} from '../../src/actor/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { nextEvent } from './nodes.ts'
import { stageForTests } from './stage.ts'

describe.each(['tcp', 'tls', 'memory'] as const)('over %s', (kind) => {
  const { start, refTo } = stageForTests(kind)

  test('answers come straight back to the question, wherever its address stands', async () => {
    const [a, b] = [await start(), await start()]
    interface Get {
      readonly replyTo?: ActorRef<number>
      readonly nested?: { readonly to: readonly ActorRef<number>[] }
    }
    b.system.spawn(
      Behaviors.receiveMessage<Get>(({ replyTo, nested }) => {
        replyTo?.tell(1)
        nested?.to[0]?.tell(2)
      }),
      'target',
    )
    const target = refTo<Get>(a, b, '/user/target')
    expect(await target.ask<number>((replyTo) => ({ replyTo }))).toBe(1)
    expect(await target.ask<number>((to) => ({ nested: { to: [to] } }))).toBe(2)
    const many = Array.from({ length: 300 }, () => target.ask<number>((replyTo) => ({ replyTo })))
    expect(new Set(await Promise.all(many))).toEqual(new Set([1]))
  })

  test('errors in answers arrive as errors', async () => {
    const [a, b] = [await start(), await start()]
    b.system.spawn(
      Behaviors.receiveMessage<{ replyTo: ActorRef<StatusReply<number>> }>(({ replyTo }) =>
        replyTo.tell(StatusReply.error(Object.assign(new Error('sold out'), { code: 'SOLD_OUT' }))),
      ),
      'target',
    )
    const target = refTo<{ replyTo: ActorRef<StatusReply<number>> }>(a, b, '/user/target')
    const asked = target.askWithStatus<number>((replyTo) => ({ replyTo }))
    await expect(asked).rejects.toMatchObject({ message: 'sold out', code: 'SOLD_OUT' })
  })

  test('an answer that comes too late, or twice, is a dead letter where the question was asked', async () => {
    const [a, b] = [await start(), await start()]
    const probe = createTestProbe<{ replyTo: ActorRef<number> }>(b.system, 'target')
    const target = refTo<{ replyTo: ActorRef<number> }>(a, b, '/user/target')
    const asked = target.ask<number>((replyTo) => ({ replyTo }))
    const { replyTo } = await probe.receive()
    replyTo.tell(1)
    expect(await asked).toBe(1)
    const late = nextEvent(a.system, DeadLetter)
    replyTo.tell(2)
    expect(await late).toMatchObject({ reason: 'late-reply', message: 2 })
  })

  test('nobody at the path is a dead letter there, and PoisonPill stops an actor there', async () => {
    const [a, b] = [await start(), await start()]
    const lost = nextEvent(b.system, DeadLetter)
    refTo<string>(a, b, '/user/nobody').tell('hello')
    const { recipient, reason } = await lost
    expect([String(recipient), reason]).toEqual([
      `sherd://shop@${b.remoting.address}/user/nobody`,
      'no-such-actor',
    ])
    const probe = createTestProbe<string>(b.system, 'target')
    const target = refTo<string>(a, b, '/user/target')
    target.tell('last words')
    target.tell(PoisonPill)
    await b.system.whenStopped(probe.ref)
  })

  test('the same actor is the same ref, and a ref that comes home is the local one', async () => {
    const [a, b] = [await start(), await start()]
    const mirror = Behaviors.receiveMessage<{ ref: unknown; replyTo: ActorRef<unknown> }>(
      ({ ref, replyTo }) => replyTo.tell({ ref }),
    )
    b.system.spawn(mirror, 'mirror')
    const target = refTo<{ ref: unknown; replyTo: ActorRef<unknown> }>(a, b, '/user/mirror')
    const probe = createTestProbe<string>(a.system, 'probe')
    const reflect = async (ref: unknown): Promise<unknown> =>
      ((await target.ask<unknown>((replyTo) => ({ ref, replyTo }))) as { ref: unknown }).ref
    expect(await reflect(probe.ref)).toBe(probe.ref)
    expect(await reflect(target)).toBeDefined()
    expect(refTo(a, b, '/user/mirror')).toBe(target)
    expect(a.remoting.refTo(String(target))).toBe(target)
  })

  test('endpoints of the runtime take messages by name, and know who sent them', async () => {
    const [a, b] = [await start(), await start()]
    const got: unknown[] = []
    const arrived = new Promise<void>((resolve) => {
      b.remoting.serve('/system/region/Cart', (name, from) => ({
        tell: (message) => {
          got.push([name, from, message])
          if (got.length === 3) resolve()
        },
      }))
    })
    for (const id of ['7', 'a%20b', '7']) refTo(a, b, `/system/region/Cart/${id}`).tell('add')
    await arrived
    const { node } = a.remoting
    expect(got).toEqual([
      ['7', node, 'add'],
      ['a%20b', node, 'add'],
      ['7', node, 'add'],
    ])
  })
})
