import { expect, test } from 'vitest'
import { membersForTest } from './harness/scene.ts'

test('SG-004 a node that comes back on the same port: one instance, where the oldest is', async () => {
  const members = membersForTest()
  const [first, second] = await members.form(['a', 'b'], {})
  const nodeOf = async (member = second) => (await member?.call('view'))?.self
  const oldest = await nodeOf(first)
  expect(await first?.call('greet')).toBe(oldest)
  expect(await second?.call('greet')).toBe(oldest)

  expect(await first?.terminate()).toMatchObject({ code: 0 })
  const seeds = await members.addresses(['b'])
  const third = await members.start('a', { seeds })
  await members.settle()
  expect(await third.call('greet')).toBe(await nodeOf(second))
  expect(await second?.call('greet')).toBe(await nodeOf(second))

  await second?.call('leave')
  expect(await second?.exited).toMatchObject({ code: 0 })
  expect(await third.call('greet')).toBe(await nodeOf(third))
})
