import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { nodeFor } from './nodes.ts'

const Game = defineEntity('Game', {
  role: 'games',
  state: () => ({ moves: 0 }),
  events: { Moved: (state) => ({ moves: state.moves + 1 }) },
  commands: { move: (self) => self.persist('Moved').moves },
})

test('members show the roles that their users gave, and what they host as attributes', async () => {
  const common = { entities: [Game], store: new MemoryJournal() }
  // The older one has a role that only sounds like the mark of a host.
  const web = await nodeFor({ ...common, roles: ['web', 'host of Game'] })
  const games = await nodeFor({ ...common, roles: ['games'], seeds: [web.address] })
  const isOfProcess = (attribute: string): boolean => attribute.startsWith('process ')
  const members = games.cluster.state.members.map(({ node, roles, attributes }) => [
    node,
    { roles, attributes: attributes.filter((attribute) => !isOfProcess(attribute)) },
  ])
  expect(Object.fromEntries(members)).toEqual({
    [web.id]: { roles: ['host of Game', 'web'], attributes: [] },
    [games.id]: {
      roles: ['games'],
      attributes: ['asks the store', 'host of Game', expect.stringMatching(/^uses store ./)],
    },
  })
  expect(await web.entity(Game, 'chess').move()).toBe(1)
  expect((await web.explain(Game, 'chess')).home).toBe(games.id)
  expect(games.sharding.regionState('Game').coordinator).toBe(games.id)
})
