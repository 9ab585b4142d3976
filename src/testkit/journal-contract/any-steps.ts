/** Any sequence of calls and reopenings does to a journal what it does to a few maps and lists, over all ports that it has. */
import assert from 'node:assert/strict'
import {
  deletesEvents,
  hasRegisters,
  hasSnapshots,
  isSliceReader,
  type Journal,
  keepsStates,
  listsIds,
} from '../../persistence/index.ts'
import { SteadyRandom } from '../steady-random.ts'
import { AnyStateSteps } from './any-state-steps.ts'
import { AnyStreamSteps } from './any-stream-steps.ts'
import type { AddTest } from './journal-contract.ts'
import { bytesOf, inNumbers, readAll, textOf } from './journal-texts.ts'
import { ModelStore } from './model-store.ts'
import type { OpenedJournal } from './opened-journal.ts'

const runs = 10
const stepsPerRun = 30

export function anySteps(check: AddTest): void {
  for (const part of [1, 2, 3, 4]) {
    check(`does what maps of lists would do, whatever is asked of it (${part})`, async (on) => {
      const random = new SteadyRandom(`part ${part}`)
      const model = new ModelStore()
      for (let run = 0; run < runs; run++) await takeSteps(on, random, { model, run: `${run}` })
      await assertSame(on.journal, model)
      await on.reopen()
      await assertSame(on.journal, model)
    })
  }
}

async function takeSteps(
  on: OpenedJournal,
  random: SteadyRandom,
  { model, run }: { readonly model: ModelStore; readonly run: string },
): Promise<void> {
  const streams = new AnyStreamSteps(on, random, model)
  const states = new AnyStateSteps(on, random, model)
  for (let step = 0; step < stepsPerRun; step++) {
    const { journal } = on
    const id = `${run}-${random.below(4)}`
    const kind = random.below(40)
    if (kind === 0) await on.reopen()
    else if (kind < 8 && keepsStates(journal)) await states.step(id, `${run}.${step}`)
    else if (kind < 10 && hasRegisters(journal)) await writeRegister(journal, random, model)
    else if (kind < 15 && deletesEvents(journal)) await streams.delete(id, `${step}`)
    else if (kind < 22 && hasSnapshots(journal)) await streams.snapshot(id, `${run}.${step}`)
    else if (kind < 30) await streams.claim(id)
    else await streams.append(id, `${step}`)
  }
}

async function writeRegister(
  journal: Journal,
  random: SteadyRandom,
  { registers }: ModelStore,
): Promise<void> {
  assert.ok(hasRegisters(journal))
  const name = `r${random.below(3)}`
  const { revision = 0 } = registers.get(name) ?? {}
  const expectedRevision = Math.max(0, revision - (random.below(4) === 0 ? 1 : 0))
  const text = `${random.below(1_000)}`
  const write = { name, expectedRevision, bytes: bytesOf(text) }
  const result = await journal.writeRegister(write)
  const isTaken = expectedRevision === revision
  assert.equal(result.type, isTaken ? 'RegisterWritten' : 'RegisterChanged')
  if (isTaken) registers.set(name, { revision: revision + 1, text })
}

async function assertSame(
  journal: Journal,
  { streams, states, registers }: ModelStore,
): Promise<void> {
  for (const [id, stream] of streams) {
    assert.deepEqual(await inNumbers(journal, id), stream.inNumbers)
    assert.equal(await journal.highestSequenceNr(id), stream.highest)
  }
  if (isSliceReader(journal)) {
    const count = [...streams.values()].reduce((sum, { texts }) => sum + texts.length, 0)
    assert.equal((await readAll(journal)).length, count)
  }
  for (const [id, { revision, text, epochs }] of states) {
    assert.ok(keepsStates(journal))
    const found = await journal.readState(id)
    const expected = epochs.length === 0 ? undefined : revision
    assert.deepEqual([found?.revision, found?.bytes && textOf(found.bytes)], [expected, text])
  }
  for (const [name, { revision, text }] of registers) {
    assert.ok(hasRegisters(journal))
    const found = await journal.readRegister(name)
    assert.deepEqual([found?.revision, found && textOf(found.bytes)], [revision, text])
  }
  if (!listsIds(journal)) return
  for (const [kind, known] of [['events', streams] as const, ['states', states] as const]) {
    const { ids } = await journal.listIds({ kind, idsMax: 1_000 })
    const claimed = [...known].filter(([, { epochs }]) => epochs.length > 0)
    assert.deepEqual(ids, claimed.map(([id]) => id).sort())
  }
}
