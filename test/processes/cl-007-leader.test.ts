import { expect, test } from 'vitest'
import { membersForTest } from './harness/scene.ts'
import { byHandOnly } from './nodes/quick-settings.ts'
import { lowestOf } from './nodes/views.ts'

/** All see the same leader, and it has the lowest address of those that are left. */
async function expectOneLeader(members: ReturnType<typeof membersForTest>): Promise<string> {
  const views = await members.settle()
  const leaders = new Set(views.map(({ leader }) => leader))
  expect(leaders.size).toBe(1)
  const [leader = ''] = leaders
  expect(leader.split('#')[0]).toBe(lowestOf(views[0]?.members.map(({ address }) => address) ?? []))
  return leader
}

test('CL-007 a leader that is killed and downed, or leaves, is followed by the lowest address left', async () => {
  const members = membersForTest()
  await members.form(['a', 'b', 'c', 'd'], { cluster: byHandOnly })
  const first = await expectOneLeader(members)
  await members.named(await members.leaderToBe()).kill()
  const follower = members.running[0]
  await follower?.news.next('UnreachableMember', { node: first })
  await follower?.call('down', first)
  const second = await expectOneLeader(members)
  expect(second).not.toBe(first)

  const leaving = members.named(await members.leaderToBe())
  await leaving.call('leave')
  expect(await leaving.exited).toMatchObject({ code: 0 })
  await expectOneLeader(members)
  for (const { news } of members.running) {
    const told = news.since().filter(({ node }) => node === second)
    expect(told.map(({ type }) => type).slice(-3)).toEqual([
      'MemberLeft',
      'MemberExited',
      'MemberRemoved',
    ])
  }
})
