import { expect, test } from 'vitest'
import { ManualTime } from '../../testkit/index.ts'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { defaultRemoteSettings } from '../remote-settings.ts'
import type { ConnectionHandler } from '../transport.ts'
import { Dialer } from './dialer.ts'
import type { LinkWorld } from './link-owner.ts'

/** A link to an address where nobody listens. */
function stage() {
  const time = new ManualTime()
  const { environment } = time
  const settings = { ...defaultRemoteSettings, giveUpAfterMs: 5_000, reconnectMaxMs: 1_000 }
  const refuse = (handler: ConnectionHandler): void =>
    void environment.timers.after(1, () => handler.closed({ type: 'refused', detail: 'nobody' }))
  const connection = { peer: 'b:1', destroy: () => undefined }
  const world = {
    runtime: { environment },
    settings,
    transport: {
      connect: (_to: unknown, handler: ConnectionHandler) => (refuse(handler), connection),
    },
    handshakeFor: (role: unknown) => ({
      self: nodeIdOf('a:1', 1n),
      clusterName: 'test',
      secrets: [],
      nonce: Buffer.alloc(16),
      role,
      objectionTo: () => undefined,
    }),
  } as unknown as LinkWorld
  let waiting = 0
  const gaveUpAt: number[] = []
  const dialer = new Dialer('data', world, 'b:1', {
    hasWork: () => waiting > 0,
    gaveUp: () => {
      waiting = 0
      gaveUpAt.push(time.now)
    },
    idle: () => undefined,
    failed: () => undefined,
    established: () => {
      throw new Error('nobody is there')
    },
  })
  const send = (): void => {
    waiting++
    dialer.begin()
  }
  /** What waits is taken out because its receiver is known to be gone. */
  const takeOut = (): void => {
    waiting = 0
    dialer.nothingWaits()
  }
  return { time, send, takeOut, gaveUpAt }
}

test('what waits is given up after its time', async () => {
  const { time, send, gaveUpAt } = stage()
  send()
  await time.advance('6s')
  expect(gaveUpAt).toEqual([5_000])
})

test('what comes after everything was taken out has all its time', async () => {
  const { time, send, takeOut, gaveUpAt } = stage()
  send()
  await time.advance('4s')
  takeOut()
  send()
  await time.advance('4s')
  expect(gaveUpAt).toEqual([])
  await time.advance('2s')
  expect(gaveUpAt).toEqual([9_000])
})
