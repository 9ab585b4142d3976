/** The part of the contract about durable states, for journals that keep them. */
import assert from 'node:assert/strict'
import type { Journal, StateWrite, StateWriteResult, StoredState } from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import {
  appendText,
  assertSameBytes,
  bytesOf,
  claimed,
  largeBytes,
  readTexts,
  textOf,
} from './journal-texts.ts'
import { statesOf } from './ports.ts'

const code = 'INVALID_JOURNAL_CALL'

interface StateWriter {
  readonly id: string
  readonly epoch: number
  /** The revision it expects. */
  readonly after: number
}

async function claimedState(journal: Journal, id: string, writer = 'writer'): Promise<StateWriter> {
  const { epoch, revision } = await statesOf(journal).claimState(id, writer)
  return { id, epoch, after: revision }
}

/** The next revision; undefined deletes. */
function write(
  journal: Journal,
  { id, epoch, after }: StateWriter,
  text: string | undefined,
  revision = after + 1,
): Promise<StateWriteResult> {
  const bytes = text === undefined ? undefined : bytesOf(text)
  const numbers = { epoch, expectedRevision: after, revision }
  return statesOf(journal).writeState({ persistenceId: id, ...numbers, bytes })
}

/** `revision text` or `revision deleted`; undefined when the id was never claimed. */
async function read(journal: Journal, id: string): Promise<string | undefined> {
  const state = await statesOf(journal).readState(id)
  return state && inWords(state)
}

const inWords = ({ revision, bytes }: Pick<StoredState, 'revision' | 'bytes'>): string =>
  `${revision} ${bytes === undefined ? 'deleted' : textOf(bytes)}`

const written = (revision: number): object => ({ type: 'StateWritten', revision })

export function states(check: AddTest): void {
  kept(check)
  deleted(check)
  fenced(check)
  conditions(check)
  inOrder(check)
  apart(check)
  large(check)
  refused(check)
  closing(check)
}

function kept(check: AddTest): void {
  check('keeps the newest state of an id, also when it is opened anew', async (on) => {
    assert.equal(await read(on.journal, 'a'), undefined)
    const first = await statesOf(on.journal).claimState('a', 'one')
    assert.deepEqual([first.revision, first.bytes], [0, undefined])
    assert.ok(first.epoch >= 1)
    assert.equal(await read(on.journal, 'a'), '0 deleted')
    const writer = { id: 'a', epoch: first.epoch, after: 0 }
    assert.deepEqual(await write(on.journal, writer, 'x'), written(1))
    assert.deepEqual(await write(on.journal, { ...writer, after: 1 }, ''), written(2))
    for (let round = 0; round < 2; round++) {
      const found = await statesOf(on.journal).readState('a')
      const { persistenceId, epoch, writer: by, revision, bytes } = found!
      const told = { persistenceId: 'a', epoch: first.epoch, by: 'one', revision: 2 }
      assert.deepEqual({ persistenceId, epoch, by, revision }, told)
      // Nothing in it is another thing than nothing.
      assert.equal(bytes?.byteLength, 0)
      await on.reopen()
    }
    const second = await statesOf(on.journal).claimState('a', 'two')
    assert.ok(second.epoch > first.epoch)
    assert.equal(inWords(second), '2 ')
  })

  check('gives claims of a state made at once different epochs', async ({ journal }) => {
    const claims = Array.from({ length: 50 }, () => statesOf(journal).claimState('a', 'w'))
    const epochs = (await Promise.all(claims)).map(({ epoch }) => epoch)
    assert.equal(new Set(epochs).size, 50)
  })

  check('hands out bytes of a state that nobody else has, and keeps none', async ({ journal }) => {
    const { epoch } = await claimedState(journal, 'a')
    const mine = bytesOf('text')
    const numbers = { epoch, expectedRevision: 0, revision: 1 }
    await statesOf(journal).writeState({ persistenceId: 'a', ...numbers, bytes: mine })
    mine.fill(0)
    const found = await statesOf(journal).readState('a')
    found?.bytes?.fill(0)
    const claim = await statesOf(journal).claimState('a', 'w')
    assert.equal(inWords(claim), '1 text')
    claim.bytes?.fill(0)
    assert.equal(await read(journal, 'a'), '1 text')
  })
}

function deleted(check: AddTest): void {
  check('keeps epoch and revision of a state that was deleted', async (on) => {
    let writer = await claimedState(on.journal, 'a')
    await write(on.journal, writer, 'x')
    assert.deepEqual(await write(on.journal, { ...writer, after: 1 }, undefined), written(2))
    for (let round = 0; round < 2; round++) {
      assert.equal(await read(on.journal, 'a'), '2 deleted')
      await on.reopen()
    }
    const { epoch } = writer
    writer = await claimedState(on.journal, 'a')
    assert.ok(writer.epoch > epoch && writer.after === 2)
    const stale = { type: 'RevisionConflict', revision: 2 }
    assert.deepEqual(await write(on.journal, { ...writer, after: 0 }, 'again'), stale)
    assert.deepEqual(await write(on.journal, writer, 'y'), written(3))
    // A deletion may leave the revision where it is, and a state may not.
    assert.deepEqual(await write(on.journal, { ...writer, after: 3 }, undefined, 3), written(3))
    assert.equal(await read(on.journal, 'a'), '3 deleted')
    assert.deepEqual(await write(on.journal, { ...writer, after: 3 }, undefined), written(4))
    await assert.rejects(write(on.journal, { ...writer, after: 4 }, 'z', 4), { code })
    await on.reopen()
    assert.equal(await read(on.journal, 'a'), '4 deleted')
  })
}

function fenced(check: AddTest): void {
  check('refuses a writer whose state was claimed by another, and says by whom', async (on) => {
    const old = await claimedState(on.journal, 'a')
    await write(on.journal, old, 'mine')
    const { epoch: byEpoch } = await statesOf(on.journal).claimState('a', 'the new one')
    const refusal = { type: 'Fenced', byEpoch, byWriter: 'the new one' }
    for (let round = 0; round < 2; round++) {
      for (const after of [0, 1, 2]) {
        assert.deepEqual(await write(on.journal, { ...old, after }, 'late'), refusal)
        assert.deepEqual(await write(on.journal, { ...old, after }, undefined), refusal)
      }
      assert.equal(await read(on.journal, 'a'), '1 mine')
      await on.reopen()
    }
    const next = { id: 'a', epoch: byEpoch, after: 1 }
    await write(on.journal, next, undefined)
    // What was deleted fences as it did.
    assert.deepEqual(await write(on.journal, { ...old, after: 2 }, 'late'), refusal)
  })

  check('writes no state under an epoch that was never given out', async ({ journal }) => {
    const writer = await claimedState(journal, 'a')
    const bad = write(journal, { ...writer, epoch: writer.epoch + 1 }, 'x')
    const good = write(journal, writer, 'y')
    await assert.rejects(bad, { code })
    assert.deepEqual(await good, written(1))
    await assert.rejects(write(journal, { id: 'nobody', epoch: 1, after: 0 }, 'x'), { code })
    assert.equal(await read(journal, 'nobody'), undefined)
  })
}

function conditions(check: AddTest): void {
  check('refuses a state that follows another revision than the last one', async ({ journal }) => {
    const writer = await claimedState(journal, 'a')
    const none = { type: 'RevisionConflict', revision: 0 }
    assert.deepEqual(await write(journal, { ...writer, after: 1 }, 'x'), none)
    await write(journal, writer, 'x')
    // Those in between were never stored.
    assert.deepEqual(await write(journal, { ...writer, after: 1 }, 'y', 5), written(5))
    const stale = { type: 'RevisionConflict', revision: 5 }
    for (const after of [0, 1, 4, 6]) {
      assert.deepEqual(await write(journal, { ...writer, after }, 'stale', 9), stale)
      assert.deepEqual(await write(journal, { ...writer, after }, undefined, 9), stale)
    }
    assert.equal(await read(journal, 'a'), '5 y')
  })
}

function inOrder(check: AddTest): void {
  check('takes states of one id in the order of the calls, without waiting', async (on) => {
    const writer = await claimedState(on.journal, 'a')
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, after) =>
        write(on.journal, { ...writer, after }, `${after}`),
      ),
    )
    assert.ok(results.every(({ type }) => type === 'StateWritten'))
    assert.equal(await read(on.journal, 'a'), '200 199')
    const mixed = await Promise.all([
      write(on.journal, { ...writer, after: 200 }, undefined),
      write(on.journal, { ...writer, after: 200 }, 'wrong'),
      write(on.journal, { ...writer, after: 201 }, 'right'),
    ])
    const types = mixed.map(({ type }) => type)
    assert.deepEqual(types, ['StateWritten', 'RevisionConflict', 'StateWritten'])
    await on.reopen()
    assert.equal(await read(on.journal, 'a'), '202 right')
  })

  check('serves 256 writers of states at once', async (on) => {
    const ids = Array.from({ length: 256 }, (_, i) => `Account|${i}`)
    await Promise.all(
      ids.map(async (id) => {
        const writer = await claimedState(on.journal, id)
        for (let after = 0; after < 5; after++) {
          await write(on.journal, { ...writer, after }, `${id} ${after}`)
        }
      }),
    )
    await on.reopen()
    for (const id of ids) assert.equal(await read(on.journal, id), `5 ${id} 4`)
  })
}

function apart(check: AddTest): void {
  check('keeps a state apart from a stream of the same id', async (on) => {
    const stream = await claimed(on.journal, 'a')
    const state = await claimedState(on.journal, 'a')
    await claimedState(on.journal, 'a')
    await appendText(on.journal, stream, 'event')
    const next = await claimedState(on.journal, 'a')
    assert.equal((await write(on.journal, state, 'late')).type, 'Fenced')
    assert.deepEqual(await write(on.journal, next, 'state'), written(1))
    assert.equal((await appendText(on.journal, { ...stream, after: 1 }, 'more')).type, 'Appended')
    await on.reopen()
    assert.deepEqual(await readTexts(on.journal, 'a'), ['event', 'more'])
    assert.equal(await read(on.journal, 'a'), '1 state')
    assert.equal(await on.journal.highestSequenceNr('a'), 2)
  })
}

function large(check: AddTest): void {
  check('keeps a state of 8 MB, byte by byte', async (on) => {
    const { epoch } = await claimedState(on.journal, 'a')
    const sizes = [8 * 1_048_576, 3, 100_000]
    for (const [expectedRevision, size] of sizes.entries()) {
      const numbers = { epoch, expectedRevision, revision: expectedRevision + 1 }
      const bytes = largeBytes(size)
      await statesOf(on.journal).writeState({ persistenceId: 'a', ...numbers, bytes })
      await on.reopen()
      assertSameBytes((await statesOf(on.journal).readState('a'))?.bytes, largeBytes(size))
    }
  })

  check('refuses a state that is too large', async (on) => {
    await on.reopen({ stateBytesMax: 10 })
    const writer = await claimedState(on.journal, 'a')
    const refusal = { code: 'STATE_TOO_LARGE', bytes: 11, persistenceId: 'a' }
    await assert.rejects(write(on.journal, writer, 'x'.repeat(11)), refusal)
    assert.deepEqual(await write(on.journal, writer, 'x'.repeat(10)), written(1))
  })
}

function refused(check: AddTest): void {
  check('refuses numbers, bytes and writers that no state has', async ({ journal }) => {
    const { epoch } = await claimedState(journal, 'a')
    const good: StateWrite = {
      ...{ persistenceId: 'a', epoch, expectedRevision: 0, revision: 1, bytes: bytesOf('x') },
    }
    for (const number of [-1, 0.5, NaN, 2 ** 53]) {
      for (const name of ['epoch', 'expectedRevision', 'revision']) {
        await assert.rejects(statesOf(journal).writeState({ ...good, [name]: number }), { code })
      }
    }
    for (const part of [
      { revision: 0 },
      { expectedRevision: 2, revision: 1, bytes: undefined },
      { bytes: 'x' as unknown as Uint8Array },
      { bytes: null as unknown as undefined },
    ]) {
      await assert.rejects(statesOf(journal).writeState({ ...good, ...part }), { code })
    }
    await assert.rejects(statesOf(journal).claimState('a', 'w'.repeat(257)), { code })
    assert.equal(await read(journal, 'a'), '0 deleted')
  })
}

function closing(check: AddTest): void {
  check('settles states under way when it is closed, and takes no more', async (on) => {
    const { journal } = on
    const writer = await claimedState(journal, 'a')
    const writing = [0, 1, 2].map((after) => write(journal, { ...writer, after }, `${after}`))
    await on.reopen()
    assert.ok((await Promise.all(writing)).every(({ type }) => type === 'StateWritten'))
    assert.equal(await read(on.journal, 'a'), '3 2')
    const closed = { code: 'JOURNAL_CLOSED' }
    await assert.rejects(write(journal, { ...writer, after: 3 }, 'x'), closed)
    await assert.rejects(read(journal, 'a'), closed)
    await assert.rejects(statesOf(journal).claimState('a', 'w'), closed)
  })
}
