/** The part of the contract about how leases end: given back, outlived, and what follows. */
import assert from 'node:assert/strict'
import { comesWithin, realMs } from '../patience.ts'
import type { ContractProcess } from './contract-process.ts'
import type { AddLeaseTest } from './lease-contract.ts'

export function ending(check: AddLeaseTest): void {
  givingBack(check)
  outliving(check)
}

function givingBack(check: AddLeaseTest): void {
  check('gives a lease that was given back to the next at once', async (scene) => {
    const [a, b] = [await scene.start('a'), await scene.start('b')]
    assert.equal(await a.acquire(), true)
    const releasing = a.lease().release()
    assert.equal(a.lease().checkLease(), false)
    assert.equal(await releasing, true)
    assert.equal(await a.lease().release(), false)
    assert.equal(await b.acquire(), true)
    assert.equal(await a.acquire(), false)
    assert.equal(await a.lease().release(), false)
    assert.equal(b.lease().checkLease(), true)
    assert.deepEqual(a.losses, [])
  })

  check('makes the token grow with every grant, whoever gets it', async (scene) => {
    const processes = [await scene.start('a'), await scene.start('b')]
    const tokens: number[] = []
    for (let round = 0; round < 3; round++) {
      for (const each of processes) {
        assert.equal(await each.acquire(), true)
        tokens.push(each.lease().fenceToken ?? NaN)
        assert.equal(await each.lease().release(), true)
      }
    }
    assert.ok(
      tokens.every((token, i) => i === 0 || token > (tokens[i - 1] ?? NaN)),
      `${tokens} do not grow`,
    )
  })

  check('answers what is asked at once in the order of the calls', async (scene) => {
    const a = await scene.start('a')
    const asked = [a.acquire(), a.lease().release(), a.lease().release(), a.acquire()]
    assert.deepEqual((await Promise.all(asked)).slice(0, 2), [true, true])
    assert.equal(await asked[3], true)
    assert.equal(a.lease().checkLease(), true)
  })
}

function outliving(check: AddLeaseTest): void {
  check('lets nobody else in as long as the holder renews', async (scene) => {
    const [a, b] = [await scene.start('a'), await scene.start('b')]
    assert.equal(await a.acquire(), true)
    const untilMs = realMs() + 1.5 * scene.ttlMs
    while (realMs() < untilMs) {
      assert.equal(await b.acquire(), false)
      await comesWithin(scene.ttlMs / 20, new Promise(() => {}))
    }
    assert.equal(a.lease().checkLease(), true)
    assert.deepEqual(a.losses, [])
  })

  check(
    'lets another in when the holder has vanished, and not before it is over',
    async (scene) => {
      const [a, b] = [await scene.start('a'), await scene.start('b')]
      assert.equal(await a.acquire(), true)
      const token = a.lease().fenceToken ?? NaN
      a.vanish()
      await untilAcquired(b, () => a.lease().checkLease())
      assert.equal(a.lease().checkLease(), false)
      assert.ok((b.lease().fenceToken ?? NaN) > token)
      // The one that vanished comes back: it hears that it is another's.
      assert.equal(await a.acquire(), false)
      assert.equal(a.losses.length, 1)
      assert.equal(a.losses[0]?.reason, 'expired')
    },
  )
}

async function untilAcquired(waiter: ContractProcess, isHeld: () => boolean): Promise<void> {
  while (!(await waiter.acquire())) await comesWithin(20, new Promise(() => {}))
  assert.equal(isHeld(), false, 'nobody else may think that it holds the lease')
}
