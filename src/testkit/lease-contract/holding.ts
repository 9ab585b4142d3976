/** The part of the contract about who gets a lease. */
import assert from 'node:assert/strict'
import type { AddLeaseTest } from './lease-contract.ts'

export function holding(check: AddLeaseTest): void {
  check('gives a lease to one, and tells others that it is taken', async (scene) => {
    const [a, b] = [await scene.start('a'), await scene.start('b')]
    assert.equal(a.lease().checkLease(), false)
    assert.equal(a.lease().fenceToken, undefined)
    assert.equal(await a.acquire(), true)
    assert.equal(a.lease().checkLease(), true)
    assert.equal(typeof a.lease().fenceToken, 'number')
    assert.equal(await b.acquire(), false)
    assert.equal(b.lease().checkLease(), false)
    assert.equal(b.lease().fenceToken, undefined)
    assert.equal(a.lease().checkLease(), true)
  })

  check('gives a lease to one of many that ask at once', async (scene) => {
    const owners = Array.from({ length: 8 }, (_, i) => `p${i}`)
    const processes = await Promise.all(owners.map((owner) => scene.start(owner)))
    const results = await Promise.all(processes.map((each) => each.acquire()))
    assert.equal(results.filter(Boolean).length, 1)
    assert.deepEqual(
      processes.map((each) => each.lease().checkLease()),
      results,
    )
  })

  check('keeps leases of different names apart', async (scene) => {
    const [a, b] = [await scene.start('a'), await scene.start('b')]
    assert.deepEqual(await Promise.all([a.acquire('x'), b.acquire('y')]), [true, true])
    assert.deepEqual(await Promise.all([a.acquire('y'), b.acquire('x')]), [false, false])
  })

  check('gives it to its holder again, under the same token', async (scene) => {
    const a = await scene.start('a')
    assert.equal(await a.acquire(), true)
    const token = a.lease().fenceToken
    assert.deepEqual(await Promise.all([a.acquire(), a.acquire()]), [true, true])
    assert.equal(a.lease().fenceToken, token)
  })

  check('does not take two of the same owner for one', async (scene) => {
    const [a, again] = [await scene.start('a'), await scene.start('a')]
    assert.equal(await a.acquire(), true)
    assert.equal(await again.acquire(), false)
    assert.equal(a.lease().checkLease(), true)
  })

  check('takes names as they are', async (scene) => {
    const a = await scene.start('a')
    const names = ['a', 'A', 'a/b', "a'b", '%', '../a', 'é', 'e\u0301', '\u{1f600}']
    for (const name of names) assert.equal(await a.acquire(name), true, name)
    const b = await scene.start('b')
    for (const name of names) assert.equal(await b.acquire(name), false, name)
  })
}
