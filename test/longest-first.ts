/**
 * The order in which test files run: those that take longest first, so that no core idles at the end while another is in
 * the middle of one. A file that is missing here costs nothing but time.
 */
import type { TestSequencer, TestSpecification } from 'vitest/node'

/** Those of processes and real time wait for much of their time; the many short files fill the gaps at the end. */
const projects: readonly string[] = ['real', 'alone', 'virtual', 'pure']

/** The files of more than about five seconds. */
const longest: readonly string[] = [
  'test/docs/first-cluster.full.test.ts',
  'test/docs/examples.full.test.ts',
  'test/docs/snippets.full.test.ts',
  'test/processes/sleeper.full.test.ts',
  'test/processes/founding-pause.full.test.ts',
  'test/node/woken-at-once.full.test.ts',
  'test/docs/demo/unbalanced.full.test.ts',
  'test/simulation/mutants.test.ts',
  'test/postgres/contract-two-servers.test.ts',
  'test/processes/survivors.test.ts',
  'test/processes/chaos.test.ts',
  'test/simulation/spine.test.ts',
  'test/postgres/contract-one-server.test.ts',
  'test/node/counter.test.ts',
  'test/cluster/random-faults.test.ts',
  'test/simulation/founding.test.ts',
  'test/processes/cl-membership.test.ts',
  'test/contracts/lmdb-stopping.test.ts',
  'test/simulation/sharding.test.ts',
  'test/cluster/nearly-alone.test.ts',
  'test/cli/sherd.test.ts',
  'test/postgres/faults.test.ts',
  'test/node/removed-node.test.ts',
  'test/processes/founding.test.ts',
  'test/processes/partitions.test.ts',
  'test/contracts/leases.test.ts',
  'test/contracts/lmdb-journal.test.ts',
  'test/postgres/processes.test.ts',
  'test/contracts/memory-journal.test.ts',
  'test/contracts/own-journal.test.ts',
  'test/processes/remove-sharding-data.test.ts',
  'test/contracts/lmdb-overlays.test.ts',
  'test/node/leaving.test.ts',
  'test/postgres/leases.test.ts',
  'test/simulation/remembering.test.ts',
  'test/node/newcomer-errors.test.ts',
  'test/node/self.test.ts',
  'test/contracts/lmdb-processes.test.ts',
  'test/remote/rm-001-handshake.test.ts',
  'test/processes/sh-routing.test.ts',
  'test/processes/remembering.test.ts',
  'test/processes/leases.test.ts',
  'test/sharding/passivation/sh-055-regions.test.ts',
  'test/postgres/copy.test.ts',
  'test/persistence/incomplete-reads.test.ts',
  'test/postgres/opening.test.ts',
  'test/postgres/left-behind.test.ts',
  'test/docs/snippets.test.ts',
  'test/processes/rm-remoting.test.ts',
  'test/processes/proof-of-death.test.ts',
  'test/docs/examples.test.ts',
  'test/postgres/projections.test.ts',
  'test/sharding/sh-045-ends.test.ts',
  'test/cluster/gossip-lives.test.ts',
  'test/sharding/sh-029-remembering.test.ts',
  'test/node/misplaced-options.test.ts',
  'test/postgres/node.test.ts',
  'test/simulation/stores.test.ts',
  'test/cluster/cl-002-join-seeds.test.ts',
  'test/node/call-errors.test.ts',
  'test/simulation/simulate-command.test.ts',
  'test/cli/command-line.test.ts',
  'test/sharding/interleaving.test.ts',
  'test/simulation/projections.test.ts',
  'test/processes/sh-033-remembered.test.ts',
  'test/sharding/sh-005-crash.test.ts',
  'test/simulation/nesting.test.ts',
  'test/docs/api.test.ts',
  'test/simulation/splits.test.ts',
  'test/postgres/split-decisions.test.ts',
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
