import { describe, expect, expectTypeOf, test } from 'vitest'
import { type ActorRef, InvalidMessage, PoisonPill } from '../../actor/index.ts'
import { createInbox } from './inbox.ts'
import { ProbeFailure } from '../probe-failure.ts'

describe('Inbox', () => {
  test('keeps what is told to its ref, in order', () => {
    const inbox = createInbox<number | null>('orders')
    expectTypeOf(inbox.ref).toEqualTypeOf<ActorRef<number | null>>()
    expect(inbox.isEmpty).toBe(true)
    for (const message of [1, null, 3, 4]) inbox.ref.tell(message)
    expect(inbox.messages).toEqual([1, null, 3, 4])
    expect(inbox.receive()).toBe(1)
    expect(inbox.expect(null)).toBeNull()
    expect(inbox.expect((message) => message === 3)).toBe(3)
    expect(inbox.receiveAll()).toEqual([4])
    expect(inbox.receiveAll()).toEqual([])
  })

  test('keeps a PoisonPill as well, and takes no undefined', () => {
    const inbox = createInbox<string>()
    inbox.ref.tell(PoisonPill)
    inbox.ref.tell('after')
    inbox.expect(PoisonPill)
    inbox.expect('after')
    expect(() => inbox.ref.tell(undefined as never)).toThrow(InvalidMessage)
  })

  test('has a ref like any other', async () => {
    const inbox = createInbox<{ readonly replyTo: ActorRef<string> }>('clerk')
    expect(inbox.ref.path.elements).toEqual(['user', 'clerk'])
    const answer = inbox.ref.ask((replyTo: ActorRef<string>) => ({ replyTo }))
    inbox.receive().replyTo.tell('yes')
    expect(await answer).toBe('yes')
  })

  test('says what it has instead of what was expected', () => {
    const inbox = createInbox<unknown>('orders')
    expect(() => inbox.expect(1)).toThrow('Expected 1, but inbox orders is empty.')
    expect(() => inbox.receive()).toThrow('Expected a message, but inbox orders is empty.')
    inbox.ref.tell({ type: 'Ping' })
    inbox.ref.tell(2)
    expect(() => inbox.expect({ type: 'Pong' })).toThrow(
      "Expected { type: 'Pong' }, but inbox orders has: { type: 'Ping' }, 2.",
    )
    expect(inbox.messages).toHaveLength(2)
  })

  test('fails at the line of the test', () => {
    const fail = (): unknown => createInbox('x').receive()
    try {
      fail()
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ProbeFailure)
      expect((error as ProbeFailure).stack?.split('\n')[1]).toContain('inbox.test.ts')
    }
  })
})
