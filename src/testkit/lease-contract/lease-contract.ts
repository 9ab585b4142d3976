/**
 * What every lease promises, wherever it is kept, as tests for any runner that has `describe` and `test`:
 *
 *   import { describe, test } from 'node:test' // or from 'vitest'
 *   leaseContract({ describe, test }, {
 *     name: 'leases on etcd',
 *     newStore: async () => {
 *       const etcd = await newEtcd()
 *       return { open: () => etcdLeases(etcd.url), remove: () => etcd.stop() }
 *     },
 *   })
 *
 * It runs in real time. An implementation renews by the timers of its environment: so the tests can let a holder vanish.
 */
import assert from 'node:assert/strict'
import { type LeaseImplementation, Leases } from '../../lease/index.ts'
import type { TestFunctions } from '../journal-contract/journal-contract.ts'
import { comesWithin } from '../patience.ts'
import { ContractProcess } from './contract-process.ts'
import { ending } from './ending.ts'
import { holding } from './holding.ts'
import { noting } from './noting.ts'

/** A kind of leases, and how the tests come to stores for it. */
export interface LeasesUnderTest {
  readonly name: string
  /** Of the leases in the tests; 2,000 when not given. A store that is slow to answer needs more. */
  readonly ttlMs?: number
  /** Whether each lease has a note beside it, and keeps the promises of that. */
  readonly hasNote?: boolean
  /** An empty store, for one test. */
  readonly newStore: () => LeaseStoreUnderTest | Promise<LeaseStoreUnderTest>
}

/** Where leases are kept. */
export interface LeaseStoreUnderTest {
  /** Called once for each of several processes that share the store. */
  open(): LeaseImplementation | Promise<LeaseImplementation>
  remove?(): Promise<void>
}

/** What a test of the contract has. */
export interface LeaseScene {
  readonly ttlMs: number
  /** As if it were another process; it owns leases by this name. */
  start(owner: string): Promise<ContractProcess>
}

/** Registers a test that has a store of its own. */
export type AddLeaseTest = (name: string, body: (scene: LeaseScene) => Promise<void>) => void

/** Of one test. A lease that never answers fails it, also where the runner would wait forever. */
const patienceMs = 60_000

/** Registers the tests; the runner runs them. */
export function leaseContract(
  { describe, test }: TestFunctions,
  { name: ofLeases, ttlMs = 2_000, hasNote = false, newStore }: LeasesUnderTest,
): void {
  const check: AddLeaseTest = (name, body) => {
    test(name, async () => {
      const work = onStore(await newStore(), ttlMs, body)
      const settled = work.catch(() => undefined)
      const isOver = await comesWithin(patienceMs, settled)
      assert.ok(isOver, `the test is not over within ${patienceMs} ms`)
      await work
    })
  }
  describe(`${ofLeases} keep the promises of leases`, () => {
    holding(check)
    ending(check)
    if (hasNote) noting(check)
  })
}

async function onStore(
  store: LeaseStoreUnderTest,
  ttlMs: number,
  body: (scene: LeaseScene) => Promise<void>,
): Promise<void> {
  const processes: ContractProcess[] = []
  const settings = { ttlMs, renewIntervalMs: ttlMs / 10, operationTimeoutMs: ttlMs / 2.5 }
  const start = async (owner: string): Promise<ContractProcess> => {
    const implementations = { tested: await store.open() }
    const started = new ContractProcess(
      (environment) => new Leases({ owner, implementations, settings, environment }),
    )
    processes.push(started)
    return started
  }
  try {
    await body({ ttlMs, start })
  } finally {
    for (const each of processes) each.vanish()
    await store.remove?.()
  }
}
