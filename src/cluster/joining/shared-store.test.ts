import { describe, expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { agreementOf, defaultClusterSettings, disagreements } from '../cluster-settings.ts'
import { type Member, joiningMember } from '../gossip/member.ts'
import { problemsWithStore, attributeOfStore, shownStore } from './shared-store.ts'

const ours = { id: 'x1', name: 'the folder ./data of mine' }
const newcomer = nodeIdOf('b:1', 1n)
const member = (...attributes: string[]): Member =>
  joiningMember(nodeIdOf('a:1', 1n), { attributes })

describe('a store that is to be shared', () => {
  test('must be that of every member that has one', () => {
    const same = [member('web'), member(attributeOfStore(ours), 'web')]
    expect(problemsWithStore(same, newcomer, shownStore(ours))).toEqual([])
    expect(problemsWithStore(same, newcomer, undefined)).toEqual([])
    expect(problemsWithStore([member('web')], newcomer, shownStore({ ...ours, id: 'x2' }))).toEqual(
      [],
    )
    const [problem] = problemsWithStore(same, newcomer, shownStore({ ...ours, id: 'x2' }))
    expect(problem).toContain('this node uses the folder ./data of mine, the cluster another one')
  })

  test('is compared within a data center, which is named', () => {
    const there = joiningMember(nodeIdOf('a:1', 1n), {
      attributes: [attributeOfStore(ours)],
      dataCenter: 'two',
    })
    const shown = shownStore({ ...ours, id: 'x2' })
    expect(problemsWithStore([there], newcomer, shown)).toEqual([])
    const [problem] = problemsWithStore([there], newcomer, shown, 'two')
    expect(problem).toContain('the nodes of the data center two share one store')
  })

  test('is not compared with one that is on its way out for good', () => {
    const returned = nodeIdOf('a:1', 2n)
    const before = [member(attributeOfStore(ours))]
    expect(problemsWithStore(before, returned, shownStore({ ...ours, id: 'x2' }))).toEqual([])
    const downed: Member = { ...member(attributeOfStore(ours)), status: 'Down' }
    expect(problemsWithStore([downed], newcomer, shownStore({ ...ours, id: 'x2' }))).toEqual([])
  })

  test('stays short, whatever the folder is called', () => {
    const long = { id: 'x2', name: `the folder /${'é\n'.repeat(5_000)}` }
    const [problem = ''] = problemsWithStore(
      [member(attributeOfStore(ours))],
      newcomer,
      shownStore(long),
    )
    expect(problem.length).toBeLessThan(1_000)
    expect(problem).not.toContain('\n')
  })

  test('is shown beside the settings, and is none', () => {
    const settings = agreementOf(defaultClusterSettings)
    const shown = agreementOf(defaultClusterSettings, ours)
    expect(shown).toEqual({ ...settings, store: shownStore(ours) })
    expect([...disagreements(settings, shown), ...disagreements(shown, settings)]).toEqual([])
  })
})
