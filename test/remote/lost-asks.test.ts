import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { internal } from '../../src/actor/internals.ts'
import type { RemoteSettings } from '../../src/remote/index.ts'
import { LaneTap } from './lane-tap.ts'
import { untilTurn } from './nodes.ts'
import { stageForTests } from './stage.ts'

interface Get {
  readonly replyTo?: ActorRef<number>
  readonly what?: unknown
}

const timeout = '10m'

describe.each(['tcp', 'memory'] as const)('an ask whose message is lost here, over %s', (kind) => {
  const stage = stageForTests(kind)

  /** Two nodes; the network takes nothing more from a to b, and nothing waits yet. */
  async function stalled(remote: Partial<RemoteSettings> = {}) {
    const tap = new LaneTap(stage.nodes.transport)
    const a = await stage.start({ transport: tap, remote })
    const b = await stage.start()
    b.system.spawn(
      Behaviors.receiveMessage<Get>(({ replyTo }) => replyTo?.tell(1)),
      'target',
    )
    const target = a.remoting.refAt(b.remoting.node, '/user/target') as ActorRef<Get>
    const ask = (): Promise<number> => target.ask<number>((replyTo) => ({ replyTo }), { timeout })
    expect(await ask()).toBe(1)
    tap.stop('data')
    target.tell({ what: 'x'.repeat(100_000) })
    const queued = (): number => a.remoting.queuedFor(b.remoting.address)
    await untilTurn('the long one is handed to the network', () => queued() === 0)
    return { tap, a, b, target, ask }
  }

  const notSent = (reason: string) => ({ code: 'ASK_NOT_SENT', reason })

  test('fails at once when too much waits for that node, and says what to do', async () => {
    const { tap, ask } = await stalled({ queueMessagesMax: 2 })
    const waiting = [ask(), ask()]
    const asked = ask()
    await expect(asked).rejects.toMatchObject(notSent('outbound-queue-full'))
    await expect(asked).rejects.toThrow(
      /was not sent \(outbound-queue-full\)\. Too much waits for that node: ask less at once, or raise the settings remote\.queueMessagesMax/,
    )
    tap.flow('data')
    expect(await Promise.all(waiting)).toEqual([1, 1])
  })

  test('fails at once when there is no message, as on one node', async () => {
    const { target } = await stalled()
    const nothing = (() => undefined) as unknown as () => Get
    await expect(target.ask(nothing, { timeout })).rejects.toMatchObject({
      code: 'INVALID_MESSAGE',
    })
  })

  test('fails with the reason when what waits is given up', async () => {
    const { a, b, ask } = await stalled()
    const waiting = ask()
    a.remoting.quarantine(b.remoting.node, 'for this test')
    await expect(waiting).rejects.toMatchObject(notSent('quarantined'))
    await expect(ask()).rejects.toMatchObject(notSent('quarantined'))
  })

  test('fails when the connection breaks and none comes in its place', async () => {
    const { tap, ask } = await stalled({ giveUpAfterMs: 500 })
    const waiting = ask()
    tap.cut('data')
    await expect(waiting).rejects.toMatchObject(notSent('unreachable'))
  })

  test('goes by the next connection when there is one', async () => {
    const { tap, ask } = await stalled()
    const waiting = ask()
    tap.cut('data')
    tap.flow('data')
    expect(await waiting).toBe(1)
  })

  test('fails when the other node refuses this one', async () => {
    const [a, b] = [await stage.start(), await stage.start({ clusterName: 'other' })]
    const target = stage.refTo<Get>(a, b, '/user/probe')
    const asked = target.ask<number>((replyTo) => ({ replyTo }), { timeout })
    await expect(asked).rejects.toMatchObject(notSent('connection-rejected'))
  })

  test('fails when it cannot travel, also when that shows late, and leaves no question behind', async () => {
    const { target } = await stalled()
    const questions: ActorRef<number>[] = []
    const ask = (what: unknown): Promise<number> =>
      target.ask<number>(
        (replyTo) => {
          questions.push(replyTo)
          return { what, replyTo }
        },
        { timeout },
      )
    await expect(ask(() => 1)).rejects.toMatchObject({ code: 'CANNOT_SERIALIZE' })
    const box: { value: unknown } = { value: 1 }
    const late = ask(box)
    box.value = () => 1
    await expect(late).rejects.toMatchObject({ code: 'CANNOT_SERIALIZE' })
    expect(questions.map((question) => internal(question).isTerminated)).toEqual([true, true])
  })
})
