import { expect, test } from 'vitest'
import { isCount, isText } from '../foundation/shape.ts'
import { MessageProtocol, NotAMessage } from './message-protocol.ts'

type Talk =
  | { readonly type: 'Ask'; readonly from: string }
  | { readonly type: 'Answer'; readonly n: number }

const talk = new MessageProtocol<Talk>('talk', {
  Ask: { version: 1, fields: { from: isText } },
  Answer: { version: 3, fields: { n: isCount } },
})

test('what is packed can be unpacked', () => {
  const ask = { type: 'Ask', from: 'a' } as const
  expect(talk.pack(ask)).toEqual(['talk.Ask@1', ask])
  expect(talk.unpack(talk.pack(ask))).toEqual(ask)
  expect(talk.wireNames).toEqual(['talk.Ask@1', 'talk.Answer@3'])
})

test.each([
  [undefined, 'no wire name'],
  [{ type: 'Ask', from: 'a' }, 'no wire name'],
  [['talk.Answer@2', { type: 'Answer', n: 1 }], 'unknown here'],
  [['talk.Ask@1', { type: 'Ask' }], 'shape'],
  [['talk.Ask@1', { type: 'Answer', from: 'a' }], 'shape'],
  [['toString', {}], 'unknown here'],
])('%j is not a message', (value, problem) => {
  const result = talk.unpack(value)
  expect(result).toBeInstanceOf(NotAMessage)
  expect((result as NotAMessage).problem).toContain(problem)
})
