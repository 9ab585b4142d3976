import { expect, test } from 'vitest'
import { defaultClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { HeartbeatMachine } from '../../src/cluster/detection/heartbeat-machine.ts'
import { type NodeId, nodeIdOf } from '../../src/foundation/node-id.ts'
import { SeededRandom } from '../../src/simulation/seeded-random.ts'

const self = nodeIdOf('a:1', 1n)
const others = Array.from({ length: 30 }, (_, index) => nodeIdOf(`n:${index + 1}`, 7n))
const operations = 100_000

test('CL-017 after 100,000 random operations the silent are asked until they answer or are removed, and never the removed', () => {
  const random = new SeededRandom(1, 'heartbeats')
  const settings = { ...defaultClusterSettings, monitoredByMembers: 5 }
  const machine = new HeartbeatMachine(self, settings)
  let members = new Set(others.slice(0, 10))
  let unheard = new Set<NodeId>()
  let suspected = new Set<NodeId>()
  let suspicions = 0
  const problems: string[] = []
  const check = (holds: boolean, what: string): void => {
    if (!holds) problems.push(what)
  }
  for (let operation = 0; operation < operations; operation++) {
    const now = operation * 200
    const node = random.pick(others)
    const kind = random.below(10)
    if (kind === 0) members = new Set(members).add(node)
    if (kind === 1) members = new Set([...members].filter((each) => each !== node))
    if (kind === 2) unheard = new Set([...unheard, node].filter(() => random.chance(0.7)))
    if (kind <= 2) {
      machine.step({ type: 'MembersChanged', members: [self, ...members], unheard }, now)
    } else if (kind === 3) machine.step({ type: 'ConnectionRefused', node }, now)
    else if (kind <= 6) machine.step({ type: 'HeartbeatResponse', from: node, sequence: 1 }, now)
    else {
      const effects = machine.step({ type: 'Tick' }, now)
      const asked = effects.flatMap((effect) => (effect.type === 'Send' ? [effect.to] : []))
      // A beat goes to all who are monitored, and to those who have fallen silent.
      if (asked.length > 0)
        for (const each of suspected) check(asked.includes(each), 'is not asked')
      for (const each of asked) check(members.has(each), 'is asked and no member')
    }
    const state = machine.snapshot()
    for (const each of state.receivers) check(members.has(each), 'is monitored and no member')
    const hasAnswered = (each: NodeId): boolean => kind > 3 && kind <= 6 && each === node
    for (const each of suspected) {
      const isOver = hasAnswered(each) || !members.has(each)
      check(state.suspected.includes(each) !== isOver, 'is suspected or not, wrongly')
    }
    if (state.suspected.length > suspected.size) suspicions++
    suspected = new Set(state.suspected)
  }
  expect(problems).toEqual([])
  expect(suspicions).toBeGreaterThan(1_000)
})
