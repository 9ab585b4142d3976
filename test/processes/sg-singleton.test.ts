import { expect, test } from 'vitest'
import { Members } from './harness/members.ts'
import type { NodeProcess } from './harness/node-process.ts'
import { clusterForTest } from './harness/scene.ts'
import type { ClerkNode, ClerkNodeOptions } from './nodes/clerk-node.ts'

type Clerks = Members<ClerkNode, ClerkNodeOptions>
type Clerk = NodeProcess<ClerkNode>

const workers = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']

/** Six workers that joined one by one, so that their numbers are their ages. */
async function sixWorkers(): Promise<{
  readonly clerks: Clerks
  readonly all: Map<string, Clerk>
}> {
  const clerks: Clerks = new Members(clusterForTest<ClerkNode, ClerkNodeOptions>('clerk'))
  const seeds = await clerks.addresses(['n1'])
  const all = new Map<string, Clerk>()
  for (const name of workers) {
    all.set(name, await clerks.start(name, { seeds, roles: ['worker'] }))
  }
  return { clerks, all }
}

/** What the instance on that node has told, with its times. */
function toldBy(clerk: Clerk | undefined, type: string): number[] {
  const told = clerk?.news.since().filter((news) => news.type === type) ?? []
  return told.map(({ atUs }) => Number(atUs))
}

test(
  'SG-001 six workers and an observer: the instance is on the oldest worker, also after a leave and crashes',
  { timeout: 180_000 },
  async () => {
    const { clerks, all } = await sixWorkers()
    all.set('observer', await clerks.start('observer', { seeds: await clerks.addresses(['n1']) }))
    await clerks.settle()
    let number = 0
    const askAll = (): Promise<string[]> =>
      Promise.all(clerks.running.map((clerk) => clerk.call('ask', ++number)))
    expect(new Set(await askAll())).toEqual(new Set(['n1']))

    await all.get('n1')!.call('leave')
    expect(await all.get('n1')!.exited).toMatchObject({ code: 0 })
    await clerks.settle()
    expect(new Set(await askAll())).toEqual(new Set(['n2']))
    // The stop message, the end, and only then the next one.
    const [first, second] = [all.get('n1'), all.get('n2')]
    const times = [
      ...toldBy(first, 'ToldToStop'),
      ...toldBy(first, 'Unregistered'),
      ...toldBy(second, 'Registered'),
    ]
    expect(times).toHaveLength(3)
    expect(times).toEqual([...times].sort((x, y) => x - y))

    for (const [dead, next] of [
      [['n2'], 'n3'],
      [['n3', 'n4'], 'n5'],
      [['n5'], 'n6'],
    ] as const) {
      await Promise.all(dead.map((name) => all.get(name)!.kill()))
      await clerks.settle()
      expect(new Set(await askAll())).toEqual(new Set([next]))
    }
    const hosts = [...all].filter(([, clerk]) => toldBy(clerk, 'Registered').length > 0)
    expect(hosts.map(([name]) => name)).toEqual(['n1', 'n2', 'n3', 'n5', 'n6'])
    const handled = [...all.values()].flatMap(({ news }) =>
      news.since().flatMap((each) => (each.type === 'Handled' ? [Number(each['number'])] : [])),
    )
    expect(handled.sort((x, y) => x - y)).toEqual(Array.from({ length: number }, (_, at) => at + 1))
  },
)

test(
  'SG-002 the three oldest of six are killed at once: the fourth runs it, and never the fifth or sixth',
  { timeout: 180_000 },
  async () => {
    const { clerks, all } = await sixWorkers()
    await clerks.settle()
    expect(await all.get('n6')!.call('ask', 1)).toBe('n1')
    const begun = performance.now()
    await Promise.all(['n1', 'n2', 'n3'].map((name) => all.get(name)!.kill()))
    await all.get('n4')!.news.next('Registered', {}, { withinMs: 90_000 })
    expect(performance.now() - begun).toBeLessThan(90_000)
    await clerks.settle()
    for (const [at, name] of ['n4', 'n5', 'n6'].entries()) {
      expect(await all.get(name)!.call('ask', at + 2)).toBe('n4')
    }
    expect([all.get('n5'), all.get('n6')].flatMap((clerk) => toldBy(clerk, 'Registered'))).toEqual(
      [],
    )
  },
)

test(
  'SG-006 two data centers: an instance in each, a proxy to the other, and a stored list that moves',
  { timeout: 180_000 },
  async () => {
    const clerks: Clerks = new Members(clusterForTest<ClerkNode, ClerkNodeOptions>('clerk'))
    const seeds = await clerks.addresses(['controller'])
    const start = (name: string, dataCenter: string): Promise<Clerk> =>
      clerks.start(name, {
        seeds,
        roles: name === 'controller' ? [] : ['worker'],
        cluster: { dataCenter },
        hasList: dataCenter === 'two',
      })
    await start('controller', 'one')
    const first = await start('first', 'one')
    const second = await start('second', 'two')
    const third = await start('third', 'two')
    await clerks.settle()
    let number = 0
    const answers = await Promise.all(clerks.running.map((clerk) => clerk.call('ask', ++number)))
    expect(answers).toEqual(['first', 'first', 'second', 'second'])
    expect(await third.call('askIn', 'one', ++number)).toBe('first')
    expect(await first.call('askIn', 'two', ++number)).toBe('second')

    for (const [clerk, item] of [
      [third, 'a'],
      [first, 'b'],
      [second, 'c'],
    ] as const) {
      expect(await clerk.call('add', 'two', item)).toBe('Done')
    }
    expect(await third.call('items', 'two')).toBe('a|b|c')
    await second.call('leave')
    expect(await second.exited).toMatchObject({ code: 0 })
    await clerks.settle()
    expect(await third.call('items', 'two')).toBe('a|b|c')
    expect(await first.call('items', 'two')).toBe('a|b|c')
    expect(await third.call('ask', ++number)).toBe('third')
    expect(await first.call('ask', ++number)).toBe('first')
    expect(toldBy(third, 'Registered')).toHaveLength(1)
    expect(toldBy(first, 'Registered')).toHaveLength(1)
  },
)
