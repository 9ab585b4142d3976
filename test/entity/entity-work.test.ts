import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { outcome, Stage } from './stage.ts'

const Tally = defineEntity('Tally', {
  state: () => 0,
  events: { Counted: (state) => state + 1 },
  commands: { count: (self) => self.persist('Counted') },
})

test('nothing is noted of an entity that is stopped before its first turn', async () => {
  await using stage = new Stage()
  stage.refOf(Tally, 'a')
  await stage.end(Tally, 'a')
  expect(stage.world.work.of('Tally').inWords('a')).toBeUndefined()
})

test('nothing is noted of an entity that is stopped while it is recovered', async () => {
  await using stage = new Stage()
  const work = stage.world.work.of('Tally')
  stage.journal.stall()
  stage.refOf(Tally, 'a')
  await stage.settle()
  expect(work.inWords('a')).toContain('It is being recovered')
  const ended = stage.end(Tally, 'a')
  stage.journal.flow()
  await ended
  expect(work.inWords('a')).toBeUndefined()
})

const thoughts: (() => void)[] = []
const commands = {
  ponder: (_self: unknown) => new Promise<void>((resolve) => void thoughts.push(resolve)),
  muse: (_self: unknown) => new Promise<void>((resolve) => void thoughts.push(resolve)),
}
const Thinker = defineEntity('Thinker', { state: () => 0, commands })
const Writer = defineEntity('Writer', { state: () => 0, events: { Written: () => 1 }, commands })

test.each([Thinker, Writer])(
  '$name: a command that outlives its entity is none of the next one',
  async (entity) => {
    await using stage = new Stage()
    const work = stage.world.work.of(entity.name)
    const patiently = { timeout: '1h' }
    void outcome(stage.call(entity, 'a', patiently).ponder())
    await stage.settle()
    expect(work.inWords('a')).toContain('Its command ponder has not ended')
    await stage.end(entity, 'a')
    stage.refOf(entity, 'a')
    await stage.settle()
    expect(work.inWords('a')).toBeUndefined()
    void outcome(stage.call(entity, 'a', patiently).muse())
    await stage.settle()
    thoughts.shift()?.()
    await stage.settle()
    expect(work.inWords('a')).toContain('Its command muse has not ended')
    thoughts.shift()?.()
    await stage.settle()
    expect(work.inWords('a')).toBeUndefined()
  },
)
