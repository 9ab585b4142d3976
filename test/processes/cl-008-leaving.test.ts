import { describe, expect, test } from 'vitest'
import type { NodeProcess } from './harness/node-process.ts'
import { membersForTest } from './harness/scene.ts'
import type { MemberNode } from './nodes/member-node.ts'

type Member = NodeProcess<MemberNode>

const endMs = 10_000

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
    const [witness, signalled, leaving, downed] = await members.form(['a', 'b', 'c', 'd'], {})
    const nodeOf = async (member: Member | undefined) => (await member?.call('view'))?.self ?? ''
    const [ofSignalled, ofLeaving, ofDowned] = await Promise.all(
      [signalled, leaving, downed].map(nodeOf),
    )

    const exit = await signalled?.terminate()
    expect(exit).toMatchObject({ code: 0, signal: null })
    expect(exit?.tookMs).toBeLessThan(endMs)
    await witness?.news.next('MemberRemoved', { node: ofSignalled })

    await leaving?.call('leave')
    expect(await leaving?.exited).toMatchObject({ code: 0, signal: null })
    await witness?.news.next('MemberRemoved', { node: ofLeaving })

    await downed?.call('down', ofDowned ?? '')
    expect(await downed?.exited).toMatchObject({ code: 255, signal: null })
    await witness?.news.next('MemberRemoved', { node: ofDowned })

    await members.settle()
    if (witness === undefined) throw new Error('there was no witness')
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
    expect(await leaving.exited).toMatchObject({ code: 0, signal: null })
    const exit = await signalled.terminate()
    expect(exit).toMatchObject({ code: 0, signal: null })
    expect(exit.tookMs).toBeLessThan(endMs)
  })
})
