/** Deleting on whole nodes: on the disk, and on a journal that cannot. */
import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { type Journal, MemoryJournal } from '../../src/persistence/index.ts'
import { nodeFor, temporaryFolder } from './nodes.ts'

const Person = defineEntity('Person', {
  state: () => ({ names: [] as readonly string[] }),
  events: { Named: ({ names }, name: string) => ({ names: [...names, name] }) },
  commands: {
    name: (self, name: string) => self.persist('Named', name).names,
    names: (self) => self.state.names,
    forget: (self) => self.delete(),
  },
})

test('an entity that was deleted starts from scratch, also on the next node', async () => {
  const store = { folder: temporaryFolder() }
  const entities = [Person]
  const first = await nodeFor({ entities, store })
  const ada = first.entity(Person, 'a')
  await first.entity(Person, 'b').name('grace')
  for (let round = 0; round < 40; round++) await ada.name(`ada ${round}`)
  await ada.forget()
  expect(await ada.names()).toEqual([])
  await first.stop()
  const second = await nodeFor({ entities, store })
  expect(await second.entity(Person, 'a').names()).toEqual([])
  expect(await second.entity(Person, 'a').name('new')).toEqual(['new'])
  await second.stop()
  const third = await nodeFor({ entities, store })
  expect(await third.entity(Person, 'a').names()).toEqual(['new'])
  expect(await third.entity(Person, 'b').names()).toEqual(['grace'])
})

test('a journal that cannot delete says so where it is asked to, and nothing has happened', async () => {
  const memory = new MemoryJournal()
  const store: Journal = {
    claim: (id, writer) => memory.claim(id, writer),
    append: (batch) => memory.append(batch),
    read: (range, onEvent) => memory.read(range, onEvent),
    highestSequenceNr: (id) => memory.highestSequenceNr(id),
    close: () => memory.close(),
  }
  const node = await nodeFor({ entities: [Person], store })
  const ada = node.entity(Person, 'a')
  await ada.name('ada')
  const error: unknown = await ada.forget().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'COMMAND_FAILED', errorCode: 'STORE_CANNOT_DELETE' })
  expect((error as Error).message).toContain('deleteEvents')
  expect(await ada.names()).toEqual(['ada'])
})
