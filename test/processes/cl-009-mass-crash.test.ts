import { expect, test } from 'vitest'
import { membersForTest } from './harness/scene.ts'
import { byHandOnly } from './nodes/quick-settings.ts'

test('CL-009 five of six killed at once: the survivor finds each, and is alone once they are downed', async () => {
  const members = membersForTest()
  // Each watches two others only: whoever watched the dead may be dead as well.
  const cluster = { ...byHandOnly, monitoredByMembers: 2 }
  const [survivor, ...others] = await members.form(['a', 'b', 'c', 'd', 'e', 'f'], { cluster })
  const dead =
    (await survivor?.call('view'))?.members.filter(({ upNumber }) => upNumber !== 1) ?? []
  const self = (await survivor?.call('view'))?.self ?? ''
  await Promise.all(others.map((member) => member.kill()))
  const lost = dead.map(({ node }) => node).filter((node) => node !== self)
  for (const node of lost) await survivor?.news.next('UnreachableMember', { node })
  // One of six is no majority: it would end itself in time. Whoever knows better says so.
  for (const node of lost) await survivor?.call('down', node)
  const [view] = await members.settle()
  expect(view?.members.map(({ node }) => node)).toEqual([self])
})
