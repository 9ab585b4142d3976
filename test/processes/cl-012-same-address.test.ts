import { expect, test } from 'vitest'
import { membersForTest } from './harness/scene.ts'

const rounds = 3

test('CL-012 killed and started again at once on the same port: the new incarnation is let in', async () => {
  const members = membersForTest()
  const names = ['a', 'b', 'c']
  // Nobody ever listens at the last one.
  const seeds = await members.addresses([...names, 'nobody'])
  await members.form(names, { seeds })
  const address = await members.processes.addressOf('d')
  const seen = new Set<string>()
  for (let round = 0; round <= rounds; round++) {
    const role = `round-${round}`
    const restarting = await members.start('d', { seeds, roles: [role] })
    const views = await members.settle([...names, 'd'], { [address]: role })
    seen.add(views[0]?.members.find((member) => member.address === address)?.node ?? '')
    if (round < rounds) await restarting.kill()
  }
  expect(seen.size).toBe(rounds + 1)

  const [firstSeed = ''] = seeds
  await members.named('a').kill()
  await members.start('a', { seeds })
  const views = await members.settle()
  for (const view of views) {
    const again = view.members.find((member) => member.address === firstSeed)
    // It joined the cluster that was there: the others are older.
    expect(again?.upNumber).toBe(Math.max(...view.members.map(({ upNumber }) => upNumber)))
  }
})
