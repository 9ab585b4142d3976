import { describe, expect, test } from 'vitest'
import { InvalidSettings } from '../../src/index.ts'
import { startNode } from '../../src/node/index.ts'
import { simulate, startSimulatedNode } from '../../src/simulation/index.ts'

/** A value that comes when somebody says so. */
function promised(): { readonly promise: Promise<string>; give: (value: string) => void } {
  let give: (value: string) => void = () => undefined
  const promise = new Promise<string>((resolve) => (give = resolve))
  return { promise, give: (value) => give(value) }
}

describe('CL-014 the version of the application may come late', () => {
  test('nobody joins before it is known, and then all see it', async () => {
    await simulate('late version', {
      seeds: 5,
      scenario: async (simulation) => {
        const versions = [promised(), promised()]
        const seeds = ['a:2552', 'b:2552']
        const isUp = [false, false]
        const starts = ['a', 'b'].map(async (name, index) => {
          const appVersion = versions[index]!.promise
          const node = await startSimulatedNode(simulation, name, { seeds, appVersion })
          isUp[index] = true
          return node
        })
        await simulation.run({ for: '300ms' })
        expect(isUp).toEqual([false, false])
        simulation.after('1ms', () => versions[0]!.give('2'))
        simulation.after('900ms', () => versions[1]!.give('3'))
        const nodes = await simulation.settle(Promise.all(starts))
        const seen = () =>
          nodes.map(({ cluster }) =>
            cluster.state.members.map(({ status, appVersion }) => `${status} ${appVersion}`),
          )
        await simulation.runUntil(() => seen().every((members) => members.length === 2))
        expect(seen()).toEqual(nodes.map(() => ['Up 2', 'Up 3']))
      },
    })
  })

  test('one that is none is refused when it comes, and what a promise rejects with is told', async () => {
    const late = startNode({ store: 'memory', appVersion: Promise.resolve('the newest') })
    await expect(late).rejects.toThrow(InvalidSettings)
    await expect(late).rejects.toThrow(/appVersion must be one to four numbers/)
    const never = startNode({ store: 'memory', appVersion: Promise.reject(new Error('no tag')) })
    await expect(never).rejects.toThrow('no tag')
  })
})
