/**
 * The order in which test files run: those that take longest first, so that no core idles at the end while another is in
 * the middle of one. A file that is missing here costs nothing but time.
 */
import type { TestSequencer, TestSpecification } from 'vitest/node'

/** Those of processes and real time wait for much of their time; the many short files fill the gaps at the end. */
const projects: readonly string[] = ['real', 'virtual', 'pure']

/** The files of more than about five seconds. */
const longest: readonly string[] = [
  'test/docs/first-cluster.full.test.ts',
  'test/docs/examples.full.test.ts',
  'test/docs/snippets.full.test.ts',
  'test/contracts/lmdb-stopping.test.ts',
  'test/processes/partitions.test.ts',
  'test/processes/chaos.test.ts',
  'test/processes/sleeper.full.test.ts',
  'test/processes/founding-pause.full.test.ts',
  'test/node/woken-at-once.full.test.ts',
  'test/node/counter.test.ts',
  'test/processes/founding.test.ts',
  'test/contracts/own-journal.test.ts',
  'test/node/removed-node.test.ts',
  'test/docs/demo/unbalanced.full.test.ts',
  'test/processes/cl-membership.test.ts',
  'test/contracts/lmdb-processes.test.ts',
  'test/persistence/incomplete-reads.test.ts',
  'test/node/newcomer-errors.test.ts',
  'test/processes/sh-routing.test.ts',
  'test/cluster/cl-002-join-seeds.test.ts',
  'test/simulation/mutants.test.ts',
  'test/simulation/spine.test.ts',
  'test/simulation/founding.test.ts',
  'test/cluster/random-faults.test.ts',
  'test/simulation/deleting.test.ts',
  'test/sharding/sh-003-passivation.test.ts',
  'test/simulation/nesting.test.ts',
  'test/simulation/determinism.test.ts',
]

export class LongestFirst implements TestSequencer {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files.toSorted((a, b) => placeOf(a) - placeOf(b))
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }
}

function placeOf({ project, moduleId }: TestSpecification): number {
  const place = longest.findIndex((file) => moduleId.endsWith(file))
  return projects.indexOf(project.name) * 1_000 + (place < 0 ? longest.length : place)
}
