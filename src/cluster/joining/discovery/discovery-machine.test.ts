import { describe, expect, test } from 'vitest'
import { type Address, nodeIdOf } from '../../../foundation/node-id.ts'
import { defaultClusterSettings } from '../../cluster-settings.ts'
import type { DiscoveryEffect, DiscoveryInput } from './discovery-inputs.ts'
import { DiscoveryMachine } from './discovery-machine.ts'

const { discoveryStillMs, seedRetryIntervalMs } = defaultClusterSettings
const idOf = (address: Address) => nodeIdOf(address, 7n)

/** A node that looks for others, at its own pace. */
class Seeker {
  readonly machine: DiscoveryMachine
  now = 0
  /** What it was told by the discovery last. */
  answer: readonly Address[] | Error = []
  /** Who answers it, and for whom they stand. */
  words: Readonly<Record<Address, Address | undefined>> = {}
  contacts: readonly Address[] = []
  elections = 0

  constructor(self: Address = 'a:1', requiredNodes = 2) {
    const settings = defaultClusterSettings
    this.machine = new DiscoveryMachine({ self: idOf(self), settings, name: 'shop', requiredNodes })
    this.give({ type: 'Begin' })
  }

  give(input: DiscoveryInput): readonly DiscoveryEffect[] {
    const effects = this.machine.step(input, this.now)
    for (const effect of effects) {
      if (effect.type === 'Contacts') this.contacts = effect.addresses
      if (effect.type === 'Elected') this.elections += 1
      if (effect.type === 'LookUp') this.#lookUp(effect.number)
    }
    return effects
  }

  /** For whom this node stands, as somebody who asks it hears. */
  get word(): Address | undefined {
    const [effect] = this.give({ type: 'InitJoin', from: idOf('x:1'), agreement: {} })
    return effect?.type === 'Send' ? effect.message.founder : undefined
  }

  /** Asks its contacts and ticks, as long as that. */
  run(ms: number): this {
    for (const end = this.now + ms; this.now < end;) {
      this.now += seedRetryIntervalMs / 2
      for (const address of this.contacts) this.hear(address)
      this.give({ type: 'Tick' })
    }
    return this
  }

  hear(address: Address): void {
    if (!(address in this.words)) return
    const founder = this.words[address]
    this.give({ type: 'InitJoinNack', from: idOf(address), isEnding: false, founder })
  }

  refuse(address: Address, times: number): void {
    const text = 'refused the connection'
    for (let time = 0; time < times; time++) {
      this.give({ type: 'NotConnected', address, isRefused: true, text })
    }
  }

  get troubles(): string {
    return this.machine.snapshot().troubles.join('; ')
  }

  #lookUp(number: number): void {
    const { answer } = this
    if (answer instanceof Error) {
      this.give({ type: 'NotDiscovered', number, problem: answer.message })
    } else this.give({ type: 'Discovered', number, addresses: answer })
  }
}

/** One that found all, and hears the word of all others for it. */
function found(answer: readonly Address[], requiredNodes = 2, self: Address = 'a:1'): Seeker {
  const seeker = new Seeker(self, requiredNodes)
  seeker.answer = answer
  seeker.words = Object.fromEntries(answer.map((address) => [address, self]))
  return seeker
}

const longEnough = discoveryStillMs + 2_000

describe('DiscoveryMachine', () => {
  test('asks everybody that was found for a cluster, and not itself', () => {
    const seeker = found(['a:1', 'b:1', 'c:1']).run(1_500)
    expect(seeker.contacts).toEqual(['b:1', 'c:1'])
  })

  test('the lowest founds, when the answer has not changed for a while and enough take it for the founder', () => {
    const seeker = found(['a:1', 'b:1', 'c:1'])
    seeker.run(discoveryStillMs)
    expect(seeker.elections).toBe(0)
    expect(seeker.troubles).toContain('has changed its answer of late')
    seeker.run(2_000)
    expect(seeker.elections).toBeGreaterThan(0)
    expect(seeker.troubles).toBe('')
  })

  test('nobody else does, and all take the lowest for the founder', () => {
    const seeker = found(['a:1', 'b:1', 'c:1'], 2, 'b:1').run(longEnough)
    expect(seeker.elections).toBe(0)
    expect(seeker.word).toBe('a:1')
    expect(seeker.troubles).toBe('a:1 is to found the cluster, and has not yet')
  })

  test('not with fewer nodes than are required, however long it takes', () => {
    const seeker = found(['a:1', 'b:1'], 3).run(10 * longEnough)
    expect(seeker.elections).toBe(0)
    expect(seeker.troubles).toContain('shop names a:1, b:1; 3 nodes must have found each other')
  })

  test('alone where one node is enough', () => {
    expect(found(['a:1'], 1).run(longEnough).elections).toBeGreaterThan(0)
  })

  test('it must be found itself: nobody would find it', () => {
    const seeker = found(['b:1', 'c:1']).run(longEnough)
    expect(seeker.elections).toBe(0)
    expect(seeker.contacts).toEqual(['b:1', 'c:1'])
    expect(seeker.troubles).toContain('shop does not name this node, a:1')
  })
})

describe('answers that differ between nodes', () => {
  test('a node that has found a lower one does not stand for this one: nobody founds on its word', () => {
    const seeker = found(['b:1', 'c:1'], 2, 'b:1')
    seeker.words = { 'c:1': 'a:1' }
    seeker.run(longEnough)
    expect(seeker.elections).toBe(0)
    expect(seeker.troubles).toContain('with 1 of the 2 nodes that must have found it')
  })

  test('two who do not know of each other never both have the word of a third', () => {
    const [a, b] = [found(['a:1', 'c:1'], 2, 'a:1'), found(['b:1', 'c:1'], 2, 'b:1')]
    const third = new Seeker('c:1')
    const elected: Address[] = []
    for (let round = 0; round < 200; round++) {
      // What the third is told swings to and fro.
      third.answer = round % 40 < 20 ? ['b:1', 'c:1'] : ['a:1', 'b:1', 'c:1']
      third.run(250)
      for (const [address, seeker] of [
        ['a:1', a],
        ['b:1', b],
      ] as const) {
        seeker.words = { 'c:1': third.word }
        const before = seeker.elections
        seeker.run(250)
        if (seeker.elections > before) elected.push(address)
      }
      const now = new Set(elected.splice(0))
      expect(now.size).toBeLessThan(2)
    }
    expect(a.elections + b.elections).toBeGreaterThan(0)
  })

  test('one that has given its word stays with it for a while, and gives none in between', () => {
    const seeker = new Seeker('c:1')
    seeker.answer = ['b:1', 'c:1']
    seeker.run(1_500)
    expect(seeker.word).toBe('b:1')
    seeker.answer = ['a:1', 'b:1', 'c:1']
    seeker.run(1_500)
    expect(seeker.word).toBeUndefined()
    seeker.run(2_000)
    expect(seeker.word).toBe('a:1')
  })

  test('its own word is one, too: who has just stood for another does not found', () => {
    const seeker = found(['b:1', 'c:1'], 2, 'b:1').run(longEnough - 500)
    const before = seeker.elections
    seeker.answer = ['a:1', 'b:1', 'c:1']
    seeker.run(6_000)
    expect(seeker.word).toBe('a:1')
    seeker.elections = 0
    seeker.refuse('a:1', 3)
    seeker.give({ type: 'Tick' })
    expect(seeker.elections).toBe(0)
    seeker.run(4_000)
    expect(seeker.elections).toBeGreaterThan(0)
    expect(before).toBeGreaterThan(0)
  })
})

describe('answers that are empty, late, wrong or change', () => {
  test('an empty one names nobody: there is nobody to ask, and nothing is founded', () => {
    const seeker = found([]).run(longEnough)
    expect(seeker.contacts).toEqual([])
    expect(seeker.elections).toBe(0)
    expect(seeker.troubles).toContain('shop names nobody')
  })

  test('after an error those who were found are asked on, and nothing is founded on old news', () => {
    const seeker = found(['a:1', 'b:1', 'c:1']).run(discoveryStillMs - 1_000)
    seeker.answer = new Error('SERVFAIL')
    seeker.run(longEnough)
    expect(seeker.contacts).toEqual(['b:1', 'c:1'])
    expect(seeker.elections).toBe(0)
    expect(seeker.word).toBeUndefined()
    expect(seeker.troubles).toBe('shop cannot be looked up: SERVFAIL')
    seeker.answer = ['a:1', 'b:1', 'c:1']
    seeker.run(discoveryStillMs)
    expect(seeker.elections).toBe(0)
    seeker.run(2_000)
    expect(seeker.elections).toBeGreaterThan(0)
  })

  test('an answer that keeps changing elects nobody, until it rests', () => {
    const seeker = found(['a:1', 'b:1', 'c:1'])
    for (let round = 0; round < 10; round++) {
      seeker.answer = round % 2 === 0 ? ['a:1', 'b:1'] : ['a:1', 'b:1', 'c:1']
      seeker.run(discoveryStillMs / 2)
    }
    expect(seeker.elections).toBe(0)
    seeker.run(longEnough)
    expect(seeker.elections).toBeGreaterThan(0)
  })

  test('one that comes too late counts no more, and a look-up without any is tried again', () => {
    const settings = defaultClusterSettings
    const machine = new DiscoveryMachine({
      ...{ self: idOf('a:1'), settings, name: 'shop', requiredNodes: 1 },
    })
    expect(machine.step({ type: 'Begin' }, 0)).toEqual([{ type: 'LookUp', number: 1 }])
    expect(machine.step({ type: 'Tick' }, settings.discoveryIntervalMs)).toEqual([])
    const late = settings.discoveryTimeoutMs
    expect(machine.step({ type: 'Tick' }, late)).toEqual([{ type: 'LookUp', number: 2 }])
    expect(machine.snapshot().troubles[0]).toContain('has not answered in time')
    machine.step({ type: 'Discovered', number: 1, addresses: ['z:1'] }, late + 1)
    expect(machine.snapshot().found).toEqual([])
    machine.step({ type: 'Discovered', number: 2, addresses: ['a:1'] }, late + 2)
    expect(machine.snapshot().found).toEqual(['a:1'])
  })

  test('one that was found and says nothing may be in a cluster: nobody founds another one', () => {
    const seeker = found(['a:1', 'b:1', 'c:1'])
    seeker.words = { 'b:1': 'a:1' }
    seeker.run(10 * longEnough)
    expect(seeker.elections).toBe(0)
    expect(seeker.troubles).toContain('c:1 may be in one: it is found, and has not said')
    seeker.answer = ['a:1', 'b:1']
    seeker.run(longEnough)
    expect(seeker.elections).toBeGreaterThan(0)
  })

  test('where nobody listens there is no cluster; and the next founds when that is the lowest', () => {
    const seeker = found(['a:1', 'b:1', 'c:1'], 2, 'b:1')
    seeker.words = { 'c:1': 'b:1' }
    seeker.run(longEnough)
    seeker.refuse('a:1', 2)
    expect(seeker.run(500).elections).toBe(0)
    seeker.refuse('a:1', 1)
    expect(seeker.run(10_000).elections).toBeGreaterThan(0)
  })

  test('a word that is old does not count: who gave it may be in a cluster by now', () => {
    const seeker = found(['a:1', 'b:1']).run(discoveryStillMs - 2_000)
    seeker.words = {}
    seeker.run(longEnough)
    expect(seeker.elections).toBe(0)
  })

  test('when there is a cluster nothing more is looked up, and nobody elected', () => {
    const seeker = found(['a:1', 'b:1'])
    seeker.give({ type: 'Over' })
    seeker.run(longEnough)
    expect(seeker.elections).toBe(0)
    expect(seeker.machine.snapshot().phase).toBe('over')
  })
})

test('of very many only some are asked at a time, and all in turn; who would found asks all', () => {
  const many = Array.from({ length: 100 }, (_, index) => `n${String(index).padStart(3, '0')}:1`)
  const seeker = new Seeker('n050:1', 60)
  seeker.answer = many
  const asked = new Set<Address>()
  for (let round = 0; round < 30; round++) {
    seeker.run(1_000)
    expect(seeker.contacts.length).toBeLessThanOrEqual(16)
    for (const address of seeker.contacts) asked.add(address)
  }
  expect(asked.size).toBe(99)
  expect(found(many, 60, 'n000:1').run(1_500).contacts).toHaveLength(99)
})
