import { expect, test } from 'vitest'
import type { ClusterInput } from '../cluster-inputs.ts'
import { FoundingDesk } from './founding-desk.ts'
import type { FoundingStore } from './founding-store.ts'

/** A desk whose machine begins a look for every question, and takes the answers when told so. */
function opened(read: FoundingStore['read']) {
  const inputs: ClusterInput[] = []
  const store: FoundingStore = {
    ...{ identity: undefined, read, isGone: () => false },
    write: () => Promise.reject(new Error('nobody writes')),
  }
  const desk = new FoundingDesk(store, (input) => inputs.push(input))
  let number = 0
  const step = (): void => {
    const input = inputs.shift()
    if (input?.type === 'LookAtFounding') desk.read({ type: 'ReadFounding', number: ++number })
    if (input !== undefined) desk.stepped(input)
  }
  return { desk, step, inputs, asked: () => number }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('all who wait share a look, and who comes during one waits for the next', async () => {
  const { desk, step, asked } = opened(async () => undefined)
  const taken: string[] = []
  const wait = (name: string): void => void desk.look().then(() => taken.push(name))
  wait('a')
  step()
  wait('b')
  wait('c')
  await settled()
  expect(taken).toEqual([])
  step()
  await settled()
  expect(taken).toEqual(['a'])
  step()
  await settled()
  step()
  await settled()
  expect([taken, asked()]).toEqual([['a', 'b', 'c'], 2])
})

test('nobody waits for ever: not when the store fails, and not after the end', async () => {
  const { desk, step, inputs } = opened(() => Promise.reject(new Error('it is away')))
  const first = desk.look()
  step()
  await settled()
  expect(inputs).toMatchObject([{ type: 'FoundingNotRead', problem: 'it is away' }])
  step()
  await first
  const second = desk.look()
  desk.end()
  await second
})
