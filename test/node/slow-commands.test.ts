/** What becomes of a command that takes long when its entity has to stop, and of those that share its shard. */
import { describe, expect, test } from 'vitest'
import { DeadLetter } from '../../src/actor/index.ts'
import { type CallError, defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { shardOf } from '../../src/sharding/internals.ts'
import {
  ClusterChecks,
  simulate,
  type Simulation,
  startSimulatedNode,
} from '../../src/simulation/index.ts'

const numberOfShards = 2
let fired: (id: string) => void = () => undefined
const sleepers = new Map<string, () => void>()

const commands = {
  ping: () => 'here',
  /** Ends when it is told to. */
  obey: (self: { readonly id: string; readonly signal: AbortSignal }) =>
    new Promise<never>((_, reject) => {
      self.signal.addEventListener('abort', () => {
        fired(self.id)
        reject(new Error('told to end'))
      })
    }),
  /** Does not listen, and ends when nobody is interested any more. */
  ignore: (self: { readonly id: string; readonly signal: AbortSignal }) => {
    self.signal.addEventListener('abort', () => fired(self.id))
    return new Promise<string>((resolve) => sleepers.set(self.id, () => resolve('late')))
  },
}
const Plain = defineEntity('Plain', { numberOfShards, state: () => 0, commands })
const Durable = defineEntity('Durable', {
  ...{ numberOfShards, state: () => 0, commands, events: { Done: () => 1 } },
})
type Kind = typeof Plain | typeof Durable

/** One id per shard with this beginning. */
function idsOf(beginning: string): readonly string[] {
  const ids: string[] = []
  for (let number = 0; ids.filter(Boolean).length < numberOfShards; number++) {
    const id = `${beginning}-${number}`
    ids[shardOf(id, numberOfShards)] ??= id
  }
  return ids
}

const slowIds = idsOf('slow')
const neighbours = idsOf('neighbour')

/** The value, or what was thrown. */
function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.catch((thrown: unknown) => thrown)
}

interface Gap {
  readonly sinceMs: number
  readonly forMs: number
}

/** The longest first. */
function byLength(one: Gap, other: Gap): number {
  return other.forMs - one.forMs
}

interface Ended {
  readonly error: CallError
  readonly atMs: number
}

class Stage {
  readonly simulation: Simulation
  readonly kind: Kind
  readonly firedAtMs = new Map<string, number>()
  readonly #checks: ClusterChecks

  constructor(simulation: Simulation, kind: Kind) {
    this.simulation = simulation
    this.kind = kind
    this.#checks = new ClusterChecks(simulation)
    fired = (id) => this.firedAtMs.set(id, simulation.now)
  }

  start(name: string, entities: readonly Kind[] = [this.kind]): Promise<SherdNode> {
    const options = {
      ...(entities.length > 0 ? { entities } : { proxies: [this.kind] }),
      ...(name !== 'a' && { seeds: ['a:2552'] }),
      beforeJoin: (...life: Parameters<ClusterChecks['attach']>) => this.#checks.attach(...life),
    }
    return this.simulation.settle(startSimulatedNode(this.simulation, name, options))
  }

  /** The node a has all shards, and c, which hosts nothing, calls them. */
  async begin(command: 'obey' | 'ignore') {
    const a = await this.start('a')
    const c = await this.start('c', [])
    for (const id of [...neighbours, ...slowIds]) {
      await this.simulation.settle(this.handle(c, id).ping())
    }
    const ended = slowIds.map((id) => this.#ended(this.handle(c, id)[command]()))
    await this.simulation.run({ for: '1s' })
    return { a, c, ended }
  }

  handle(node: SherdNode, id: string) {
    return node.entity(this.kind, id, { timeout: '90s' })
  }

  async #ended(call: Promise<unknown>): Promise<Ended> {
    const error = (await outcome(call)) as CallError
    return { error, atMs: this.simulation.now }
  }

  /** How long each neighbour was away at most while this was going on, and when that began. */
  async gapsDuring(node: SherdNode, ended: Promise<unknown>) {
    const watch = { isOver: false }
    const watched = neighbours.map(async (id) => {
      let last = this.simulation.now
      let longest: Gap = { sinceMs: last, forMs: 0 }
      while (!watch.isOver) {
        await this.handle(node, id).ping()
        const forMs = this.simulation.now - last
        if (forMs > longest.forMs) longest = { sinceMs: last, forMs }
        last = this.simulation.now
        await new Promise<void>((resolve) => this.simulation.after('20ms', resolve))
      }
      return longest
    })
    await this.simulation.settle(ended, { within: '60s' })
    await this.simulation.run({ for: '3s' })
    watch.isOver = true
    return this.simulation.settle(Promise.all(watched))
  }
}

async function play(kind: Kind, story: (stage: Stage) => Promise<void>): Promise<void> {
  await simulate('slow commands', {
    seeds: 3,
    scenario: (simulation) => story(new Stage(simulation, kind)),
  })
}

describe.each([Plain, Durable])('$name: a shard moves to a new node', (kind) => {
  test('and a command that listens ends with the grace: its neighbour is soon there again', () =>
    play(kind, async (stage) => {
      const { c, ended } = await stage.begin('obey')
      await stage.start('b')
      const first = Promise.race(ended)
      const [longest] = (await stage.gapsDuring(c, first)).sort(byLength)
      const { error, atMs } = await first
      expect(error.code).toBe('COMMAND_FAILED')
      expect(error.message).toContain('told to end')
      expect(stage.firedAtMs.size).toBe(1)
      const [firedAtMs = 0] = stage.firedAtMs.values()
      expect(firedAtMs - longest!.sinceMs).toBeGreaterThanOrEqual(3_000)
      expect(atMs - longest!.sinceMs).toBeLessThan(3_500)
      expect(longest!.forMs).toBeLessThan(4_000)
    }))

  test('and a command that does not listen is cut off: its caller hears so, and its neighbour is there again', () =>
    play(kind, async (stage) => {
      const { a, c, ended } = await stage.begin('ignore')
      const behind = slowIds.map((id) => outcome(stage.handle(c, id).ping()))
      const lost: DeadLetter[] = []
      for (const { system } of [a, c])
        system.eventStream.subscribe(DeadLetter, (letter) => void lost.push(letter))
      await stage.start('b')
      const first = Promise.race(ended)
      const [longest, other] = (await stage.gapsDuring(c, first)).sort(byLength)
      const { error, atMs } = await first
      expect(error).toMatchObject({ code: 'COMMAND_CUT_OFF', mayHaveHappened: true })
      const [firedAtMs = 0] = stage.firedAtMs.values()
      expect(firedAtMs - longest!.sinceMs).toBeLessThan(3_500)
      expect(atMs - longest!.sinceMs).toBeLessThan(10_500)
      expect(longest!.forMs).toBeLessThan(11_000)
      expect(other!.forMs).toBeLessThan(500)
      const waited = await stage.simulation.settle(Promise.race(behind))
      expect(waited).toMatchObject({ code: 'ENTITY_UNAVAILABLE', mayHaveHappened: false })
      lost.length = 0
      sleepers.get(error.id)?.()
      await stage.simulation.run({ for: '1s' })
      expect(lost).toEqual([])
      expect(await stage.simulation.settle(stage.handle(c, error.id).ping())).toBe('here')
    }))
})

describe.each([Plain, Durable])('$name: the node of an entity stops', (kind) => {
  test.each(['obey', 'ignore'] as const)('while it is at %s: a remote caller hears so', (command) =>
    play(kind, async (stage) => {
      const { a, ended } = await stage.begin(command)
      await stage.start('b')
      const beganMs = stage.simulation.now
      await stage.simulation.settle(a.stop())
      const all = await stage.simulation.settle(Promise.all(ended), { within: '1s' })
      const code = command === 'obey' ? 'COMMAND_FAILED' : 'COMMAND_CUT_OFF'
      expect(all.map(({ error }) => error.code)).toEqual([code, code])
      for (const { atMs } of all)
        expect(atMs - beganMs).toBeLessThan(command === 'obey' ? 4_000 : 10_000)
    }),
  )

  test('and it is alone: a caller on it hears so as well', () =>
    play(kind, async (stage) => {
      const a = await stage.start('a')
      const [id] = slowIds as [string]
      const called = outcome(stage.handle(a, id).ignore())
      await stage.simulation.run({ for: '1s' })
      const beganMs = stage.simulation.now
      await stage.simulation.settle(a.stop())
      // The calls of a node are given five seconds before its shards are handed over.
      expect(stage.firedAtMs.get(id)! - beganMs).toBeCloseTo(8_000)
      expect(await called).toMatchObject({ code: 'COMMAND_CUT_OFF', mayHaveHappened: true })
    }))
})
