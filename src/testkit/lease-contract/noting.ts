/** The part of the contract about the note beside a lease. */
import assert from 'node:assert/strict'
import type { LeaseNote } from '../../lease/index.ts'
import type { ContractProcess } from './contract-process.ts'
import type { AddLeaseTest } from './lease-contract.ts'

export function noting(check: AddLeaseTest): void {
  check('keeps a note that outlives every holder', async (scene) => {
    const [a, b] = [await scene.start('a'), await scene.start('b')]
    assert.equal(await noteOf(a).read(), undefined)
    assert.equal(await a.acquire(), true)
    assert.equal(await noteOf(a).write(bytes('one'), undefined), true)
    assert.equal(await a.lease().release(), true)
    assert.equal(await b.acquire(), true)
    assert.equal(await textOf(noteOf(b)), 'one')
    assert.equal(await textOf(noteOf(await scene.start('c'))), 'one')
    assert.equal(b.lease().checkLease(), true)
  })

  check('takes a note from one who knew what stood there before, held or not', async (scene) => {
    const [a, b] = [await scene.start('a'), await scene.start('b')]
    assert.equal(await a.acquire(), true)
    assert.equal(await noteOf(b).write(bytes('one'), undefined), true)
    assert.equal(await noteOf(a).write(bytes('late'), undefined), false)
    const seen = await noteOf(a).read()
    assert.equal(await noteOf(a).write(bytes('two'), seen?.revision), true)
    assert.equal(await noteOf(b).write(bytes('late'), seen?.revision), false)
    assert.equal(await textOf(noteOf(b)), 'two')
  })

  check('lets one of many write at once', async (scene) => {
    const owners = Array.from({ length: 8 }, (_, i) => `p${i}`)
    const processes = await Promise.all(owners.map((owner) => scene.start(owner)))
    const written = await Promise.all(
      processes.map((each, i) => noteOf(each).write(bytes(`p${i}`), undefined)),
    )
    assert.equal(written.filter(Boolean).length, 1)
    const [first] = processes
    assert.equal(await textOf(noteOf(first!)), owners[written.indexOf(true)])
  })

  check('keeps notes of different names apart, and 65,536 bytes of each', async (scene) => {
    const a = await scene.start('a')
    const large = new Uint8Array(65_536).fill(7)
    assert.equal(await noteOf(a, 'x').write(large, undefined), true)
    assert.equal(await noteOf(a, 'y').write(bytes('y'), undefined), true)
    assert.deepEqual(Buffer.from((await noteOf(a, 'x').read())!.bytes), Buffer.from(large))
    assert.equal(await textOf(noteOf(a, 'y')), 'y')
  })
}

function noteOf(asker: ContractProcess, name?: string): LeaseNote {
  const { note } = asker.lease(name)
  assert.ok(note !== undefined, 'these leases have a note')
  return note
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

async function textOf(note: LeaseNote): Promise<string | undefined> {
  const found = await note.read()
  return found && new TextDecoder().decode(found.bytes)
}
