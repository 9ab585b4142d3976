import { expect, test } from 'vitest'
import { opening, planted } from './planted.ts'

const path = 'src/cluster/cluster-messages.ts'
const messages = [
  opening,
  'export interface Join {',
  "  readonly type: 'Join'",
  '}',
  "export type Leave = { readonly type: 'Leave' }",
]

test('reports messages of which no bytes are kept', () => {
  expect(planted({ [path]: messages })).toEqual([`${path}:3 wire-sample`, `${path}:5 wire-sample`])
})

test('wants the message of this room, whole and not merely mentioned', () => {
  const samples = ['sharding.Join@1 92', 'cluster.Leaver@1 92', '# not cluster.Leave']
  expect(planted({ [path]: messages, 'test/wire/a.txt': samples })).toEqual([
    `${path}:3 wire-sample`,
    `${path}:5 wire-sample`,
  ])
})

test('is content with a line that begins with the name, or a file whose comment does', () => {
  const files = {
    [path]: messages,
    'test/wire/cluster.txt': ['cluster.Join@1 92b2'],
    'test/wire/leave.hex': ['# cluster.Leave, as it once was', '92'],
  }
  expect(planted(files)).toEqual([])
})

test('knows a message without a type by its version', () => {
  const call = [opening, 'export interface Call {', '  readonly version: 1', '}']
  const samples = { 'test/wire/cluster.txt': ['cluster.Call@1 92'] }
  expect(planted({ [path]: call })).toEqual([`${path}:3 wire-sample`])
  expect(planted({ [path]: call, ...samples })).toEqual([])
})

test('leaves alone what is no message: other files, and values that have a type', () => {
  const files = {
    'src/cluster/signal.ts': messages,
    'src/cluster/cluster-messages.test.ts': messages,
    [path]: [opening, "export const isJoin = ({ type }) => type === 'Join'", "f({ type: 'Join' })"],
  }
  expect(planted(files)).toEqual([])
})
