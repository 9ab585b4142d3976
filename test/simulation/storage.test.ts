import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { hasSnapshots, type Journal, keepsStates } from '../../src/persistence/index.ts'
import { Simulation } from '../../src/simulation/index.ts'
import { StateChecks, StoreChecks } from '../../src/simulation/internals.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const batch = (epoch: number, expectedSequenceNr: number, ...texts: string[]) => ({
  persistenceId: 'cart|1',
  epoch,
  expectedSequenceNr,
  events: texts.map(bytes),
})

const stored = (simulation: Simulation): string[] =>
  simulation.store.events('cart|1').map((event) => new TextDecoder().decode(event.bytes))

async function claimed(simulation: Simulation, journal: Journal) {
  return simulation.settle(journal.claim('cart|1', 'somebody'))
}

describe('the store of a simulation', () => {
  test('refuses a fault that it does not know, and what is no number', () => {
    const { store, network } = new Simulation({ seed: 1 })
    const misspelled: object = { failBefore: 1, latencyMeanMs: '5' }
    expect(() => store.setFaults(misspelled)).toThrow(
      /The faults of the store.*`failBefore` is not known; did you mean `failsBefore`\?.*latencyMeanMs must be a number/s,
    )
    expect(() => network.latency({ mean: 3 } as object)).toThrow(
      /`mean` is not known; did you mean `meanMs`\?/,
    )
    expect(() => network.configure({ giveUp: 0 } as object)).toThrow(/giveUp is not known; known: /)
    store.setFaults({ failsBefore: undefined } as object)
  })

  test('is one for all nodes, and fences them', async () => {
    const simulation = new Simulation({ seed: 1 })
    const [a, b] = [simulation.node('a').journal, simulation.node('b').journal]
    const first = await claimed(simulation, a)
    await simulation.settle(a.append(batch(first.epoch, 0, 'x')))
    const second = await claimed(simulation, b)
    expect(second.highestSequenceNr).toBe(1)
    expect(await simulation.settle(a.append(batch(first.epoch, 1, 'late')))).toMatchObject({
      type: 'Fenced',
    })
    await simulation.settle(b.append(batch(second.epoch, 1, 'y')))
    const read: string[] = []
    const range = { persistenceId: 'cart|1', fromSequenceNr: 1, toSequenceNr: 9 }
    await simulation.settle(
      a.read(range, (event) => read.push(new TextDecoder().decode(event.bytes))),
    )
    expect(read).toEqual(['x', 'y'])
    expect(simulation.store.accepted.map(({ writer }) => writer)).toEqual(['a#1', 'b#1'])
  })

  test('is held to the grants of those who claim', () => {
    const violations: string[] = []
    const checks = new StoreChecks((name, detail) => void violations.push(`${name}: ${detail}`))
    checks.granted('cart|1', { name: 'lease', token: 2 }, 'a#1')
    checks.granted('cart|2', { name: 'lease', token: 3 }, 'b#1')
    checks.granted('cart|1', { name: 'other', token: 1 }, 'a#1')
    checks.granted('cart|1', { name: 'lease', token: 3 }, 'b#1')
    expect(violations).toEqual([])
    checks.granted('cart|1', { name: 'lease', token: 2 }, 'a#1')
    expect(violations).toEqual([
      'nobody claims after a later grant: cart|1: a#1 claimed under token 2 of lease, and b#1 has claimed under 3',
    ])
  })

  test('keeps the order of writes under way', async () => {
    const simulation = new Simulation({ seed: 2 })
    const { journal } = simulation.node('a')
    const { epoch } = await claimed(simulation, journal)
    const texts = Array.from({ length: 50 }, (_, n) => `${n}`)
    const all = Promise.all(texts.map((text, n) => journal.append(batch(epoch, n, text))))
    await simulation.settle(all)
    expect(stored(simulation)).toEqual(texts)
  })

  test('fails before, and after, it has stored', async () => {
    const outcomes = new Set<string>()
    for (let seed = 1; seed <= 40; seed++) {
      const simulation = new Simulation({ seed })
      const { journal } = simulation.node('a')
      const { epoch } = await claimed(simulation, journal)
      simulation.store.setFaults({ failsBefore: 0.3, failsUnknown: 0.2 })
      const outcome = await simulation
        .settle(journal.append(batch(epoch, 0, 'x')))
        .catch((error: { code: string }) => error.code)
      const word = typeof outcome === 'string' ? outcome : outcome.type
      outcomes.add(`${word} ${stored(simulation).length}`)
    }
    expect([...outcomes].sort()).toEqual([
      'Appended 1',
      'JOURNAL_OUTCOME_UNKNOWN 0',
      'JOURNAL_OUTCOME_UNKNOWN 1',
      'JOURNAL_UNAVAILABLE 0',
    ])
  })

  test('may do what a node asked after the node has died', async () => {
    const outcomes = new Set<string>()
    for (let seed = 1; seed <= 20; seed++) {
      const simulation = new Simulation({ seed })
      const { journal } = simulation.node('a')
      const { epoch } = await claimed(simulation, journal)
      simulation.store.setFaults({ stallChance: 1, stallMaxMs: 1_000 })
      for (let n = 0; n < 3; n++) void journal.append(batch(epoch, n, `${n}`))
      simulation.crash('a')
      await simulation.run({ for: '10s' })
      outcomes.add(stored(simulation).join(''))
    }
    expect([...outcomes].sort()).toEqual(['', '0', '01', '012'])
  })

  test('refuses every write while its disk is full, loses nothing, and goes on', async () => {
    const simulation = new Simulation({ seed: 1 })
    const { journal } = simulation.node('a')
    assert(keepsStates(journal) && hasSnapshots(journal))
    const { epoch } = await claimed(simulation, journal)
    await simulation.settle(journal.append(batch(epoch, 0, 'x')))
    simulation.store.setDiskFull(true)
    const numbers = { persistenceId: 'cart|1', epoch, sequenceNr: 1, savedAtMs: 0 }
    const writes = [
      journal.append(batch(epoch, 1, 'y')),
      journal.claim('cart|2', 'somebody'),
      journal.saveSnapshot({ ...numbers, bytes: bytes('state') }),
      journal.claimState('cart|1', 'somebody'),
    ]
    const outcomes = await simulation.settle(Promise.allSettled(writes))
    const codes = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : outcome.status,
    )
    expect(codes).toEqual(writes.map(() => 'JOURNAL_UNAVAILABLE'))
    expect(stored(simulation)).toEqual(['x'])
    simulation.store.setDiskFull(false)
    const appended = await simulation.settle(journal.append(batch(epoch, 1, 'y')))
    expect(appended.type).toBe('Appended')
    expect(stored(simulation)).toEqual(['x', 'y'])
  })

  test('loses in a crash what it has not acknowledged, and nothing else', async () => {
    const outcomes = new Set<string>()
    for (let seed = 1; seed <= 20; seed++) {
      const simulation = new Simulation({ seed })
      const { journal } = simulation.node('a')
      assert(keepsStates(journal))
      const { epoch } = await claimed(simulation, journal)
      const state = await simulation.settle(journal.claimState('cart|1', 'somebody'))
      const write = (revision: number) =>
        journal.writeState({
          ...{ persistenceId: 'cart|1', epoch: state.epoch, expectedRevision: revision - 1 },
          ...{ revision, bytes: bytes(`${revision}`) },
        })
      simulation.store.setFaults({ latencyMeanMs: 10 })
      const acknowledged = { events: 0, revision: 0 }
      for (let n = 0; n < 3; n++) {
        void journal.append(batch(epoch, n, `${n}`)).then(
          () => acknowledged.events++,
          (error: { code: string }) => outcomes.add(error.code),
        )
        void write(n + 1).then(
          () => acknowledged.revision++,
          (error: { code: string }) => outcomes.add(error.code),
        )
      }
      await simulation.run({ for: 15 })
      simulation.store.crash('1s')
      await simulation.run({ for: 200 })
      const down = await claimed(simulation, journal).catch((error: unknown) => error)
      expect(down).toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
      await simulation.run({ for: '1s' })
      const claim = await claimed(simulation, journal)
      expect(claim.highestSequenceNr).toBe(stored(simulation).length)
      expect(claim.highestSequenceNr).toBeGreaterThanOrEqual(acknowledged.events)
      const { revision } = await simulation.settle(journal.claimState('cart|1', 'somebody'))
      expect(revision).toBeGreaterThanOrEqual(acknowledged.revision)
      outcomes.add(`${claim.highestSequenceNr} events`)
    }
    expect(outcomes).toContain('JOURNAL_OUTCOME_UNKNOWN')
    expect(outcomes).toContain('1 events')
  })
})

describe('the checks of a store', () => {
  const appended = { type: 'Appended', highestSequenceNr: 1 } as const

  function checked(story: (checks: StoreChecks) => void): string[] {
    const found: string[] = []
    story(new StoreChecks((name) => found.push(name)))
    return found
  }

  test('find a writer that was superseded', () => {
    expect(
      checked((checks) => {
        checks.claimed('cart|1', { epoch: 1, highestSequenceNr: 0 }, 'a#1')
        checks.claimed('cart|1', { epoch: 2, highestSequenceNr: 0 }, 'b#1')
        checks.appended(batch(1, 0, 'x'), appended, { by: 'a#1', timeMs: 0 })
      }),
    ).toEqual(['nobody writes after a later claim'])
  })

  test('find a deletion that is forgotten, and what a deletion has left behind', () => {
    const at = { by: 'a#1', timeMs: 0 }
    const event = (sequenceNr: number) => ({
      ...{ persistenceId: 'cart|1', sequenceNr, epoch: 1, tags: [], bytes: bytes('x') },
    })
    expect(
      checked((checks) => {
        checks.claimed('cart|1', { epoch: 1, highestSequenceNr: 0 }, 'a#1')
        checks.appended(batch(1, 0, 'x'), appended, at)
        checks.appended(batch(1, 1, 'y'), appended, { ...at, deletesEarlier: true })
        checks.left('cart|1', [event(2)])
        checks.left('cart|1', [event(1), event(2)])
        checks.left('cart|1', [])
        const claim = { epoch: 2, highestSequenceNr: 2 }
        checks.claimed('cart|1', { ...claim, deletedSequenceNr: 1, startSequenceNr: 1 }, 'b#1')
        checks.claimed('cart|1', { ...claim, epoch: 3 }, 'b#1')
        checks.appended(batch(3, 0, 'y'), appended, { by: 'b#1', timeMs: 0, deletesEarlier: true })
      }),
    ).toEqual([
      'what is deleted is gone, and nothing else',
      'what is deleted is gone, and nothing else',
      'a claim tells up to where events are deleted',
      'a claim tells where the present life began',
      'numbers are consecutive',
    ])
  })

  test('find a number that is written twice, and an epoch that two have', () => {
    expect(
      checked((checks) => {
        checks.claimed('cart|1', { epoch: 1, highestSequenceNr: 0 }, 'a#1')
        checks.appended(batch(1, 0, 'x'), appended, { by: 'a#1', timeMs: 0 })
        checks.appended(batch(1, 0, 'x'), appended, { by: 'a#1', timeMs: 1 })
        checks.appended(batch(1, 1, 'x'), appended, { by: 'b#1', timeMs: 1 })
        checks.claimed('cart|1', { epoch: 1, highestSequenceNr: 2 }, 'b#1')
      }),
    ).toEqual([
      'numbers are consecutive',
      'one accepted writer per sequence number',
      'every claim gets a greater epoch',
    ])
  })

  test('find snapshots of others, of former lives and of nothing, and events without one', () => {
    const snapshot = (epoch: number, sequenceNr: number) => ({
      ...{ persistenceId: 'cart|1', epoch, sequenceNr, savedAtMs: 5, bytes: bytes('state') },
    })
    const saved = { type: 'SnapshotSaved' } as const
    const gone = { type: 'SnapshotsDeleted' } as const
    const at = { by: 'a#1', timeMs: 0 }
    expect(
      checked((checks) => {
        checks.claimed('cart|1', { epoch: 1, highestSequenceNr: 0 }, 'a#1')
        checks.appended(batch(1, 0, 'x', 'y', 'z'), appended, at)
        checks.snapshotSaved(snapshot(1, 4), saved, 'a#1')
        checks.snapshotsDeleted({ ...snapshot(1, 0), ...range(4, 4) }, gone, 'a#1')
        checks.snapshotSaved(snapshot(1, 2), saved, 'a#1')
        const deleted = { type: 'EventsDeleted', deletedSequenceNr: 2 } as const
        checks.deletedTo({ persistenceId: 'cart|1', epoch: 1, toSequenceNr: 2 }, deleted, 'a#1')
        checks.snapshotsDeleted({ ...snapshot(1, 0), ...range(0, 9), savedUntilMs: 4 }, gone, 'a#1')
        checks.deletedTo({ persistenceId: 'cart|1', epoch: 1, toSequenceNr: 3 }, deleted, 'a#1')
        checks.appended(batch(1, 3, 'x'), appended, { ...at, deletesEarlier: true })
        checks.snapshotSaved(snapshot(1, 3), saved, 'a#1')
        const claim = { epoch: 2, highestSequenceNr: 4, deletedSequenceNr: 3, startSequenceNr: 3 }
        checks.claimed('cart|1', claim, 'b#1')
        checks.snapshotSaved(snapshot(1, 4), saved, 'a#1')
      }),
    ).toEqual([
      'a snapshot is of stored events of the present life',
      'what is deleted is in a snapshot that is kept',
      'a snapshot is of stored events of the present life',
      'nobody writes after a later claim',
    ])
  })

  test('find states that fall, that two have written, and that are forgotten', () => {
    const found: string[] = []
    const checks = new StateChecks((name) => found.push(name))
    const write = (epoch: number, expectedRevision: number, text?: string) => ({
      ...{ persistenceId: 'cart|1', epoch, expectedRevision, revision: expectedRevision + 1 },
      bytes: text === undefined ? undefined : bytes(text),
    })
    const written = { type: 'StateWritten', revision: 1 } as const
    checks.claimed('cart|1', { epoch: 1, revision: 0, bytes: undefined }, 'a#1')
    checks.written(write(1, 0, 'x'), written, 'a#1')
    checks.written(write(1, 1), written, 'a#1')
    expect(found).toEqual([])
    checks.claimed('cart|1', { epoch: 2, revision: 0, bytes: undefined }, 'b#1')
    checks.written(write(1, 2, 'y'), written, 'a#1')
    checks.written(write(2, 1, 'z'), written, 'b#1')
    checks.claimed('cart|1', { epoch: 2, revision: 2, bytes: bytes('z') }, 'c#1')
    expect(found).toEqual([
      'a claim tells the last state that was written',
      'nobody writes a state after a later claim',
      'one accepted writer per revision',
      'every claim of a state gets a greater epoch',
    ])
  })
})

const range = (fromSequenceNr: number, toSequenceNr: number) => ({ fromSequenceNr, toSequenceNr })
