import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WriteEffect, WriteInput } from './write-pipeline-inputs.ts'
import { WritePipelineMachine } from './write-pipeline-machine.ts'

const bytes = (count: number): Uint8Array[] => Array.from({ length: count }, () => new Uint8Array())
const handled = (held: string, events: number): WriteInput<string> => ({
  type: 'CommandHandled',
  events: bytes(events),
  held,
})
const ended = { type: 'TurnEnded' } as const
const appended = (batch: number) => ({ type: 'Appended', batch }) as const
const failed = (batch: number) => ({ type: 'Failed', batch, cause: 'full' }) as const
const fenced = (batch: number) => ({ type: 'Fenced', batch, byWriter: 'b', byEpoch: 2 }) as const
const unknown = (batch: number) => ({ type: 'Unknown', batch, cause: 'lost' }) as const
const release = (...held: string[]) => ({ type: 'Release', held }) as const

describe('WritePipelineMachine', () => {
  const steps = (
    machine: WritePipelineMachine<string>,
    ...inputs: WriteInput<string>[]
  ): WriteEffect<string>[] => inputs.flatMap((input) => machine.step(input))
  const words = (effects: readonly WriteEffect<string>[]): string[] =>
    effects.map((effect) => {
      if (effect.type === 'Append') {
        return `append ${effect.batch} after ${effect.expectedSequenceNr}: ${effect.events.length}`
      }
      return 'held' in effect ? `${effect.type} ${effect.held.join('')}` : effect.type
    })
  const machineWith = (...inputs: WriteInput<string>[]): WritePipelineMachine<string> => {
    const machine = new WritePipelineMachine<string>(7, 4)
    for (const input of inputs) machine.step(input)
    return machine
  }

  test('lets commands of one turn share one append, and appends follow each other at once', () => {
    const effects = steps(
      machineWith(),
      handled('a', 1),
      handled('b', 2),
      ended,
      handled('c', 1),
      ended,
    )
    expect(words(effects)).toEqual(['append 1 after 7: 3', 'append 2 after 10: 1'])
  })

  test('appends before the turn ends when the batch is full, and never divides a command', () => {
    const effects = steps(machineWith(), handled('a', 3), handled('b', 2), handled('c', 2), ended)
    expect(words(effects)).toEqual(['append 1 after 7: 3', 'append 2 after 10: 4'])
  })

  test('deletes in a batch of its own, behind what came before; what comes after waits for it', () => {
    const machine = machineWith()
    const deletes = (held: string, events: number): WriteInput<string> => ({
      ...{ type: 'CommandHandled', events: bytes(events), held, deletes: true },
    })
    const first = steps(machine, handled('a', 2), deletes('d', 0), ended)
    expect(words(first)).toEqual(['append 1 after 7: 2', 'append 2 after 9: 0'])
    expect(first.map((effect) => effect.type === 'Append' && effect.deletes)).toEqual([false, true])
    expect(machine.isDeleting).toBe(true)
    // It takes no number: a write behind it would be accepted although it failed.
    expect(() => machine.step(handled('b', 1))).toThrow('before a deletion is answered')
    expect(machine.step(appended(2))).toEqual([])
    expect(machine.isDeleting).toBe(false)
    expect(machine.step(appended(1))).toEqual([release('a'), release('d')])
    const second = steps(machine, handled('b', 1), deletes('e', 1), ended)
    expect(words(second)).toEqual(['append 3 after 9: 1', 'append 4 after 10: 1'])
    expect(words(machine.step(failed(4)))).toEqual(['Discard e'])
    expect(words(machine.step(appended(3)))).toEqual(['Release b', 'Stop'])
  })

  test('holds what has no events until those before it are stored', () => {
    const machine = machineWith()
    expect(machine.step(handled('read', 0))).toEqual([release('read')])
    steps(machine, handled('a', 1), handled('read', 0), ended, handled('late', 0))
    expect(machine.heldCount).toBe(3)
    expect(machine.step(appended(1))).toEqual([release('a', 'read', 'late')])
    expect(machine.isIdle).toBe(true)
  })

  test('releases in the order of handling, in whatever order the journal answers', () => {
    const machine = machineWith(handled('a', 1), ended, handled('b', 1), ended)
    expect(machine.step(appended(2))).toEqual([])
    expect(machine.step(appended(1))).toEqual([release('a'), release('b')])
  })

  test('discards everything from a failed write on, and stops once those before it are stored', () => {
    for (const end of [failed(2), fenced(2)]) {
      const machine = machineWith(handled('a', 1), ended, handled('b', 1), ended, handled('c', 0))
      steps(machine, handled('d', 1), ended, handled('e', 1))
      expect(machine.step(end)).toEqual([
        { type: 'Discard', held: ['b', 'c', 'd', 'e'], because: end },
      ])
      expect(words(steps(machine, ended, appended(3), failed(3)))).toEqual([])
      expect(machine.step(appended(1))).toEqual([release('a'), { type: 'Stop', because: end }])
    }
  })

  test('says nothing more once the outcome of a write is unknown', () => {
    const machine = machineWith(handled('a', 1), ended, handled('b', 1), ended)
    expect(words(machine.step(unknown(2)))).toEqual(['Discard ab', 'Stop'])
    expect(steps(machine, appended(1), appended(2), unknown(1), ended)).toEqual([])
  })

  test('ignores answers that were given before, and those to nothing', () => {
    const machine = machineWith(handled('a', 1), ended, handled('b', 1), ended, appended(1))
    expect(steps(machine, appended(1), failed(1), unknown(1), appended(9), fenced(0))).toEqual([])
    expect(machine.step(appended(2))).toEqual([release('b')])
  })

  test('discards what is under way when it is given up', () => {
    const machine = machineWith(handled('a', 1), ended, handled('b', 1))
    expect(words(machine.step({ type: 'GivenUp', cause: 'gone' }))).toEqual(['Discard ab', 'Stop'])
    expect(machineWith().step({ type: 'GivenUp', cause: 'gone' })).toEqual([])
  })

  test('refuses commands after a failed write', () => {
    const machine = machineWith(handled('a', 1), ended, failed(1))
    expect(() => machine.step(handled('b', 1))).toThrow('no command is handled after')
  })
})

/** What the journal holds, and what left the entity, as simply as it can be said. */
class Model {
  readonly machine = new WritePipelineMachine<number>(0, 5)
  readonly inFlight: { batch: number; expected: number; count: number }[] = []
  readonly handledAt: number[] = []
  handledEvents = 0
  stored = 0
  /** Batches that were refused, or may have been: nothing after them is stored. */
  isBroken = false
  released = 0
  readonly discarded = new Set<number>()
  hasStopped = false
  hasFailed = false
  appendedEvents = 0

  step(input: WriteInput<number>): void {
    for (const effect of this.machine.step(input)) this.perform(effect)
  }

  perform(effect: WriteEffect<number>): void {
    expect(this.hasStopped, 'nothing happens after the stop').toBe(false)
    switch (effect.type) {
      case 'Append':
        expect(effect.expectedSequenceNr).toBe(this.appendedEvents)
        expect(effect.events.length).toBeGreaterThan(0)
        this.appendedEvents += effect.events.length
        this.inFlight.push({
          batch: effect.batch,
          expected: effect.expectedSequenceNr,
          count: effect.events.length,
        })
        break
      case 'Release':
        for (const command of effect.held) {
          expect(command, 'in the order of handling').toBe(this.released++)
          expect(this.stored, 'after its events').toBeGreaterThanOrEqual(this.handledAt[command]!)
        }
        break
      case 'Discard':
        this.hasFailed = true
        for (const command of effect.held) {
          expect(this.discarded.has(command), 'once').toBe(false)
          expect(command).toBeGreaterThanOrEqual(this.released)
          this.discarded.add(command)
        }
        break
      case 'Stop':
        this.hasStopped = true
    }
  }

  handle(events: number): void {
    if (this.hasFailed) return
    this.handledEvents += events
    this.handledAt.push(this.handledEvents)
    this.step({
      type: 'CommandHandled',
      events: bytes(events),
      held: this.handledAt.length - 1,
    })
  }

  /** The journal decides in order, and answers one of those under way. */
  answer(index: number, kind: 'Appended' | 'Failed' | 'Fenced' | 'Unknown'): void {
    if (this.inFlight.length === 0) return
    const picked = this.inFlight[index % this.inFlight.length]!
    // A later append is stored only if all before it are.
    const kindNow = kind === 'Appended' && this.isBroken ? 'Failed' : kind
    if (kindNow === 'Appended') this.stored = Math.max(this.stored, picked.expected + picked.count)
    else this.isBroken = true
    this.inFlight.splice(this.inFlight.indexOf(picked), 1)
    const { batch } = picked
    if (kindNow === 'Appended') this.step({ type: 'Appended', batch })
    else if (kindNow === 'Fenced') this.step(fenced(batch))
    else if (kindNow === 'Failed') this.step(failed(batch))
    else this.step(unknown(batch))
  }

  settle(): void {
    this.step({ type: 'TurnEnded' })
    while (this.inFlight.length > 0) this.answer(0, 'Appended')
    expect(this.released + this.discarded.size).toBe(this.handledAt.length)
    expect(this.machine.isIdle).toBe(true)
    expect(this.machine.heldCount).toBe(0)
    expect(this.hasStopped).toBe(this.hasFailed)
  }
}

test('what is held is released after its events or discarded, once, whatever the journal does', () => {
  const kind = fc.oneof(
    { weight: 8, arbitrary: fc.constant('Appended' as const) },
    { weight: 1, arbitrary: fc.constantFrom('Failed' as const, 'Fenced' as const) },
    { weight: 1, arbitrary: fc.constant('Unknown' as const) },
  )
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.nat(5).map((n) => (model: Model) => model.handle(n)) },
    { weight: 2, arbitrary: fc.constant((model: Model) => model.step({ type: 'TurnEnded' })) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.nat(7), kind).map(
        ([index, how]) =>
          (model: Model) =>
            model.answer(index, how),
      ),
    },
  )
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const model = new Model()
      for (const act of actions) act(model)
      model.settle()
    }),
    { numRuns: 3_000 },
  )
})
