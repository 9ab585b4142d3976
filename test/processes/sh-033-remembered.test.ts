import { expect, test } from 'vitest'
import { compareAddresses } from '../../src/foundation/node-id.ts'
import { Members } from './harness/members.ts'
import type { NodeProcess } from './harness/node-process.ts'
import { clusterForTest } from './harness/scene.ts'
import type { TensNode, TensNodeOptions } from './nodes/tens-node.ts'

const startOf = (entityType: string, entityId: string) => ({ entityType, entityId })

test('SH-033 remembered entities run again by themselves when the oldest process was killed, and in the next cluster; others wait for a message', async () => {
  const nodes = new Members(clusterForTest<TensNode, TensNodeOptions>('tens'))
  const names = ['a', 'b'].map((name) => ({ name, address: '' }))
  for (const seat of names) seat.address = await nodes.processes.addressOf(seat.name)
  // Of two, the side of the lowest address goes on.
  names.sort((x, y) => compareAddresses(y.address, x.address))
  const [oldest, other] = names.map(({ name }) => name) as [string, string]
  const seeds = names.map(({ address }) => address)
  const a = await nodes.start(oldest, { seeds })
  for (const kind of ['remembered', 'forgotten'] as const) {
    await a.call('add', kind, '10', 1)
    expect(await a.call('get', kind, '10')).toBe(1)
  }
  const b = await nodes.start(other, { seeds })
  await nodes.settle([oldest, other])

  await a.kill()
  await b.news.next('EntityStarted', startOf('Remembered', '10'))
  expect(startedIn(b)).toEqual(['Remembered 10'])
  expect(await b.call('get', 'forgotten', '10')).toBe(0)
  expect(startedIn(b)).toEqual(['Remembered 10', 'Forgotten 10'])

  expect(await b.terminate()).toMatchObject({ code: 0 })
  // On the same folder, and none that has been a member.
  const next = await nodes.start('c', { seeds: await nodes.addresses(['c']) })
  await next.news.next('EntityStarted', startOf('Remembered', '10'))
  expect(startedIn(next)).toEqual(['Remembered 10'])
  expect(await next.call('get', 'forgotten', '10')).toBe(0)
})

function startedIn({ news }: NodeProcess<TensNode>): string[] {
  return news
    .since()
    .filter(({ type }) => type === 'EntityStarted')
    .map(({ entityType, entityId }) => `${String(entityType)} ${String(entityId)}`)
}
