import { expect, test } from 'vitest'
import { nodeIdOf } from '../foundation/node-id.ts'
import { NotAMessage } from '../serialization/internals.ts'
import { singletonProtocol } from './singleton-wire.ts'

test('a term that no honest node could have is no term', () => {
  const done = (term: number) => {
    const message = { type: 'HandOverDone', from: nodeIdOf('a:1', 1n), term } as const
    return singletonProtocol.unpack(singletonProtocol.pack(message))
  }
  expect(done(2 ** 52 - 1)).toMatchObject({ term: 2 ** 52 - 1 })
  expect(done(2 ** 52)).toBeInstanceOf(NotAMessage)
  expect(done(Number.MAX_SAFE_INTEGER)).toBeInstanceOf(NotAMessage)
})
