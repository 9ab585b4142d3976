import { describe, expect, test } from 'vitest'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { MachineNetwork, type MachineNode, newcomer } from './network.ts'

type Input = { readonly type: 'Word'; readonly text: string } | { readonly type: 'TimerFired' }

const networkOf = (seed: number, latencyMs?: readonly [number, number]) =>
  new MachineNetwork({ random: new SeededRandom(seed, 'network'), latencyMs })

/** A node that remembers what it was given, and when. */
function nodeOf(name: string) {
  const heard: string[] = []
  const node: MachineNode<Input, never, 'alarm'> = {
    ...newcomer<'alarm'>(),
    id: name,
    machine: {
      step: (input, now) => {
        heard.push(`${input.type === 'Word' ? input.text : 'alarm'} at ${now}`)
        return []
      },
    },
    act: () => {},
  }
  return { node, heard }
}

/** Sends `count` letters on each of two links, and tells what arrived. */
function exchange(network: MachineNetwork, count: number, loss = 0): string[] {
  const arrived: string[] = []
  for (let n = 0; n < count; n++) {
    for (const from of ['a', 'b']) {
      const message = { type: `${from}${n}` }
      const [arrive, lose] = ['', 'lost '].map((how) => () => arrived.push(how + message.type))
      network.send({ from, to: 'c', message, arrive: arrive!, lose: lose!, loss })
    }
  }
  return arrived
}

const of = (link: string, arrived: readonly string[]) =>
  arrived.filter((letter) => letter.startsWith(link))

describe('a network of machines', () => {
  test.each([[[1, 500] as const], [undefined]])('links keep order, by time and by chance', (ms) => {
    const mixtures = new Set<string>()
    for (let seed = 1; seed <= 20; seed++) {
      const network = networkOf(seed, ms)
      const arrived = exchange(network, 3)
      network.run(500)
      while (network.deliverAny());
      expect(of('a', arrived)).toEqual(['a0', 'a1', 'a2'])
      expect(of('b', arrived)).toEqual(['b0', 'b1', 'b2'])
      mixtures.add(arrived.join())
    }
    // Of the 20 orders there are.
    expect(mixtures.size).toBeGreaterThan(5)
  })

  test('what is cut off, drawn to be lost or flushed never arrives, and its sender can tell', () => {
    const network = networkOf(1, [5, 5])
    network.cut(['a'], ['c'])
    expect(exchange(network, 1, 1)).toEqual(['lost a0', 'lost b0'])
    network.heal()
    const arrived = exchange(network, 2)
    network.flush('a', 'c', '')
    network.run(10)
    expect(arrived).toEqual(['lost a0', 'lost a1', 'b0', 'b1'])
  })

  test('a timer fires once, unless it is started again or its node dies', () => {
    const network = networkOf(1, [0, 0])
    const [restarted, dead] = [nodeOf('a'), nodeOf('b')]
    network.startTimer(restarted.node, 'alarm', 10)
    network.startTimer(dead.node, 'alarm', 10)
    network.run(5)
    network.startTimer(restarted.node, 'alarm', 10)
    network.crash(dead.node)
    network.run(50)
    expect([restarted.heard, dead.heard]).toEqual([['alarm at 15'], []])
  })

  test('who sleeps hears everything when it wakes up, and the dead hear nothing', () => {
    const network = networkOf(1, [0, 0])
    const { node, heard } = nodeOf('a')
    network.sleep(node, 100)
    for (const text of ['one', 'two']) network.give(node, { type: 'Word', text })
    network.run(200)
    expect(heard).toEqual(['one at 100', 'two at 100'])
    network.crash(node)
    network.give(node, { type: 'Word', text: 'three' })
    expect(heard).toHaveLength(2)
  })

  test('a conversation without end is found out', () => {
    const network = networkOf(1, [0, 0])
    const say = (): void =>
      network.send({ from: 'a', to: 'b', message: { type: 'Again' }, arrive: say })
    say()
    expect(() => network.run(0)).toThrow(/never ends:\na -> b Again/)
  })
})
