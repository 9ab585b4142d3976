/** Must fail under every seed: a test of the alarm. Two actors add to one number, and one of them reads it too early. */
import { Behaviors } from '../../src/actor/index.ts'
import type { Simulation } from '../../src/simulation/index.ts'

export async function canary(simulation: Simulation): Promise<void> {
  let total = 0
  const adder = Behaviors.receiveMessage<'Add'>(async () => {
    const before = total
    await new Promise((resolve) => setTimeout(resolve, 10))
    total = before + 1
  })
  const { system } = simulation.node('a')
  for (const name of ['one', 'two']) system.spawn(adder, name).tell('Add')
  await simulation.run({ for: '1s' })
  simulation.check('both additions count', total === 2, `the total is ${total}`)
}
