/** Joins the harness with the test runner: clusters that are gone when the test is, their words shown when it failed. */
import { afterAll, afterEach, onTestFailed, onTestFinished } from 'vitest'
import type { EntityNode, EntityNodeOptions } from '../nodes/entity-node.ts'
import type { MemberNode, MemberNodeOptions } from '../nodes/member-node.ts'
import { Members } from './members.ts'
import { type ClusterOptions, ProcessCluster } from './process-cluster.ts'
import type { Outcome, Scenario } from '../scenarios/scenario.ts'

/** A cluster for one test: call it inside the test. */
export function clusterForTest<N, O extends object = object>(
  kind: string,
  options: ClusterOptions = {},
): ProcessCluster<N, O> {
  const cluster = new ProcessCluster<N, O>(kind, options)
  onTestFailed(() => console.error(cluster.transcript()))
  onTestFinished(() => cluster.dispose())
  return cluster
}

/** A cluster that all tests of a `describe` share: starting processes takes most of the time of small tests. */
export function clusterForSuite<N, O extends object = object>(kind: string): ProcessCluster<N, O> {
  const cluster = new ProcessCluster<N, O>(kind)
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(cluster.transcript())
  })
  afterAll(() => cluster.dispose())
  return cluster
}

/** Nodes with membership and nothing more. */
export function membersForTest(
  options: ClusterOptions = {},
): Members<MemberNode, MemberNodeOptions> {
  return new Members(clusterForTest<MemberNode, MemberNodeOptions>('member', options))
}

/** Whole nodes. */
export function nodesForTest(): Members<EntityNode, EntityNodeOptions> {
  return new Members(clusterForTest<EntityNode, EntityNodeOptions>('entity'))
}

/** Plays a scenario of `npm run chaos` in a test, with quick settings, or with those that users get. */
export function play(scenario: Scenario, rounds: number, isQuick = true): Promise<Outcome> {
  const cluster = clusterForTest
  const over = new AbortController()
  onTestFinished(() => over.abort())
  return scenario.run({ rounds, isQuick, cluster, over: over.signal, say: () => undefined })
}
