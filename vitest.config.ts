/**
 * How tests run. `vitest run` is short, and all that `npm test` asks for; `vitest run --mode full` runs every file, and in
 * many of them more cases (test/how-long.ts).
 */
import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

/** What changes the process it runs in. */
const alone = [
  'test/actor/{escaped-errors,run-loop,many-timeouts}.test.ts',
  'test/cluster/waking-up.test.ts',
  'src/foundation/{console-logger,event-loop-dispatcher,system-*,timer-wheel-backlog}.test.ts',
  'src/testkit/{node-test,patience}.test.ts',
  'scripts/*.test.ts',
]

/** Processes, stores, sockets, real time. */
const real = [
  'test/{cli,processes,contracts,docs,node,postgres,remote}/**',
  'test/{cluster,singleton}/{cl-*,cluster-log,joining-trouble,quarantine,strangers,sg-*,shell}.test.ts',
  'test/entity/{mailbox-full,mistakes,slips,waited-for}.test.ts',
  'test/persistence/{failing-writes,idle,incomplete-reads,pipelining,pt-*,recovery}.test.ts',
  'test/sharding/tcp.test.ts',
  'src/persistence/journals/{lmdb-*,stopped-writer}.test.ts',
]

/** Simulations, and networks of machines: many steps, no waiting. */
const virtual = [
  'test/{simulation,scenarios,machines,cluster,singleton,sharding}/**',
  'test/persistence/fighting-instances.test.ts',
  'examples/auction/rehearsal.full.test.ts',
]

const tests = (folders: readonly string[]): string[] =>
  folders.map((folder) => folder.replace(/\*\*$/, '**/*.test.ts'))

export default defineConfig(({ mode }) => {
  const isFull = mode === 'full'
  const left = isFull ? [] : ['**/*.full.test.ts']
  const project = (
    name: string,
    { include, exclude, isolate }: Record<'include' | 'exclude', string[]> & { isolate: boolean },
  ): TestProjectInlineConfiguration => ({
    extends: true,
    test: {
      name,
      isolate,
      include,
      exclude: ['**/node_modules/**', ...left, ...exclude],
      // Here and not below: what a project extends is read once more, without the mode.
      env: { SHERD_TESTS: isFull ? 'full' : 'short' },
      testTimeout: isFull ? 300_000 : 60_000,
      ...(name !== 'pure' && { globalSetup: 'test/compile.ts' }),
    },
  })
  const everywhere = ['{src,test,scripts,bench,examples}/**/*.test.ts']
  return {
    test: {
      environment: 'node',
      // In processes, so that a crash ends one of them and not the run.
      pool: 'forks',
      // One more than cores: those of real time wait for much of theirs.
      maxWorkers: availableParallelism() + 1,
      sequence: { sequencer: LongestFirst },
      hookTimeout: 60_000,
      // A test that passes the second time is a finding, not a pass.
      retry: 0,
      reporters: ['default'],
      projects: [
        // All files of a process share its modules, so none may keep or change anything there. To load them anew for each
        // file took a quarter of the whole time.
        project('pure', {
          include: everywhere,
          exclude: tests([...alone, ...real, ...virtual]),
          isolate: false,
        }),
        project('virtual', {
          include: tests(virtual),
          exclude: tests([...alone, ...real]),
          isolate: false,
        }),
        project('real', { include: tests(real), exclude: tests(alone), isolate: false }),
        project('alone', { include: tests(alone), exclude: [], isolate: true }),
      ],
    },
  }
})
