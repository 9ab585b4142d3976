import { expect, test } from 'vitest'
import { membersForTest } from './harness/scene.ts'
import { byHandOnly } from './nodes/quick-settings.ts'

const names = ['a', 'b', 'c']

test('a minority behind stalled links freezes first and ends; the majority goes on without it', async () => {
  const members = membersForTest({ hasProxies: true })
  const [a, , c] = await members.form(names, {})
  const self = (await c?.call('view'))?.self
  members.processes.network?.partition(['a', 'b'], ['c'])
  await c?.news.next('Frozen', { reason: 'minority' })
  // Frozen at once, long before the others act on it.
  expect(a?.news.since().some(({ type, node }) => type === 'MemberRemoved' && node === self)).toBe(
    false,
  )
  await a?.news.next('MemberRemoved', { node: self })
  await members.settle(['a', 'b'])
  expect(await c?.exited).toMatchObject({ code: 255 })

  members.processes.network?.heal()
  await members.start('c', { seeds: await members.addresses(names) })
  await members.settle(names)
})

test('a split that heals in time costs nobody the membership', async () => {
  const members = membersForTest({ hasProxies: true })
  const [a, , c] = await members.form(names, { cluster: byHandOnly })
  members.processes.network?.partition(['a', 'b'], ['c'])
  await c?.news.next('Frozen', { reason: 'minority' })
  await a?.news.next('UnreachableMember', { node: (await c?.call('view'))?.self })
  members.processes.network?.heal()
  await c?.news.next('Thawed')
  const views = await members.settle(names)
  expect(views.map(({ isFrozen }) => isFrozen)).toEqual([false, false, false])
})
