import { expect, test } from 'vitest'
import { causalSlice } from './causal-slice.ts'
import { Trace } from './trace.ts'

const place = (label: string) => ({ label, labelHash: 0 })

test('follows arrivals back to those who sent, and leaves the others out', () => {
  const trace = new Trace(100)
  const [a, b, c] = [place('a#1'), place('b#1'), place('c#1')]
  trace.add(0, a, 'record', 'cause')
  trace.add(0, c, 'record', 'has nothing to do with it')
  const edge = trace.sent(1, a, b, 10)
  trace.add(2, a, 'record', 'too late to matter')
  trace.received(3, b, edge)
  trace.add(4, b, 'record', 'effect')
  trace.add(5, b, 'violation', 'all is well')
  trace.add(6, b, 'record', 'afterwards')
  const violation = { name: 'all is well', detail: '', seed: 1, timeMs: 0 }
  expect(causalSlice(trace.last(100), violation).map(({ text }) => text)).toEqual([
    'cause',
    'bytes 1 (10) to b#1',
    'bytes 1',
    'effect',
    'all is well',
  ])
})

test('begins at the lives that the violation names', () => {
  const trace = new Trace(100)
  trace.add(0, place('a#1'), 'record', 'one fact')
  trace.add(0, place('b#2'), 'record', 'the other fact')
  trace.add(0, place('c#1'), 'record', 'nothing')
  trace.add(1, place('*'), 'violation', 'one writer')
  const violation = { name: 'one writer', detail: 'a#1 and b#2 wrote', seed: 1, timeMs: 0 }
  expect(causalSlice(trace.last(100), violation).map(({ text }) => text)).toEqual([
    'one fact',
    'the other fact',
  ])
})
