import { describe, expect, test } from 'vitest'
import { found, opening, planted } from './planted.ts'

describe('public-door', () => {
  const path = 'src/actor/index.ts'

  test.each([
    ["export { HandOffMachine } from './hand-off-machine.ts'"],
    ["export type { HandOffInput } from './region/hand-off-inputs.ts'"],
    ["export * from './actor-wire.ts'"],
    ["export type * from './actor-messages.ts'"],
    ["export { defaultActorSettings, problemsWithActorSettings } from './actor-settings.ts'"],
    ["export { Gate } from './internals.ts'"],
    ["export { assert } from '../foundation/internals.ts'"],
  ])('reports a room that shows users its inside: %s', (line) => {
    expect(found(path, line)).toEqual([`${path}:2 public-door`])
  })

  test('reports a package that does, in its index and in its exports', () => {
    const lines = [opening, "export { problemsWithRoles } from './cluster/index.ts'"]
    const exports = [
      '{ "exports": {',
      '  ".": { "types": "./dist/index.d.ts" },',
      '  "./actor": { "default": "./dist/actor/index.js" },',
      '  "./internals": { "default": "./dist/actor/internals.js" },',
      '  "./cell": { "default": "./dist/actor/cell/index.js" } } }',
    ]
    expect(planted({ 'src/index.ts': lines, 'package.json': exports })).toEqual([
      'package.json:4 public-door',
      'package.json:5 public-door',
      'src/index.ts:2 public-door',
    ])
  })

  test('lets rooms give all of that to each other, and users what is for them', () => {
    const lines = ["export { HandOffMachine } from './hand-off-machine.ts'"]
    expect(found('src/actor/internals.ts', ...lines)).toEqual([])
    expect(found('src/actor/cell.ts', ...lines)).toEqual([])
    const settings = "export { type ActorSettings } from './actor-settings.ts'"
    const events = "export { DeadLetter } from './events/lost-messages.ts'"
    expect(found(path, "export * from './actor-errors.ts'", settings, events)).toEqual([])
  })
})
