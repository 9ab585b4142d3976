import { expect, test } from 'vitest'
import { compareAddresses } from '../../src/remote/index.ts'
import { membersForTest } from './harness/scene.ts'

test('CL-002 three processes with the same seeds: the first listed is the oldest', async () => {
  const members = membersForTest()
  const names = ['a', 'b', 'c']
  // Listed in reverse order of address, so that the oldest is not the one that leads.
  const seeds = (await members.addresses(names)).sort((x, y) => compareAddresses(y, x))
  await members.form(names, { seeds })
  const views = await members.settle()
  for (const { members: seen, leader } of views) {
    const oldest = seen.find(({ upNumber }) => upNumber === 1)
    expect(oldest?.address).toBe(seeds[0])
    expect(new Set(seen.map(({ upNumber }) => upNumber))).toEqual(new Set([1, 2, 3]))
    expect(leader?.startsWith(`${seeds[2]}#`)).toBe(true)
  }
})
