import { afterEach, expect, test } from 'vitest'
import { ClusterActor, type ClusterOwner } from '../../src/cluster/cluster-actor.ts'
import type { DowningStrategy } from '../../src/cluster/downing/downing-strategy.ts'
import { keepMajority } from '../../src/cluster/downing/keep-majority.ts'
import type { ClusterEvent } from '../../src/cluster/index.ts'
import { TestNodes } from '../remote/nodes.ts'
import { ClusterNodes, quickSettings } from './cluster-nodes.ts'

const alone = new TestNodes('tcp')
const others = new ClusterNodes()
afterEach(async () => {
  await others.stop()
  await alone.stop()
})

test('the shell asks the arbiter, again when that fails, and the machine goes by its decision', async () => {
  const questions: string[] = []
  const strategy: DowningStrategy = {
    ...keepMajority({ role: undefined }),
    decide: () => ({ question: 'who goes?', askAfterMs: 0, freezeAfterMs: 0 }),
    arbiter: {
      decide: async (question) => {
        questions.push(question)
        if (questions.length === 1) throw new Error('the store does not answer')
        return 'DownUnreachable'
      },
    },
  }
  const { system, remoting, logs } = await alone.start()
  const events: ClusterEvent[] = []
  let removed = (): void => undefined
  const isRemoved = new Promise<void>((resolve) => (removed = resolve))
  const owner: ClusterOwner = {
    published: (event) => {
      events.push(event)
      if (event.type === 'MemberRemoved') removed()
    },
    beginExiting: () => undefined,
    shutDown: () => undefined,
  }
  const actor = new ClusterActor({
    ...{
      system,
      remoting,
      owner,
      strategy,
      roles: [],
      attributes: [],
      appVersion: '1.2.3',
      store: undefined,
      founding: undefined,
    },
    settings: quickSettings,
  })
  actor.command({ type: 'JoinNode', address: remoting.address })
  const other = await others.start({ seeds: [remoting.address] })
  await other.cluster.whenUp
  await others.kill(other)
  await isRemoved
  expect(questions).toEqual(['who goes?', 'who goes?'])
  expect(logs.matching(/could not be asked/, 'warn')).toHaveLength(1)
  const types = events.map(({ type }) => type)
  expect(types.indexOf('Frozen')).toBeLessThan(types.indexOf('MemberDowned'))
  expect(events).toContainEqual({ type: 'Frozen', reason: 'minority' })
})
