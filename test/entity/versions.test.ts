/** Nodes of different versions: a call or an answer that is not understood is an error that says so, not a timeout. */
import { expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { defineEntity } from '../../src/entity/index.ts'
import { type CallTarget, type EntityCall, EntityCalls } from '../../src/entity/internals.ts'
import { isEntityReply } from '../../src/entity/entity-wire.ts'
import { outcome, Stage } from './stage.ts'

const state = (): { count: number } => ({ count: 0 })
const Plain = defineEntity('Plain', { state, commands: { get: (self) => self.state.count } })
const Durable = defineEntity('Durable', {
  state,
  events: { Counted: ({ count }) => ({ count: count + 1 }) },
  commands: { get: (self) => self.state.count },
})

/** Calls as a later version of Sherd makes them. */
class LaterTarget implements CallTarget {
  readonly #target: CallTarget

  constructor(target: CallTarget) {
    this.#target = target
  }

  tell(call: EntityCall): void {
    this.#target.tell({ ...call, version: 2 as 1 })
  }
}

function callsTo(stage: Stage, target: CallTarget): EntityCalls {
  return new EntityCalls({
    system: stage.system,
    travelling: stage.world.travelling,
    targetOf: () => target,
    explain: async () => 'nobody knows.',
    isStopping: () => false,
  })
}

test.each([Plain, Durable])(
  '$name does not understand a later call, and says so',
  async (entity) => {
    await using stage = new Stage()
    const target = stage.refOf(entity, 'a')
    const called = outcome(callsTo(stage, new LaterTarget(target)).handle(Plain, 'a').get())
    await stage.settle()
    expect(await called).toMatchObject({
      ...{ code: 'ENTITY_UNAVAILABLE', reason: 'unknown-version', mayHaveHappened: false },
      message:
        "Plain 'a': get was not handled: the node it lives on runs a version of Sherd that does not understand this call. Nothing of it has happened. Run versions that go together on all nodes.",
    })
    expect(stage.system.runtime.deadLetterLog.counts()).toEqual({})
  },
)

test.each([Plain, Durable])('$name answers a call without a version, too', async (entity) => {
  await using stage = new Stage()
  const target = stage.refOf(entity, 'a')
  const old = (replyTo: ActorRef<unknown>): unknown => ({ command: 'get', args: [], replyTo })
  const called = outcome(target.ask(old as (replyTo: ActorRef<unknown>) => EntityCall))
  await stage.settle()
  expect(await called).toEqual({ type: 'NotHandled', version: 1, reason: 'unknown-version' })
})

test('a caller does not understand a later answer, and says so', async () => {
  await using stage = new Stage()
  const target: CallTarget = {
    tell: ({ replyTo }) => replyTo.tell({ type: 'Answered', version: 2 as 1, value: 7 }),
  }
  const error = await outcome(callsTo(stage, target).handle(Plain, 'a').get())
  expect(error).toMatchObject({ code: 'UNREADABLE_ANSWER', mayHaveHappened: true })
})

test.each([
  ...[{ type: 'Answered', value: 7 }, { type: 'NotDone', version: 1 }, { type: 'toString' }],
  { type: 'NotHandled', version: 1, reason: 'mailbox-full', waiting: 'many' },
  { type: 'Refused', version: 1, error: 'no error', node: 'a', mayHaveHappened: false },
])('%j is no answer', (reply) => {
  expect(isEntityReply(reply)).toBe(false)
})
