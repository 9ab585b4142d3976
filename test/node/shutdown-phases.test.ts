import { describe, expect, test } from 'vitest'
import {
  ActorSystem,
  defaultShutdownPhases,
  InvalidSettings,
  type ShutdownPhases,
} from '../../src/actor/index.ts'
import { clusterShutdownPhases } from '../../src/cluster/internals.ts'
import { startNode } from '../../src/node/index.ts'
import { shardingShutdownPhases } from '../../src/sharding/internals.ts'
import { silentProcess } from '../../src/testkit/silent-process.ts'

type Shutdown = ActorSystem['shutdown']

/** As a task for a phase that does not exist is told. */
function phasesOf(shutdown: Shutdown): readonly string[] {
  try {
    shutdown.addTask('none', 'none', () => undefined)
  } catch (error) {
    const names = /The phases are: (.*)\.$/.exec((error as Error).message)?.[1]
    return names?.split(', ') ?? []
  }
  return []
}

function limitsOf(shutdown: Shutdown): unknown {
  return phasesOf(shutdown).map((name) => [name, shutdown.timeoutOf(name)])
}

const ofWholeNode = [
  ['before-service-unbind', 5_000],
  ['service-unbind', 5_000],
  ['service-requests-done', 5_000],
  ['service-stop', 5_000],
  ['before-cluster-shutdown', 5_000],
  ['cluster-sharding-shutdown-region', 10_000],
  ['cluster-leave', 5_000],
  ['cluster-exiting', 10_000],
  ['cluster-exiting-done', 5_000],
  ['cluster-shutdown', 5_000],
  ['before-actor-system-terminate', 5_000],
  ['actor-system-terminate', 10_000],
]

describe('AT-007 the shutdown phases of a node', () => {
  test('stand in the order of V-29, with its timeouts', async () => {
    const node = await startNode({ store: 'memory', environment: { process: silentProcess } })
    try {
      expect(limitsOf(node.system.shutdown)).toEqual(ofWholeNode)
    } finally {
      await node.stop()
    }
  })

  const systemWith = (shutdownPhases: ShutdownPhases): ActorSystem =>
    new ActorSystem('phases', { shutdownPhases, environment: { process: silentProcess } })

  test('leave phases and limits of a user as they are', async () => {
    const leave = { ...clusterShutdownPhases['cluster-leave'], timeoutMs: 7_000 }
    const flush = { ...leave, dependsOn: ['service-stop'], before: ['before-cluster-shutdown'] }
    const system = systemWith({
      ...defaultShutdownPhases,
      ...clusterShutdownPhases,
      'cluster-leave': leave,
      flush,
    })
    system.shutdown.addPhases(clusterShutdownPhases)
    system.shutdown.addPhases(shardingShutdownPhases)
    const expected = ofWholeNode.flatMap(([name, limit]) => {
      if (name === 'cluster-leave') return [[name, 7_000]]
      return name === 'before-cluster-shutdown'
        ? [
            ['flush', 7_000],
            [name, limit],
          ]
        : [[name, limit]]
    })
    expect(limitsOf(system.shutdown)).toEqual(expected)
    await system.terminate()
  })

  test('are refused when those of a user leave no place for them, with every problem', async () => {
    const last = defaultShutdownPhases['before-actor-system-terminate']
    const system = systemWith({
      ...defaultShutdownPhases,
      'service-unbind': {
        ...defaultShutdownPhases['service-unbind'],
        dependsOn: ['before-service-unbind', 'before-actor-system-terminate'],
      },
      'before-actor-system-terminate': { ...last, dependsOn: [] },
    })
    expect(() => system.shutdown.addPhases(clusterShutdownPhases)).toThrow(InvalidSettings)
    await system.terminate()
  })

  test('keep the tasks that were added before them, and cannot come when the shutdown has begun', async () => {
    const system = systemWith(defaultShutdownPhases)
    const said: string[] = []
    system.shutdown.addTask('before-actor-system-terminate', 'last', () => void said.push('last'))
    system.shutdown.addPhases(clusterShutdownPhases)
    system.shutdown.addTask('cluster-shutdown', 'first', () => void said.push('first'))
    const ended = system.terminate()
    expect(() => system.shutdown.addPhases(shardingShutdownPhases)).toThrow(
      'Phase cluster-sharding-shutdown-region cannot be added',
    )
    await ended
    expect(said).toEqual(['first', 'last'])
  })
})
