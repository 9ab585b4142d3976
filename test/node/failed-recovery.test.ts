/** An entity that cannot be recovered: what its callers hear, and what its operator reads. */
import { expect, test } from 'vitest'
import { defineEntity, EntityNotRecovered } from '../../src/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { nodeFor } from './nodes.ts'

const Before = defineEntity('Jar', {
  state: () => ({ count: 0 }),
  events: { Opened: (state) => ({ count: state.count + 1 }) },
  commands: { open: (self) => self.persist('Opened').count },
})

const Broken = defineEntity('Jar', {
  state: () => ({ count: 0 }),
  events: {
    Opened: (): { readonly count: number } => {
      throw new RangeError('the lid is stuck')
    },
  },
  commands: {
    open: (self) => self.persist('Opened').count,
    count: (self) => self.state.count,
  },
})

test('every call to it says so, and the log says it once for many', async () => {
  const store = new MemoryJournal()
  const first = await nodeFor({ entities: [Before], store })
  for (const id of ['a', 'b']) await first.entity(Before, id).open()
  await first.stop()

  const logger = new CapturedLogs()
  const second = await nodeFor({ entities: [Broken], store, environment: { logger } })
  const jars = ['a', 'b'].map((id) => second.entity(Broken, id))
  for (let round = 0; round < 20; round++) {
    for (const jar of jars) {
      for (const call of [() => jar.count(), () => jar.open()]) {
        const error: unknown = await call().catch((reason: unknown) => reason)
        expect(error).toBeInstanceOf(EntityNotRecovered)
        expect(error).toMatchObject({ code: 'ENTITY_NOT_RECOVERED', mayHaveHappened: false })
        expect((error as Error).message).toMatch(
          /^Jar '[ab]': (count|open) was not handled.*could not be recovered: the lid is stuck\. Look at event 1 and at the event handler\..*call again\.$/,
        )
      }
    }
  }
  const told = logger.matching('failed and stops', 'error')
  expect(told.map(({ message, fields }) => [message, fields['entityId']])).toEqual([
    ["Jar 'a' failed and stops", 'a'],
  ])
  await second.stop()
  const [summary, ...more] = logger.matching('more in the last', 'error')
  expect(more).toEqual([])
  expect(summary?.fields['count']).toBeGreaterThanOrEqual(39)
})

test('another type that fails in the same words is told of as well', async () => {
  const brokenOf = (name: string, isBroken: boolean) =>
    defineEntity(name, {
      state: () => ({ count: 0 }),
      events: {
        Filled: (state) => {
          if (isBroken) throw new RangeError('the lid is stuck')
          return { count: state.count + 1 }
        },
      },
      commands: { fill: (self) => self.persist('Filled').count },
    })
  const store = new MemoryJournal()
  const good = ['Cup', 'Pot'].map((name) => brokenOf(name, false))
  const first = await nodeFor({ entities: good, store })
  for (const type of good) await first.entity(type, 'a').fill()
  await first.stop()

  const logger = new CapturedLogs()
  const broken = ['Cup', 'Pot'].map((name) => brokenOf(name, true))
  const second = await nodeFor({ entities: broken, store, environment: { logger } })
  for (const type of [...broken, ...broken]) {
    await expect(second.entity(type, 'a').fill()).rejects.toThrow('the lid is stuck')
  }
  const told = logger.matching('failed and stops', 'error').map(({ message }) => message)
  expect(told).toEqual(["Cup 'a' failed and stops", "Pot 'a' failed and stops"])
  await second.stop()
})
