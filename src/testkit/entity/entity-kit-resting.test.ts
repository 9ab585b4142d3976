import { describe, test } from 'vitest'
import { defineEntity } from '../../entity/index.ts'
import { entityKit } from './entity-kit.ts'

const Visit = defineEntity('Visit', {
  state: () => ({ steps: 0 }),
  events: { Stepped: ({ steps }) => ({ steps: steps + 1 }) },
  commands: {
    step: (self) => self.persist('Stepped').steps,
    last: (self) => {
      self.passivate()
      return self.persist('Stepped').steps
    },
  },
})

const Guest = defineEntity('Guest', {
  state: () => ({ steps: 0 }),
  commands: {
    step: (self) => ++self.state.steps,
    last: async (self) => {
      self.passivate()
      return ++self.state.steps
    },
  },
})

describe('an entity that asks for rest', () => {
  test('comes back with what is stored', async () => {
    const kit = entityKit(Visit, 'a')
    await kit.when.last().then({ answer: 1, events: [['Stepped']], state: { steps: 1 } })
    await kit.when.step().then({ answer: 2 })
    await kit.when.last().then({ answer: 3 })
    await kit.when.last().then({ answer: 4, state: { steps: 4 } })
  })

  test('begins anew where nothing is', async () => {
    const kit = entityKit(Guest, 'a')
    await kit.when.step().then({ answer: 1 })
    await kit.when.last().then({ answer: 2, state: { steps: 0 } })
    await kit.when.step().then({ answer: 1 })
  })
})
