import { expect, test, describe } from 'vitest'
import { compareAddresses } from '../../src/foundation/node-id.ts'
import { within } from './harness/patience.ts'
import { membersForTest } from './harness/scene.ts'
import { byHandOnly } from './nodes/quick-settings.ts'
import { lowestOf } from './nodes/views.ts'
import type { NodeProcess } from './harness/node-process.ts'
import type { MemberNode } from './nodes/member-node.ts'

type Member = NodeProcess<MemberNode>

const names = ['a', 'b', 'c']

/** In which an orderly end must be over. */
const endMs = 10_000
/** In which a restarted node must be in again. */
const rejoinMs = 20_000
/** In which the singleton must answer. */
const pingMs = 5_000

const endOf = ({ name, exited }: Member) => within(exited, `the end of ${name}`, endMs)

test('CL-002 three processes with the same seeds: the first listed is the oldest', async () => {
  const members = membersForTest()
  // Listed in reverse order of address, so that the oldest is not the one that leads.
  const seeds = (await members.addresses(names)).sort((x, y) => compareAddresses(y, x))
  await members.form(names, { seeds })
  const views = await members.settle()
  for (const { members: seen, leader } of views) {
    const oldest = seen.find(({ upNumber }) => upNumber === 1)
    expect(oldest?.address).toBe(seeds[0])
    expect(new Set(seen.map(({ upNumber }) => upNumber))).toEqual(new Set([1, 2, 3]))
    expect(leader?.startsWith(`${seeds[2]}#`)).toBe(true)
  }
})

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
  expect(await endOf(leaving)).toMatchObject({ code: 0 })
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

/** What a member was told about a node, in order. */
function toldAbout(witness: Member, node: string): string[] {
  return witness.news
    .since()
    .filter((news) => news['node'] === node)
    .map(({ type, previousStatus }) =>
      typeof previousStatus === 'string' ? `${type} ${previousStatus}` : type,
    )
    .filter((words) => !/Unreachable|Reachable/.test(words))
}

describe('CL-008 leaving', () => {
  test('SIGTERM, leave and down: each ends the process in time and with its code', async () => {
    const members = membersForTest()
    const [witness, signalled, leaving, downed] = (await members.form(
      ['a', 'b', 'c', 'd'],
      {},
    )) as [Member, Member, Member, Member]
    const nodeOf = async (member: Member) => (await member.call('view')).self
    const [ofSignalled, ofLeaving, ofDowned] = await Promise.all(
      [signalled, leaving, downed].map(nodeOf),
    )

    const exit = await signalled.terminate()
    expect(exit).toMatchObject({ code: 0, signal: null })
    expect(exit.tookMs).toBeLessThan(endMs)
    await witness.news.next('MemberRemoved', { node: ofSignalled })

    await leaving.call('leave')
    expect(await endOf(leaving)).toMatchObject({ code: 0, signal: null })
    await witness.news.next('MemberRemoved', { node: ofLeaving })

    await downed.call('down', ofDowned ?? '')
    expect(await endOf(downed)).toMatchObject({ code: 255, signal: null })
    await witness.news.next('MemberRemoved', { node: ofDowned })

    await members.settle()
    const inOrder = ['MemberLeft', 'MemberExited', 'MemberRemoved Exiting']
    expect(toldAbout(witness, ofSignalled ?? '').slice(-3)).toEqual(inOrder)
    expect(toldAbout(witness, ofLeaving ?? '').slice(-3)).toEqual(inOrder)
    expect(toldAbout(witness, ofDowned ?? '').slice(-2)).toEqual([
      'MemberDowned',
      'MemberRemoved Down',
    ])
  })

  test('a node that is still joining leaves as well', async () => {
    const members = membersForTest()
    const seeds = await members.addresses(['a'])
    const [signalled, leaving] = await Promise.all([
      members.start('a', { seeds, cluster: { minMembers: 3 } }),
      members.start('b', { seeds, cluster: { minMembers: 3 } }),
    ])
    await leaving.news.next('MemberJoined', { address: await members.processes.addressOf('b') })
    await leaving.call('leave')
    expect(await endOf(leaving)).toMatchObject({ code: 0, signal: null })
    const exit = await signalled.terminate()
    expect(exit).toMatchObject({ code: 0, signal: null })
    expect(exit.tookMs).toBeLessThan(endMs)
  })
})

test('CL-009 five of six killed at once: the survivor finds each, and is alone once they are downed', async () => {
  const members = membersForTest()
  // Each watches two others only: whoever watched the dead may be dead as well.
  const cluster = { ...byHandOnly, monitoredByMembers: 2 }
  const [survivor, ...others] = await members.form(['a', 'b', 'c', 'd', 'e', 'f'], { cluster })
  const dead =
    (await survivor?.call('view'))?.members.filter(({ upNumber }) => upNumber !== 1) ?? []
  const self = (await survivor?.call('view'))?.self ?? ''
  const begunMs = performance.now()
  await Promise.all(others.map((member) => member.kill()))
  const lost = dead.map(({ node }) => node).filter((node) => node !== self)
  for (const node of lost) await survivor?.news.next('UnreachableMember', { node })
  // One of six is no majority: it would end itself in time. Whoever knows better says so.
  for (const node of lost) await survivor?.call('down', node)
  const [view] = await members.settle()
  expect(view).toMatchObject({ members: [{ node: self, status: 'Up' }], unreachable: [] })
  expect(performance.now() - begunMs).toBeLessThan(30_000)
})

test('CL-012 killed and started again at once on the same port: the new incarnation is let in', async () => {
  const members = membersForTest()
  // Nobody ever listens at the last one.
  const seeds = await members.addresses([...names, 'nobody'])
  await members.form(names, { seeds })
  const rounds = 3
  const address = await members.processes.addressOf('d')
  const seen = new Set<string>()
  for (let round = 0; round <= rounds; round++) {
    const role = `round-${round}`
    const enter = async () => {
      const restarting = await members.start('d', { seeds, roles: [role] })
      return { restarting, views: await members.settle([...names, 'd'], { [address]: role }) }
    }
    const { restarting, views } = await within(enter(), `d with ${role} Up everywhere`, rejoinMs)
    seen.add(views[0]?.members.find((member) => member.address === address)?.node ?? '')
    if (round < rounds) await restarting.kill()
  }
  expect(seen.size).toBe(rounds + 1)

  const [firstSeed = ''] = seeds
  await members.named('a').kill()
  const enter = async () => {
    await members.start('a', { seeds })
    return members.settle()
  }
  const views = await within(enter(), 'the first seed Up everywhere', rejoinMs)
  for (const view of views) {
    const again = view.members.find((member) => member.address === firstSeed)
    // It joined the cluster that was there: the others are older.
    expect(again?.upNumber).toBe(Math.max(...view.members.map(({ upNumber }) => upNumber)))
  }
})

describe('CL-013 death watch between processes', () => {
  const types = ['Word', 'WatchedIsGone', 'MemberRemoved']
  const heardBy = (member: Member) => member.news.since().filter(({ type }) => types.includes(type))

  test('RM-005 kill -9: told once, when the member is removed, and at once of one that is gone already', async () => {
    const members = membersForTest()
    const [a, b, c] = (await members.form(names, {})) as [Member, Member, Member]
    const { self } = await c.call('view')
    for (const member of [a, b]) await member.call('watch', self)
    await c.kill()
    for (const member of [a, b]) {
      await member.news.next('WatchedIsGone')
      await member.news.next('MemberRemoved', { node: self })
    }
    const mark = a.news.mark
    await a.call('watch', self)
    await a.news.next('WatchedIsGone', {}, { from: mark })
    expect(heardBy(a).filter(({ type }) => type === 'WatchedIsGone')).toHaveLength(2)
    expect(heardBy(b).filter(({ type }) => type === 'WatchedIsGone')).toHaveLength(1)
  })

  test('all that it had said comes before, when its node leaves', async () => {
    const members = membersForTest()
    const [a, b] = (await members.form(['a', 'b'], {})) as [Member, Member]
    const [here, there] = await Promise.all([a.call('view'), b.call('view')])
    await a.call('watch', there.self)
    await b.call('speakAndLeave', here.self, 100)
    expect(await endOf(b)).toMatchObject({ code: 0 })
    await a.news.next('WatchedIsGone')
    const heard = heardBy(a).filter(({ type }) => type !== 'MemberRemoved')
    const words = Array.from({ length: 100 }, (_, index) => ({ type: 'Word', number: index + 1 }))
    expect(heard).toMatchObject([...words, { type: 'WatchedIsGone' }])
  })
})

test('SG-004 a node that comes back on the same port: one instance, where the oldest is', async () => {
  const members = membersForTest()
  const [first, second] = (await members.form(['a', 'b'], {})) as [Member, Member]
  const nodeOf = async (member: Member) => (await member.call('view')).self
  const greet = (member: Member) => member.callWithin(pingMs, 'greet')
  const oldest = await nodeOf(first)
  expect(await greet(first)).toBe(oldest)
  expect(await greet(second)).toBe(oldest)

  expect(await first.terminate()).toMatchObject({ code: 0 })
  // At once, and not only when the members have settled.
  expect(await greet(second)).toBe(await nodeOf(second))
  const third = await members.start('a', { seeds: await members.addresses(['b']) })
  expect(await greet(third)).toBe(await nodeOf(second))
  await members.settle()

  await second.call('leave')
  expect(await endOf(second)).toMatchObject({ code: 0 })
  expect(await greet(third)).toBe(await nodeOf(third))
})
