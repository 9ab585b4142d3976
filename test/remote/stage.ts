/** Joins nodes for tests of remoting with the test runner; what else uses such nodes runs without it. */
import { afterEach } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { type TestNode, type TestNodeOptions, TestNodes } from './nodes.ts'

/** Nodes of this kind for each test of a `describe`, gone when it is, and refs from one to another. */
export function stageForTests(kind: 'tcp' | 'tls' | 'memory', seed = 7) {
  let nodes = new TestNodes(kind)
  afterEach(async () => {
    await nodes.stop()
    nodes = new TestNodes(kind, seed)
  })
  return {
    /** Those of the test that runs. */
    get nodes(): TestNodes {
      return nodes
    },
    start: (options?: TestNodeOptions): Promise<TestNode> => nodes.start(options),
    refTo: <T>(from: TestNode, to: TestNode, path: string): ActorRef<T> =>
      from.remoting.refAt(to.remoting.address, path),
  }
}
