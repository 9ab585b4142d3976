import { describe, expect, test } from 'vitest'
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import {
  defaultShutdownPhases,
  problemsWithShutdownPhases,
  type ShutdownPhases,
  topologicalOrder,
} from './shutdown-phases.ts'

/** `{ b: ['a'] }` in the words of V-29, with a phase for every name. */
function graph(dependencies: Record<string, readonly string[]>): ShutdownPhases {
  const names = [...Object.keys(dependencies), ...Object.values(dependencies).flat()]
  const phase = (name: string) => ({
    dependsOn: dependencies[name] ?? [],
    timeoutMs: 5_000,
    recover: true,
    enabled: true,
  })
  return Object.fromEntries(names.map((name) => [name, phase(name)]))
}

function problemsOf(phases: ShutdownPhases): readonly string[] {
  try {
    topologicalOrder(phases)
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidSettings)
    expect(error).toHaveProperty('code', 'INVALID_SETTINGS')
    return (error as InvalidSettings).problems
  }
  return []
}

describe('AT-007 order of shutdown phases', () => {
  test('the default phases stand in the order of V-29, with its timeouts', () => {
    const timeouts = topologicalOrder(defaultShutdownPhases).map((name) => [
      name,
      (defaultShutdownPhases as ShutdownPhases)[name]?.timeoutMs,
    ])
    expect(timeouts).toEqual([
      ['before-service-unbind', 5_000],
      ['service-unbind', 5_000],
      ['service-requests-done', 5_000],
      ['service-stop', 5_000],
      ['before-actor-system-terminate', 5_000],
      ['actor-system-terminate', 10_000],
    ])
    expect(problemsWithShutdownPhases(defaultShutdownPhases)).toEqual([])
  })

  test('sorts the examples of V-29', () => {
    expect(topologicalOrder({})).toEqual([])
    expect(topologicalOrder(graph({ a: [] }))).toEqual(['a'])
    expect(topologicalOrder(graph({ b: ['a'] }))).toEqual(['a', 'b'])
    expect(topologicalOrder(graph({ c: ['a'], b: ['a'] }))).toEqual(['a', 'c', 'b'])
    expect(topologicalOrder(graph({ b: ['a'], c: ['b'], d: ['b', 'c'], e: ['d'] }))).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ])
  })

  test('keeps phases that do not depend on each other as they were given', () => {
    const phases = graph({ a2: ['a1'], a3: ['a2'], b2: ['b1'], b3: ['b2'] })
    expect(topologicalOrder(phases)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3'])
    expect(topologicalOrder(graph({ z: [], y: [], x: [] }))).toEqual(['z', 'y', 'x'])
  })

  test('puts a phase of the user between default ones', () => {
    const defaults = defaultShutdownPhases
    const between = { ...defaults['service-stop'], dependsOn: ['service-unbind'] }
    const names = Object.keys(defaults)
    const expected = [...names.slice(0, 3), 'flush-metrics', ...names.slice(3)]
    const byBefore = { ...between, dependsOn: ['service-requests-done'], before: ['service-stop'] }
    expect(topologicalOrder({ ...defaults, 'flush-metrics': byBefore })).toEqual(expected)
    const stop = { ...defaults['service-stop'], dependsOn: ['service-requests-done', 'metrics'] }
    const order = topologicalOrder({ ...defaults, metrics: between, 'service-stop': stop })
    expect(order).toHaveLength(7)
    expect(order.indexOf('metrics')).toBeGreaterThan(order.indexOf('service-unbind'))
    expect(order.indexOf('metrics')).toBeLessThan(order.indexOf('service-stop'))
    expect(order.at(-1)).toBe('actor-system-terminate')
  })

  test('refuses a phase that is both before and behind another', () => {
    const [a, b] = ['a', 'b'].map((name) => graph({ [name]: [] })[name])
    expect(problemsOf({ a: { ...a!, before: ['b'] }, b: { ...b!, before: ['a'] } })).toEqual([
      'phases depend on each other: a -> b -> a',
    ])
    expect(problemsOf({ a: { ...a!, before: ['x'] } })).toEqual([
      "phase a comes before 'x', which is not a phase",
    ])
    expect(problemsWithShutdownPhases({ a: { ...a!, before: 'b' } })).toEqual([
      "a.before must be a list of phases, not 'b'",
    ])
    expect(problemsWithShutdownPhases({ a: { ...a!, before: null } })).toEqual([
      'a.before must be a list of phases, not null',
    ])
  })

  test('refuses cycles of any length and names them', () => {
    const cycle = (path: string) => [`phases depend on each other: ${path}`]
    expect(problemsOf(graph({ a: ['a'] }))).toEqual(cycle('a -> a'))
    expect(problemsOf(graph({ a: ['b'], b: ['a'] }))).toEqual(cycle('a -> b -> a'))
    expect(problemsOf(graph({ a: ['c'], b: ['a'], c: ['b'] }))).toEqual(cycle('a -> c -> b -> a'))
    expect(problemsOf(graph({ e: ['d'], d: ['c'], c: ['b', 'a'], b: ['d'], a: [] }))).toEqual(
      cycle('d -> c -> b -> d'),
    )
  })

  test('refuses names that are not phases', () => {
    const phase = { timeoutMs: 1, recover: true, enabled: true }
    expect(problemsOf({ b: { ...phase, dependsOn: ['a', 'toString'] } })).toEqual([
      "phase b depends on 'a', which is not a phase",
      "phase b depends on 'toString', which is not a phase",
    ])
  })

  test('reports every problem of the settings at once', () => {
    const phases = {
      a: { dependsOn: ['a'], timeoutMs: 0, recover: true, enabled: true },
      b: { dependsOn: ['x'], timeoutMs: Infinity, recover: 'on', enabled: undefined },
      '': { dependsOn: [], timeoutMs: NaN, recover: true, enabled: true },
    }
    expect(problemsWithShutdownPhases(phases as never)).toEqual([
      'a.timeoutMs must be a positive number, not 0',
      'b.timeoutMs must be a positive number, not Infinity',
      "b.recover must be true or false, not 'on'",
      'b.enabled must be true or false, not undefined',
      'the name of a phase has at least one character',
      '.timeoutMs must be a positive number, not NaN',
      'phases depend on each other: a -> a',
      "phase b depends on 'x', which is not a phase",
    ])
    expect(problemsWithShutdownPhases({ a: null, b: { timeoutMs: '5', timeout: 5 } })).toEqual([
      'a must be an object with dependsOn, before, timeoutMs, recover, enabled, not null',
      '`b.timeout` is not a setting; did you mean `b.timeoutMs`?',
      'b.dependsOn must be a list of phases, not undefined',
      "b.timeoutMs must be a positive number, not '5'",
      'b.recover must be true or false, not undefined',
      'b.enabled must be true or false, not undefined',
    ])
    expect(problemsWithShutdownPhases(null)).toEqual(['shutdownPhases must be an object, not null'])
    const noList = { a: { dependsOn: 'b', timeoutMs: 1, recover: true, enabled: true } }
    expect(problemsWithShutdownPhases(noList as never)).toEqual([
      "a.dependsOn must be a list of phases, not 'b'",
    ])
  })
})
