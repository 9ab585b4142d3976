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

test('a node that the others do not hear freezes though it hears them, and goes on when they hear it again', async () => {
  const members = membersForTest({ hasProxies: true })
  await members.form(names, { cluster: byHandOnly })
  const [unheard, ...others] = ['c', 'a', 'b'].map((name) => members.named(name))
  const node = (await unheard?.call('view'))?.self
  members.processes.network?.stallOneWay(['c'], ['a', 'b'])
  await unheard?.news.next('Frozen', { reason: 'minority' })
  await Promise.all(others.map(({ news }) => news.next('UnreachableMember', { node })))
  members.processes.network?.heal()
  await unheard?.news.next('Thawed')
  const views = await members.settle(names)
  expect(views.map(({ isFrozen }) => isFrozen)).toEqual([false, false, false])
})

test('slow links cost nobody the membership, and all are answered', async () => {
  const members = membersForTest({ hasProxies: true })
  const all = await members.form(names, {})
  members.processes.network?.slow(150)
  // The singleton lives on one of them: for the others an answer takes the way there and back.
  for (let greeting = 1; greeting <= 6; greeting++) {
    await Promise.all(all.map((member) => member.call('greet')))
  }
  await members.settle(names)
  const told = all.flatMap(({ news }) => news.since())
  expect(told.filter(({ type }) => type === 'MemberDowned')).toEqual([])
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
