import { describe, expect, test } from 'vitest'
import { HandOffMachine } from './hand-off-machine.ts'

describe('HandOffMachine', () => {
  const placement = { shard: 7, home: 'a', epoch: 5, term: 2, turn: 9 }
  const begin = () => {
    const machine = new HandOffMachine(placement, ['a', 'b', 'c'])
    machine.step({ type: 'Begun' })
    return machine
  }
  const ack = (region: string, turn = 9) =>
    ({ type: 'BeginHandOffAck', shard: 7, epoch: 5, term: 2, turn, region }) as const
  const stopped = (region: string, epoch = 5) =>
    ({ type: 'ShardStopped', shard: 7, epoch, region }) as const
  const handOff = { type: 'Send', to: 'a', message: { type: 'HandOff', ...placement } }

  test('tells the home to stop only after every region stopped routing', () => {
    const machine = begin()
    expect(machine.step(ack('a'))).toEqual([])
    expect(machine.step(ack('b'))).toEqual([])
    expect(machine.step(ack('c'))).toEqual([handOff])
    expect(machine.step(stopped('a'))).toEqual([{ type: 'Finish', moved: true }])
  })

  test('does not take the late answer to an earlier attempt for its own', () => {
    const machine = begin()
    for (const region of ['a', 'b', 'c']) expect(machine.step(ack(region, 8))).toEqual([])
    expect(machine.snapshot().unacked).toEqual(['a', 'b', 'c'])
  })

  test('does not wait for a region that was removed', () => {
    const machine = begin()
    machine.step(ack('a'))
    machine.step(ack('b'))
    expect(machine.step({ type: 'RegionRemoved', region: 'c' })).toEqual([handOff])
  })

  test('counts the shard as moved when its home was removed', () => {
    const finish = [{ type: 'Finish', moved: true }]
    expect(begin().step({ type: 'RegionRemoved', region: 'a' })).toEqual(finish)
  })

  test('B03 ignores that the shard stopped somewhere else, or in another life', () => {
    const machine = begin()
    expect(machine.step(stopped('b'))).toEqual([])
    expect(machine.step(stopped('a', 4))).toEqual([])
  })

  test('ends at once when an earlier attempt has stopped this very life', () => {
    expect(begin().step(stopped('a'))).toEqual([{ type: 'Finish', moved: true }])
  })

  test('repeats itself to whoever has had time and has not answered', () => {
    const machine = begin()
    machine.step(ack('a'))
    const to = (effects: ReturnType<typeof machine.step>) =>
      effects.map((effect) => (effect.type === 'Send' ? effect.to : effect.type))
    expect(machine.step({ type: 'Repeat' })).toEqual([])
    expect(to(machine.step({ type: 'Repeat' }))).toEqual(['b', 'c'])
    machine.step(ack('b'))
    expect(machine.step(ack('c'))).toEqual([handOff])
    expect(machine.step({ type: 'Repeat' })).toEqual([])
    expect(machine.step({ type: 'Repeat' })).toEqual([handOff])
  })

  test('leaves the shard in place when time runs out, and then ignores everything', () => {
    const machine = begin()
    expect(machine.step({ type: 'TimedOut' })).toEqual([{ type: 'Finish', moved: false }])
    expect(machine.step(ack('a'))).toEqual([])
    expect(machine.step(stopped('a'))).toEqual([])
  })
})
