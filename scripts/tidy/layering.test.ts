import { describe, expect, test } from 'vitest'
import { found, opening, planted } from './planted.ts'

describe('room-direction', () => {
  const fromActor = (line: string) => found('src/actor/cell.ts', line)

  test.each([
    ["import { Simulation } from '../simulation/index.ts'"],
    ["import type { Simulation } from '../simulation/index.ts'"],
    ["export * from '../simulation/index.ts'"],
    ["export { Simulation } from '../simulation/index.ts'"],
    ["const room = await import('../simulation/index.ts')"],
    ["import '../simulation/index.ts'"],
    ["import { planted } from '../../scripts/planted.ts'"],
    ["import { ActorRef } from 'sherd/actor'"],
  ])('reports an import that does not go down: %s', (line) => {
    expect(fromActor(line)).toEqual(['src/actor/cell.ts:2 room-direction'])
  })

  test.each([
    ['src/actor/cell.ts', '../serialization/index.ts'],
    ['src/testkit/probe.ts', '../simulation/index.ts'],
  ])('reports a room that reaches beyond what it may have: %s', (path, room) => {
    expect(found(path, `import { x } from '${room}'`)).toEqual([`${path}:2 room-direction`])
  })

  test('reports a file in no room and a room nobody planned', () => {
    expect(planted({ 'src/stray.ts': opening, 'src/attic/box.ts': opening })).toEqual([
      'src/attic/box.ts:1 room-direction',
      'src/stray.ts:1 room-direction',
    ])
  })

  test('lets calls go down, files of one room meet, and tests see everything', () => {
    const files = {
      'src/index.ts': [opening, "export * from './actor/index.ts'"],
      'src/actor/cell.ts': [
        opening,
        "import { assert } from '../foundation/assert.ts'",
        "import { Mailbox } from './mailbox.ts'",
        "import { Date as Day } from 'some-package'",
      ],
      'src/actor/cell.test.ts': ["import { TestProbe } from '../testkit/probe.ts'"],
      'src/simulation/index.ts': [opening, "import { setup } from '../actor/index.ts'"],
    }
    expect(planted(files)).toEqual(['src/actor/cell.ts:4 world-access'])
  })
})

describe('door', () => {
  test('reports an import that climbs in through the window', () => {
    expect(found('src/testkit/probe.ts', "import type { Cell } from '../actor/cell.ts'")).toEqual([
      'src/testkit/probe.ts:2 door',
    ])
    expect(found('src/index.ts', "export { Cell } from './actor/cell.ts'")).toEqual([
      'src/index.ts:2 door',
    ])
  })

  test('lets rooms through the second door of a room, and the package not', () => {
    const line = "export { Gate } from '../actor/internals.ts'"
    expect(found('src/sharding/shard.ts', line)).toEqual([])
    expect(found('src/index.ts', line.replace('../', './'))).toEqual(['src/index.ts:2 public-door'])
    expect(found('src/sharding/shard.ts', line.replace('/internals', '/cell/internals'))).toEqual([
      'src/sharding/shard.ts:2 door',
    ])
  })
})

describe('machine-imports', () => {
  const path = 'src/sharding/hand-off-machine.ts'

  test.each([
    ["import { handOffActor } from './hand-off-actor.ts'"],
    ["import type { HandOffOptions } from './hand-off-actor.ts'"],
    ["import { ActorRef } from '../actor/index.ts'"],
    ["import { pack } from 'msgpackr'"],
  ])('reports a machine that could act: %s', (line) => {
    expect(found(path, line)).toEqual([`${path}:2 machine-imports`])
  })

  test('reports a machine that holds an adapter, also of its own room', () => {
    const beside = 'src/persistence/journals/write-machine.ts'
    expect(found(beside, "import { LmdbLock } from './lmdb-lock.ts'")).toEqual([
      `${beside}:2 machine-imports`,
    ])
  })

  test('lets a machine have types, assertions, messages and values', () => {
    const lines = [
      "import type { ActorRef } from '../actor/index.ts'",
      "import { assert } from '../foundation/assert.ts'",
      "import { defaultShardingSettings } from './sharding-settings.ts'",
      "import { ShardTable } from './shard-table.ts'",
    ]
    expect(found(path, ...lines)).toEqual([])
  })
})
