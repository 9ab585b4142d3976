/** What sharding tells of messages that were lost on a node, whoever lost them. */
import { expect, test } from 'vitest'
import { EntityTypeKey } from '../../src/sharding/index.ts'
import type { LostEntityMessage } from '../../src/sharding/internals.ts'
import { play, type ShardingNode } from './scene.ts'

interface Line {
  readonly text: string
}

const pages = new EntityTypeKey<Line>('Page')
const settings = { numberOfShards: 1, mailboxMessagesMax: 2 }

function host({ sharding }: ShardingNode): void {
  sharding.init<Line>({
    ...{ key: pages, role: 'host', settings },
    behavior:
      () =>
      ({ text }) => {
        if (text === 'fail') throw new Error('fails on purpose')
      },
  })
}

const tell = (node: ShardingNode, id: string, text: string): void =>
  node.sharding.entityRefFor(pages, id).tell({ text })

/** Losses of lines, and entities that stopped, as words. */
function listen({ sharding }: ShardingNode): string[] {
  const heard: string[] = []
  const wordsOf = ({ entityType, entityId, message, reason, waiting }: LostEntityMessage): string =>
    [entityType, entityId, (message as Line).text, reason, waiting].join(' ').trimEnd()
  sharding.followLosses({
    concerns: (message) => typeof message === 'object' && message !== null && 'text' in message,
    messageLost: (lost) => void heard.push(wordsOf(lost)),
    entityStopped: (entityType, entityId) => void heard.push(`${entityType} ${entityId} stopped`),
  })
  return heard
}

test('the mailbox was full, the entity failed, or the region has stopped', async () => {
  await play(async (scene) => {
    const node = await scene.start('a', { init: host, roles: ['host'] })
    const heard = listen(node)
    tell(node, 'a/b', 'first')
    await scene.simulation.run({ for: '1s' })
    for (const text of ['fail', 'behind', 'too many']) tell(node, 'a/b', text)
    await scene.simulation.run({ for: '1s' })
    expect(heard.splice(0)).toEqual([
      'Page a/b too many mailbox-full 2',
      'Page a/b stopped',
      'Page a/b behind terminated-while-queued',
    ])
    await scene.settle(node.sharding.gracefulShutdown('Page'))
    tell(node, 'a/b', 'late')
    expect(heard).toEqual(['Page  late region-stopped'])
  })
})

test('it was on its way to a node that was given up', async () => {
  await play(async (scene) => {
    await scene.start('b', { init: host, roles: ['host'] })
    const init = ({ sharding }: ShardingNode): void =>
      void sharding.startProxy({ entityType: 'Page', role: 'host', settings })
    const a = await scene.start('a', { init })
    await scene.start('c', { init })
    tell(a, 'a/b', 'first')
    await scene.simulation.run({ for: '1s' })
    const heard = listen(a)
    scene.simulation.network.reset('a', 'b')
    scene.simulation.network.cut('a', 'b')
    await scene.simulation.run({ for: '100ms' })
    tell(a, 'a/b', 'lost')
    scene.simulation.crash('b')
    const isLost = (): boolean => heard.length > 0
    await scene.simulation.runUntil(isLost, { within: '60s', what: 'the message is lost' })
    expect(heard).toEqual([expect.stringMatching(/^Page a\/b lost (quarantined|unreachable)$/)])
  })
})
