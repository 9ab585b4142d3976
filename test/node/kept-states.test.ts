/** Snapshots and durable states on whole nodes, on the disk. */
import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { nodeFor, temporaryFolder } from './nodes.ts'

test('an entity whose events were deleted comes back from its snapshot, on the next node', async () => {
  let replayed = 0
  const Counter = defineEntity('Counter', {
    state: () => ({ count: 0 }),
    events: {
      Counted: (state) => {
        replayed++
        return { count: state.count + 1 }
      },
    },
    commands: {
      count: (self) => self.persist('Counted').count,
      get: (self) => self.state.count,
      delete: (self) => self.delete(),
    },
    snapshots: { every: 10, keep: 1, deleteEvents: true },
    snapshotVersion: 1,
  })
  const store = { folder: temporaryFolder() }
  const first = await nodeFor({ entities: [Counter], store })
  for (let n = 0; n < 95; n++) await first.entity(Counter, 'a').count()
  await first.stop()
  replayed = 0
  const second = await nodeFor({ entities: [Counter], store })
  expect(await second.entity(Counter, 'a').get()).toBe(95)
  expect(replayed).toBeLessThan(30)
  await second.entity(Counter, 'a').delete()
  expect(await second.entity(Counter, 'a').count()).toBe(1)
  await second.stop()
  const third = await nodeFor({ entities: [Counter], store })
  expect(await third.entity(Counter, 'a').get()).toBe(1)
})

test('a durable state comes back on the next node, and is gone when it was deleted', async () => {
  const Profile = defineEntity('Profile', {
    durable: true,
    state: () => ({ name: '' }),
    commands: {
      rename: (self, name: string) => {
        self.state = { name }
      },
      name: (self) => self.state.name,
      delete: (self) => self.delete(),
    },
  })
  const store = { folder: temporaryFolder() }
  const first = await nodeFor({ entities: [Profile], store })
  await first.entity(Profile, 'a').rename('ada')
  await first.stop()
  const second = await nodeFor({ entities: [Profile], store })
  expect(await second.entity(Profile, 'a').name()).toBe('ada')
  await second.entity(Profile, 'a').delete()
  await second.stop()
  const third = await nodeFor({ entities: [Profile], store })
  expect(await third.entity(Profile, 'a').name()).toBe('')
})
