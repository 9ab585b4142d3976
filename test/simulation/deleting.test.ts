/** Entities that delete themselves on whole nodes, while the store fails and nodes crash. */
import { expect, test } from 'vitest'
import { CallError, defineEntity } from '../../src/entity/index.ts'
import { cases } from '../how-long.ts'
import { ClusterChecks, simulate, startSimulatedNode } from '../../src/simulation/index.ts'

/** Burns all it has, and begins with a note that says so. */
const Diary = defineEntity('Diary', {
  state: () => ({ notes: [] as readonly string[] }),
  events: { Noted: ({ notes }, note: string) => ({ notes: [...notes, note] }) },
  commands: {
    note: (self, note: string) => self.persist('Noted', note).notes,
    notes: (self) => self.state.notes,
    burn: (self, first: string) => {
      self.delete()
      return self.persist('Noted', first).notes
    },
  },
})

const seeds = ['a:2552', 'b:2552', 'c:2552']

const runs = cases({ short: 8, full: 100 })

test('what was burnt is never seen again, and what was noted since is', async () => {
  let burnt = 0
  let failed = 0
  await simulate('burning diaries', {
    seeds: runs,
    scenario: async (simulation) => {
      const checks = new ClusterChecks(simulation)
      const start = (name: string) =>
        startSimulatedNode(simulation, name, {
          entities: [Diary],
          seeds,
          beforeJoin: (node, life) => checks.attach(node, life),
        })
      const nodes = await simulation.settle(Promise.all(['a', 'b', 'c'].map(start)))
      const node = nodes[1]!
      simulation.store.setFaults({ failsBefore: 0.05, failsUnknown: 0.05, latencyMeanMs: 3 })
      /** Of the life that goes on for sure: what was acknowledged; and what may be there, or not. */
      let known: string[] = []
      let open: string[] = []
      for (let step = 0; step < 40; step++) {
        const note = `${step}`
        const isBurning = step % 5 === 4
        const diary = node.entity(Diary, 'd')
        const call = isBurning ? diary.burn(note) : diary.note(note)
        const answer = await simulation.settle(call.catch((error: unknown) => error))
        if (step === 20) simulation.crash('a')
        if (answer instanceof CallError) {
          failed++
          if (!answer.mayHaveHappened) continue
          // Whether it has burnt what was before, nobody can tell.
          if (isBurning) {
            open.push(...known.splice(0), note)
          } else {
            open.push(note)
          }
          continue
        }
        const notes = answer as readonly string[]
        if (isBurning) {
          burnt++
          expect(notes).toEqual([note])
          known = [note]
          open = []
          continue
        }
        known.push(note)
        expect(notes.filter((each) => !open.includes(each))).toEqual(known)
      }
      simulation.store.setFaults({})
      await simulation.run({ for: '30s' })
      const last = await simulation.settle(node.entity(Diary, 'd').notes())
      expect(last.filter((each) => !open.includes(each))).toEqual(known)
      expect(simulation.store.events('Diary|d')).toHaveLength(last.length)
    },
  })
  expect([burnt > 4 * runs, failed > runs]).toEqual([true, true])
})
