import { afterEach, describe, expect, test } from 'vitest'
import type { ClusterEvent } from '../../src/cluster/index.ts'
import { ClusterLog } from '../../src/cluster/cluster-log.ts'
import type { Member } from '../../src/cluster/gossip/member.ts'
import { nodeIdOf } from '../../src/foundation/node-id.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { ClusterNodes, until } from './cluster-nodes.ts'

const self = nodeIdOf('a:1', 1n)
const other = nodeIdOf('b:1', 2n)
const member = (node: string): Member => ({
  ...{ node, roles: [], attributes: [], appVersion: '1.2.3', status: 'Up', upNumber: 1 },
})
const isUnreachable: ClusterEvent = { type: 'UnreachableMember', member: member(other) }
const isReachable: ClusterEvent = { type: 'ReachableMember', member: member(other) }

class Scene {
  readonly logs = new CapturedLogs()
  readonly log = new ClusterLog(self, this.logs)

  /** These lines of `info` and above, since it was last asked. */
  take(): string[] {
    const lines = this.logs.lines.filter(({ level }) => level !== 'debug')
    this.logs.clear()
    return lines.map(({ level, message }) => `${level} ${message}`)
  }

  tell(now: number, ...events: readonly ClusterEvent[]): void {
    for (const event of events) this.log.published(event, 3, now)
  }
}

describe('the log of the cluster', () => {
  test('has one line for a start, whoever is there already', () => {
    const scene = new Scene()
    const [own, known] = [member(self), member(other)]
    scene.tell(0, { type: 'MemberJoined', member: own }, { type: 'MemberUp', member: known })
    scene.tell(0, { type: 'LeaderChanged', leader: other }, { type: 'MemberUp', member: own })
    expect(scene.take()).toEqual(['info This node, a:1, is up, one of 3 members of the cluster'])
  })

  test('tells who comes, leaves and is given up', () => {
    const scene = new Scene()
    scene.tell(0, { type: 'MemberUp', member: member(self) })
    scene.take()
    const known = member(other)
    scene.tell(0, { type: 'MemberJoined', member: known }, { type: 'MemberUp', member: known })
    scene.tell(0, { type: 'MemberLeft', member: known }, { type: 'MemberExited', member: known })
    scene.tell(0, { type: 'MemberRemoved', member: known, previousStatus: 'Exiting' })
    scene.tell(0, isUnreachable, isReachable, { type: 'MemberDowned', member: known })
    scene.tell(0, { type: 'MemberRemoved', member: known, previousStatus: 'Down' })
    expect(scene.take()).toEqual([
      'info b:1 is joining the cluster',
      'info b:1 is up',
      'info b:1 is leaving the cluster',
      'info b:1 has left the cluster',
      'warn b:1 is unreachable',
      'info b:1 is reachable again',
      'warn b:1 is downed: the cluster gives it up for good',
      'info b:1 is removed from the cluster after it was downed',
    ])
  })

  test('tells why the node is frozen, and for how long it was', () => {
    const scene = new Scene()
    scene.tell(1_000, { type: 'Frozen', reason: 'minority' })
    scene.tell(3_500, { type: 'Thawed' })
    scene.tell(9_000, { type: 'Frozen', reason: 'downed' })
    expect(scene.take()).toEqual([
      'warn This node, a:1, is frozen: it is out of touch with the others, and they may be about to replace it. Until most of them confirm it as a member, its entities get no messages and nothing is written.',
      'warn This node, a:1, goes on: it was frozen for 2.5 s',
      'warn This node, a:1, is frozen: the cluster has given it up.',
    ])
  })

  test('does not go on about a member that comes and goes, but tells where that led', () => {
    const scene = new Scene()
    for (let at = 0; at < 30_000; at += 2_000) {
      scene.tell(at, isUnreachable)
      scene.tell(at + 1_000, isReachable)
      scene.log.tick(at + 1_250)
    }
    scene.tell(31_000, isUnreachable)
    expect(scene.take()).toHaveLength(4)
    scene.log.tick(60_000)
    scene.log.tick(60_250)
    const more = '(the latest of 27 more changes within 1 m)'
    expect(scene.take()).toEqual([`warn b:1 is unreachable ${more}`])
    scene.tell(61_000, isReachable)
    expect(scene.take()).toEqual(['info b:1 is reachable again'])
  })
})

describe('whole nodes', () => {
  const nodes = new ClusterNodes()
  afterEach(() => nodes.stop())

  test('do not log that the others are back when they end themselves without them', async () => {
    const [survivor, ...others] = await nodes.cluster(3)
    await Promise.all(others.map((node) => nodes.kill(node)))
    const { logs, cluster } = survivor!
    const events: string[] = []
    cluster.subscribe(({ type }) => events.push(type))
    logs.clear()
    await cluster.whenRemoved
    expect(logs.matching('This node was removed', 'error')).toHaveLength(1)
    expect(logs.matching('is reachable again')).toEqual([])
    expect(events).not.toContain('ReachableMember')
  })

  test('log their start and the death of another', async () => {
    const [first, second, third] = await nodes.cluster(3)
    await nodes.kill(third!)
    await until([first!, second!], 'two members', () =>
      [first!, second!].every(({ cluster }) => cluster.state.members.length === 2),
    )
    const about = (words: string) => first!.logs.matching(`${third!.address} ${words}`)
    expect(first!.logs.matching(/^This node, .* is up, the only member/, 'info')).toHaveLength(1)
    expect(second!.logs.matching(/^This node, .* is up, one of \d members/, 'info')).toHaveLength(1)
    const story = ['is joining', 'is up', 'is unreachable', 'is downed', 'is removed']
    expect(story.map((words) => about(words).length)).toEqual([1, 1, 1, 1, 1])
  })
})
