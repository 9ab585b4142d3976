import { describe, expect, test } from 'vitest'
import type { Task } from '../../foundation/dispatcher.ts'
import { HandDispatcher } from './hand-dispatcher.ts'

function task(run: Task['run']): Task {
  return { isInternal: false, run, toString: () => 'task' }
}

describe('HandDispatcher', () => {
  test('gives turns when asked, until nobody wants one', () => {
    const dispatcher = new HandDispatcher()
    let left = 20
    dispatcher.execute(
      task((quota) => {
        const used = Math.min(quota, left)
        left -= used
        return used
      }),
    )
    expect(left).toBe(20)
    dispatcher.runAll()
    expect(left).toBe(0)
  })

  test('gives no turn inside another', () => {
    const dispatcher = new HandDispatcher()
    const story: string[] = []
    const inner = task(() => story.push('inner'))
    dispatcher.execute(
      task(() => {
        dispatcher.execute(inner)
        dispatcher.runAll()
        story.push('outer')
        return 0
      }),
    )
    dispatcher.runAll()
    expect(story).toEqual(['outer', 'inner'])
  })

  test('gives up on a task that never comes to rest', () => {
    const dispatcher = new HandDispatcher()
    dispatcher.execute(task((quota) => quota))
    expect(() => dispatcher.runAll()).toThrow('Invariant broken: task comes to rest')
  })
})
