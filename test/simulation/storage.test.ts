import { describe, expect, test } from 'vitest'
import type { Journal } from '../../src/persistence/index.ts'
import { Simulation } from '../../src/simulation/index.ts'
import { StoreChecks } from '../../src/simulation/internals.ts'

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
        checks.claimed('cart|1', { ...claim, deletedSequenceNr: 1 }, 'b#1')
        checks.claimed('cart|1', { ...claim, epoch: 3 }, 'b#1')
        checks.appended(batch(3, 0, 'y'), appended, { by: 'b#1', timeMs: 0, deletesEarlier: true })
      }),
    ).toEqual([
      'what is deleted is gone, and nothing else',
      'what is deleted is gone, and nothing else',
      'a claim tells up to where events are deleted',
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
})
