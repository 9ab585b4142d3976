/** Counters that are remembered, and how scenarios look at those that run. */
import type { KeyedDefinition, ShardingSettings } from '../../src/sharding/index.ts'
import { ByNumber, hostCounters, type ToCounter } from './counter.ts'
import type { Scene, ShardingNode } from './scene.ts'

export const shards = 12

/** Starts remembered counters on that node. */
export function remember(
  node: ShardingNode,
  settings: Partial<ShardingSettings> = {},
  options: Partial<KeyedDefinition<ToCounter>> = {},
): void {
  hostCounters(node, {
    extractor: new ByNumber(shards),
    rememberEntities: true,
    settings: { numberOfShards: shards, entityRestartBackoffMs: 1_000, ...settings },
    ...options,
  })
}

/** The counters that run on these nodes, as `id@node`, sorted. */
export function running(...nodes: readonly ShardingNode[]): string[] {
  return nodes
    .flatMap(({ sharding, name }) =>
      sharding
        .regionState('Counter')
        .shards.flatMap(({ entityIds }) => entityIds.map((id) => `${id}@${name}`)),
    )
    .sort()
}

/** The ids alone. */
export function runningIds(...nodes: readonly ShardingNode[]): string[] {
  return running(...nodes)
    .map((text) => text.split('@')[0] as string)
    .sort()
}

export async function until(scene: Scene, what: string, holds: () => boolean): Promise<void> {
  await scene.simulation.runUntil(holds, { what, within: '60s' })
}

export function same(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify(a) === JSON.stringify([...b].sort())
}
