/** Members on one host see when the process of another has ended: nothing but that proof can down anybody here. */
import { describe, expect, test } from 'vitest'
import type { NodeProcess } from './harness/node-process.ts'
import { membersForTest } from './harness/scene.ts'
import type { MemberNode } from './nodes/member-node.ts'
import { withProofOnly } from './nodes/quick-settings.ts'

type Member = NodeProcess<MemberNode>

const downed = (member: Member): number =>
  member.news.since().filter(({ type }) => type === 'MemberDowned').length

// Elsewhere hosts are known by their names alone, which proves nothing.
describe.runIf(process.platform === 'linux')('kill -9 is seen by the others on the host', () => {
  test('of one of three, also the leader: it is downed and removed, and the others go on', async () => {
    const members = membersForTest()
    await members.form(['a', 'b', 'c'], { cluster: withProofOnly })
    const leader = members.named(await members.leaderToBe())
    const { self } = await leader.call('view')
    await leader.kill()
    for (const member of members.running) {
      await member.news.next('MemberDowned', { node: self })
      await member.news.next('MemberRemoved', { node: self })
    }
    expect(await members.settle()).toHaveLength(2)
  })

  test('of two of three at once: the last one goes on alone, though it is no majority', async () => {
    const members = membersForTest()
    const [last, ...others] = await members.form(['a', 'b', 'c'], { cluster: withProofOnly })
    await Promise.all(others.map((member) => member.kill()))
    const [view] = await members.settle()
    expect(view).toMatchObject({ members: [{ status: 'Up' }], unreachable: [] })
    expect(await last?.call('greet')).toBe(view?.self)
  })

  test('a process that only stands still has not ended, and is a member when it goes on', async () => {
    const members = membersForTest()
    await members.form(['a', 'b', 'c'], { cluster: withProofOnly })
    const stopped = members.named('c')
    const { self } = await stopped.call('view')
    stopped.pause()
    await Promise.all(
      ['a', 'b'].map((name) => members.named(name).news.next('UnreachableMember', { node: self })),
    )
    stopped.resume()
    await members.settle()
    expect(members.running.map(downed)).toEqual([0, 0, 0])
  })
})
