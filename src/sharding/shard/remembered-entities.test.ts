import { describe, expect, test } from 'vitest'
import { AssertionFailed } from '../../foundation/assert.ts'
import { RememberedEntities } from './remembered-entities.ts'

const none = { started: [], stopped: [] }

describe('SH-041 the table of remembered entities', () => {
  test('goes the whole way of an entity: loaded, started, passivated, forgotten', () => {
    const table = new RememberedEntities()
    table.loaded({ started: ['a', 'b', 'c'], stopped: [] })
    expect(['a', 'b', 'c'].map((id) => table.standingOf(id))).toEqual([
      'asleep',
      'asleep',
      'asleep',
    ])
    expect(table.asleep.size).toBe(3)
    table.start('d')
    expect(table.standingOf('d')).toBe('storing-start')
    expect(table.pendingStarts).toEqual(['d'])
    expect(table.nextWrite(10)).toEqual({ started: ['d'], stopped: [] })
    expect(table.stored()).toEqual({ started: ['d'], stopped: [] })
    expect(table.standingOf('d')).toBe('asleep')
    table.runs('d')
    expect([table.standingOf('d'), table.pendingStarts]).toEqual(['absent', []])
    table.passivated('d')
    expect([table.standingOf('d'), table.pendingStops]).toEqual(['storing-stop', ['d']])
    table.nextWrite(10)
    table.stored()
    expect([table.standingOf('d'), table.pendingStops, table.isBusy]).toEqual(['absent', [], false])
  })

  test('lets one that failed rest, and run again', () => {
    const table = new RememberedEntities()
    table.failed('a')
    expect(table.standingOf('a')).toBe('resting')
    table.runs('a')
    expect(table.standingOf('a')).toBe('absent')
    expect(table.isBusy).toBe(false)
  })

  test('has one write under way, and the next takes what gathered meanwhile, up to a limit', () => {
    const table = new RememberedEntities()
    table.start('a')
    expect(table.nextWrite(3)).toEqual({ started: ['a'], stopped: [] })
    for (const id of ['b', 'c']) table.start(id)
    for (const id of ['x', 'y']) table.passivated(id)
    expect(table.nextWrite(3)).toBeUndefined()
    table.stored()
    expect(table.nextWrite(3)).toEqual({ started: ['b', 'c'], stopped: ['x'] })
    table.stored()
    expect(table.nextWrite(3)).toEqual({ started: [], stopped: ['y'] })
    table.stored()
    expect(table.nextWrite(3)).toBeUndefined()
  })

  test('forgets what belongs elsewhere only after it was started there', () => {
    const table = new RememberedEntities()
    table.loaded({ started: ['a', 'b'], stopped: [] })
    expect(table.nextAsleep(10)).toEqual(['a', 'b'])
    table.belongsElsewhere('a')
    expect(table.nextAsleep(10)).toEqual(['b'])
    expect(table.isBusy).toBe(false)
    expect([table.movedAway('a'), table.movedAway('a'), table.movedAway('b')]).toEqual([
      ...[true, false, false],
    ])
    expect(table.nextWrite(10)).toEqual({ ...none, stopped: ['a'] })
  })

  test('takes any other way for a mistake', () => {
    const ways: readonly ((table: RememberedEntities) => void)[] = [
      (table) => table.runs('stranger'),
      (table) => table.start('asleep'),
      (table) => table.passivated('asleep'),
      (table) => table.failed('asleep'),
      (table) => table.start('storing'),
      (table) => table.runs('storing'),
      (table) => table.passivated('storing'),
      (table) => table.belongsElsewhere('storing'),
      (table) => table.start('resting'),
      (table) => table.stored(),
    ]
    for (const way of ways) {
      const table = new RememberedEntities()
      table.loaded({ started: ['asleep'], stopped: [] })
      table.start('storing')
      table.failed('resting')
      expect(() => way(table)).toThrow(AssertionFailed)
    }
  })
})
