import { describe, expect, test } from 'vitest'
import { NoSilentLoss } from '../../src/simulation/internals.ts'
import { Notebook } from './notebook.ts'

/** It runs there, and was given to nobody else. */
const atHome = (home: string, ...chosen: string[]) => ({
  homes: new Set([home]),
  chosen: new Set([home, ...chosen]),
  isAtHome: true,
})

describe('no message is given up without a fault', () => {
  const name = 'no message is given up without a fault'

  test('that explains it', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    for (const id of ['in calm', 'overtaken', 'unreachable', 'too many']) checker.sent(id, 'a#1')
    checker.lost('in calm', { reason: 'overtaken', by: 'a#1' })
    expect(notebook.found).toEqual([name])
    notebook.trouble('store')
    checker.lost('overtaken', { reason: 'overtaken', by: 'a#1' })
    expect(notebook.found).toEqual([name])
    checker.lost('unreachable', { reason: 'unreachable', by: 'a#1' })
    expect(notebook.found).toEqual([name, name])
    notebook.trouble('network')
    checker.lost('too many', { reason: 'shard-buffer-full', by: 'a#1' })
    expect(notebook.found).toEqual([name, name, name])
    expect(notebook.places).toContain('a message is given up: overtaken')
  })

  test('that is near in time', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, undefined, 1_000)
    notebook.trouble('network', ['a', 'b'], 100)
    notebook.now = 1_100
    checker.sent('soon after', 'a#1')
    notebook.now = 1_101
    checker.sent('long after', 'a#1')
    notebook.now = 5_000
    checker.lost('soon after', { reason: 'unreachable', by: 'a#1' })
    expect(notebook.found).toEqual([])
    checker.lost('long after', { reason: 'unreachable', by: 'a#1' })
    expect(notebook.found).toEqual([name])
    checker.sent('before', 'a#1')
    notebook.now = 9_000
    notebook.trouble('network')
    checker.lost('before', { reason: 'unreachable', by: 'a#1' })
    expect(notebook.found).toEqual([name])
  })

  test('that happened to a node on its way; a hand-off needs all of them', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => atHome('b#1', 'c#1'))
    for (const id of ['elsewhere', 'moved', 'at home']) checker.sent(id, 'a#1', 'Cart/1')
    notebook.trouble('pause', ['d', 'e'])
    checker.lost('moved', { reason: 'hand-off-timeout', by: 'b#1' })
    expect(notebook.found).toEqual([])
    checker.lost('elsewhere', { reason: 'quarantined', by: 'a#1' })
    expect(notebook.found).toEqual([name])
    notebook.trouble('pause', ['c'])
    checker.lost('at home', { reason: 'quarantined', by: 'a#1' })
    expect(notebook.found).toEqual([name])
  })

  test('or a node that had no more time, or that was told to stop before', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    checker.sent('early', 'a#1')
    checker.leaves('a#1')
    checker.sent('late', 'a#1')
    checker.lost('late', { reason: 'region-stopped', by: 'a#1' })
    expect(notebook.found).toEqual([])
    checker.overran('a#1')
    checker.lost('early', { reason: 'region-stopped', by: 'a#1' })
    checker.conclude()
    expect(notebook.found).toEqual([])
  })

  test('when all leave, there is nobody to take what waits, but everything else is owed', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    for (const id of ['waiting', 'on its way']) checker.sent(id, 'a#1')
    checker.nobodyStays()
    checker.lost('waiting', { reason: 'region-stopped', by: 'a#1' })
    expect(notebook.found).toEqual([])
    checker.lost('on its way', { reason: 'unreachable', by: 'a#1' })
    expect(notebook.found).toEqual([name])
  })

  test('one that was told to stop may only refuse, and only itself', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    checker.leaves('a#1')
    for (const id of ['refused', 'taken', 'refused elsewhere']) checker.sent(id, 'a#1')
    checker.lost('refused', { reason: 'region-stopped', by: 'a#1' })
    expect(notebook.found).toEqual([])
    checker.lost('taken', { reason: 'overtaken', by: 'a#1' })
    expect(notebook.found).toEqual([name])
    checker.lost('refused elsewhere', { reason: 'region-stopped', by: 'b#1' })
    expect(notebook.found).toEqual([name, name])
  })
})

describe('no message is lost silently', () => {
  test('unless it was delivered, or its loss was told', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook)
    for (const id of ['delivered', 'told', 'vanished']) checker.sent(id, 'a#1')
    checker.delivered('delivered')
    notebook.trouble('crash')
    checker.lost('told', { reason: 'quarantined', by: 'a#1' })
    checker.conclude()
    expect(notebook.found).toEqual(['no message is lost silently'])
    checker.delivered('delivered')
    expect(notebook.found).toContain('no message is delivered twice')
  })

  test('the death of its sender or of a home excuses what was sent before, that of others does not', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => atHome('b#1'))
    checker.sent('x', 'a#1', 'Cart/1')
    checker.crashed('c#1')
    checker.conclude()
    expect(notebook.found).toEqual(['no message is lost silently'])
    checker.crashed('b#1')
    checker.sent('after', 'a#1', 'Cart/1')
    checker.conclude()
    expect(notebook.excuses).toEqual(['S3: lost when a home died'])
    expect(notebook.found).toHaveLength(2)
    checker.crashed('a#1')
    checker.conclude()
    expect(notebook.found).toHaveLength(2)
  })

  test('while its target has no home, anyone may have held it', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => ({ ...atHome('b#1'), isAtHome: false }))
    checker.sent('x', 'a#1', 'Cart/1')
    checker.crashed('c#1')
    checker.conclude()
    expect(notebook.found).toEqual([])
  })

  test('a broken connection between sender and home excuses as many as were counted', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => atHome('b#2'))
    const lost = 'no message is lost silently'
    for (const id of ['x', 'y']) checker.sent(id, 'a#1', 'Cart/1')
    checker.connectionBroke({ by: 'a#1', peer: 'c#1', unconfirmed: 5 })
    checker.connectionBroke({ by: 'a#1', peer: 'b#1', unconfirmed: 5 })
    checker.conclude()
    expect(notebook.found).toEqual([lost, lost])
    const stricter = new NoSilentLoss(notebook, () => atHome('b#2'))
    for (const id of ['x', 'y']) stricter.sent(id, 'a#1', 'Cart/1')
    stricter.connectionBroke({ by: 'b#2', peer: 'a#1', unconfirmed: 1 })
    stricter.conclude()
    expect(notebook.excuses).toHaveLength(2)
    expect(notebook.found).toEqual([lost, lost, lost])
  })

  test.each([
    ['to', { by: 'a#1', peer: 'c#1' }],
    ['back from', { by: 'c#1', peer: 'a#1' }],
  ])('so does one %s a node that was to be its home and never was', (_, ends) => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => atHome('b#1', 'c#1'))
    checker.sent('x', 'a#1', 'Cart/1')
    checker.connectionBroke({ ...ends, unconfirmed: 1 })
    checker.conclude()
    expect([notebook.found, notebook.excuses]).toEqual([
      [],
      ['S3: lost in a connection that broke'],
    ])
  })

  test('so does the death of such a node, but not a connection of it to a third', () => {
    const notebook = new Notebook()
    const checker = new NoSilentLoss(notebook, () => atHome('b#1', 'c#1'))
    checker.sent('x', 'a#1', 'Cart/1')
    checker.connectionBroke({ by: 'c#1', peer: 'b#1', unconfirmed: 1 })
    checker.connectionBroke({ by: 'b#1', peer: 'c#1', unconfirmed: 1 })
    checker.conclude()
    expect([notebook.found, notebook.excuses]).toEqual([['no message is lost silently'], []])
    checker.crashed('c#1')
    checker.conclude()
    expect(notebook.excuses).toEqual(['S3: lost when a home died'])
    expect(notebook.found).toHaveLength(1)
  })
})
