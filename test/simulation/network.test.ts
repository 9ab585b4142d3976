import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import type { CloseReason, Connection, ConnectionHandler } from '../../src/remote/index.ts'
import { Remoting } from '../../src/remote/internals.ts'
import { Simulation, type SimulatedNode, simulate } from '../../src/simulation/index.ts'

interface Hello {
  readonly text: string
  readonly replyTo: ActorRef<string>
}

/** Answers every greeting with its number. */
const greeter = () => {
  let count = 0
  return Behaviors.receiveMessage<Hello>(({ text, replyTo }) => {
    replyTo.tell(`${text} ${++count}`)
    return Behaviors.same
  })
}

async function remotingOf(simulation: Simulation, node: SimulatedNode): Promise<Remoting> {
  return simulation.settle(
    Remoting.start({
      system: node.system,
      transport: node.transport,
      clusterName: 'test',
      bind: { host: node.name, port: 2552 },
      insecure: true,
      settings: { reconnectMinMs: 20, reconnectMaxMs: 200 },
    }),
  )
}

async function greeted(simulation: Simulation, remoting: Remoting): Promise<string> {
  const ref = remoting.refTo('sherd://b@b:2552/user/greeter') as ActorRef<Hello>
  return simulation.settle(
    ref.ask<string>((replyTo) => ({ text: 'hello', replyTo }), { timeout: '5s' }),
  )
}

/** What one end of a connection has heard. */
class Ear implements ConnectionHandler {
  text = ''
  isOpen = false
  reason: CloseReason | undefined

  opened(): void {
    this.isOpen = true
  }
  received(bytes: Buffer): void {
    this.text += bytes.toString()
  }
  drained(): void {}
  ready(): void {}
  closed(reason: CloseReason): void {
    expect(this.reason).toBeUndefined()
    this.reason = reason
  }
}

/** A connection from a to b that stands. */
async function line(seed: number) {
  const simulation = new Simulation({ seed })
  const [a, b] = [simulation.node('a'), simulation.node('b')]
  const [near, far] = [new Ear(), new Ear()]
  let accepted: Connection | undefined
  await b.transport.listen({ host: 'b', port: 1 }, (connection) => {
    accepted = connection
    return far
  })
  const connection = a.transport.connect({ host: 'b', port: 1 }, near, { timeoutMs: 1_000 })
  await simulation.runUntil(() => near.isOpen && accepted !== undefined)
  return { simulation, near, far, connection, accepted: accepted as Connection, a, b }
}

describe('the simulated network', () => {
  test('carries remoting between nodes, also to the next life at the same address', async () => {
    await simulate('greeting', {
      seeds: 30,
      scenario: async (simulation) => {
        const [a, b] = [simulation.node('a'), simulation.node('b')]
        b.system.spawn(greeter(), 'greeter')
        const remoting = await remotingOf(simulation, a)
        await remotingOf(simulation, b)
        expect(await greeted(simulation, remoting)).toBe('hello 1')
        expect(await greeted(simulation, remoting)).toBe('hello 2')
        simulation.crash('b', simulation.random.pick(['process', 'host']))
        await simulation.run({ for: '100ms' })
        const again = simulation.node('b')
        again.system.spawn(greeter(), 'greeter')
        await remotingOf(simulation, again)
        await simulation.run({ for: '30s' })
        expect(await greeted(simulation, remoting)).toBe('hello 1')
      },
    })
  })

  test('refuses where nobody listens, and is silent where no machine is', async () => {
    const { simulation, a } = await line(1)
    const [refused, silent] = [new Ear(), new Ear()]
    a.transport.connect({ host: 'b', port: 2 }, refused, { timeoutMs: 1_000 })
    await simulation.runUntil(() => refused.reason !== undefined)
    expect(refused.reason?.type).toBe('refused')
    simulation.crash('b', 'host')
    a.transport.connect({ host: 'b', port: 1 }, silent, { timeoutMs: 1_000 })
    await simulation.run({ for: '999ms' })
    expect(silent.reason).toBeUndefined()
    await simulation.runUntil(() => silent.reason !== undefined)
    expect(silent.reason?.type).toBe('timed-out')
  })

  test('lets the machine of a crashed process end its connections', async () => {
    const ends = new Set<string>()
    for (let seed = 1; seed <= 20; seed++) {
      const { simulation, near, accepted } = await line(seed)
      accepted.write(Buffer.from('last words'))
      simulation.crash('b')
      await simulation.runUntil(() => near.reason !== undefined, { within: '1s' })
      expect('last words'.startsWith(near.text)).toBe(true)
      ends.add(`${near.reason?.type} after ${near.text.length}`)
    }
    expect([...ends]).toEqual(expect.arrayContaining(['ended after 10', 'reset after 0']))
  })

  test('leaves a connection half open when the machine dies, until somebody asks', async () => {
    const { simulation, near } = await line(3)
    simulation.crash('b', 'host')
    await simulation.run({ for: '9s' })
    expect(near.reason).toBeUndefined()
    await simulation.runUntil(() => near.reason !== undefined, { within: '1m' })
    expect(near.reason?.type).toBe('timed-out')
  })

  test('answers a write to a former life with a reset', async () => {
    const { simulation, near, connection } = await line(3)
    simulation.crash('b', 'host')
    simulation.node('b')
    connection.write(Buffer.from('anybody?'))
    await simulation.runUntil(() => near.reason !== undefined, { within: '1s' })
    expect(near.reason?.type).toBe('reset')
  })

  test('stalls in a short cut and carries the same bytes afterwards', async () => {
    const { simulation, near, far, connection, accepted } = await line(5)
    simulation.network.partition(['a'], ['b'])
    connection.write(Buffer.from('one,'))
    connection.write(Buffer.from('two,'))
    accepted.write(Buffer.from('back'))
    await simulation.run({ for: '2s' })
    expect([near.text, far.text]).toEqual(['', ''])
    simulation.network.heal()
    await simulation.runUntil(() => far.text === 'one,two,' && near.text === 'back')
    expect(near.reason ?? far.reason).toBeUndefined()
  })

  test('ends some connections in a long cut, and leaves some stalled', async () => {
    const ends = new Set<string | undefined>()
    for (let seed = 1; seed <= 20; seed++) {
      const { simulation, near, connection } = await line(seed)
      simulation.network.cut('a', 'b')
      connection.write(Buffer.from('lost?'))
      await simulation.run({ for: '1m' })
      ends.add(near.reason?.type)
    }
    expect(ends).toEqual(new Set([undefined, 'timed-out']))
  })

  test('cuts one way: the other still carries, up to what nobody confirms', async () => {
    const { simulation, near, far, connection, accepted } = await line(7)
    simulation.network.configure({ giveUpChance: 0 })
    simulation.network.cut('a', 'b')
    accepted.write(Buffer.from('hears'))
    connection.write(Buffer.from('is not heard'))
    await simulation.run({ for: '1s' })
    expect([near.text, far.text]).toEqual(['hears', ''])
    const chunk = Buffer.alloc(10_000, 'x')
    let written = 0
    while (accepted.write(chunk)) expect((written += chunk.length)).toBeLessThan(1_000_000)
    await simulation.run({ for: '1s' })
    expect(near.text.length).toBeLessThan(1_000_000)
    simulation.network.join('a', 'b')
    await simulation.runUntil(() => near.text.length === 5 + written + 10_000)
    expect(accepted.isIdle).toBe(true)
  })

  test('stalls and breaks the connections between two nodes', async () => {
    const { simulation, near, far, connection } = await line(9)
    simulation.network.configure({ giveUpChance: 0 })
    simulation.network.stall('a', 'b')
    connection.write(Buffer.from('late'))
    await simulation.run({ for: '1m' })
    expect(far.text).toBe('')
    simulation.network.heal()
    await simulation.runUntil(() => far.text === 'late')
    simulation.network.reset('a', 'b')
    await simulation.runUntil(() => near.reason !== undefined && far.reason !== undefined)
    expect([near.reason?.type, far.reason?.type]).toEqual(['reset', 'reset'])
  })

  test('breaks a connection at one end: the other takes what was under way, then hears of it', async () => {
    const { simulation, near, far, connection } = await line(9)
    simulation.network.configure({ giveUpChance: 0 })
    connection.write(Buffer.from('late'))
    simulation.network.stall('a', 'b')
    simulation.network.breakAt('b', 'a')
    await simulation.run({ for: '1m' })
    expect([near.reason, far.reason]).toEqual([undefined, undefined])
    simulation.network.breakAt('a', 'b')
    await simulation.runUntil(() => near.reason !== undefined)
    expect([near.reason?.type, far.reason]).toEqual(['reset', undefined])
    simulation.network.heal()
    await simulation.runUntil(() => far.reason !== undefined)
    expect('late'.startsWith(far.text)).toBe(true)
    expect(far.reason?.type).toBe('reset')
  })

  test('leaves a connection half open: one end is gone, and nothing tells the other, though the machine is up', async () => {
    const { simulation, near, far, connection, a } = await line(9)
    simulation.network.halfOpen('b', 'a')
    await simulation.runUntil(() => far.reason !== undefined, { within: '1s' })
    expect(far.reason?.type).toBe('timed-out')
    connection.write(Buffer.from('anybody?'))
    simulation.network.heal()
    await simulation.run({ for: '2500ms' })
    expect([near.reason, far.text]).toEqual([undefined, ''])
    const second = new Ear()
    a.transport.connect({ host: 'b', port: 1 }, second, { timeoutMs: 1_000 })
    await simulation.runUntil(() => second.isOpen, { within: '1s' })
    await simulation.runUntil(() => near.reason !== undefined, { within: '1m' })
    expect([near.reason?.type, second.reason]).toEqual(['timed-out', undefined])
  })

  test('brings bytes of a life that has ended when the next one is there', async () => {
    const { simulation, far, connection, a } = await line(9)
    simulation.network.configure({ giveUpChance: 0 })
    simulation.network.stall('a', 'b')
    connection.write(Buffer.from('late'))
    simulation.crash('a')
    const second = new Ear()
    const next = simulation.node('a')
    next.transport.connect({ host: 'b', port: 1 }, second, { timeoutMs: 1_000 })
    await simulation.runUntil(() => second.isOpen, { within: '1s' })
    expect([a.isAlive, next.isAlive, far.text]).toEqual([false, true, ''])
    simulation.network.heal()
    await simulation.runUntil(() => far.reason !== undefined, { within: '1m' })
    expect('late'.startsWith(far.text)).toBe(true)
  })

  test('gives the port to one listener of a machine', async () => {
    const { simulation, b } = await line(1)
    const at = { host: 'b', port: 1 }
    await expect(b.transport.listen(at, () => new Ear())).rejects.toMatchObject({
      code: 'PORT_TAKEN',
    })
    await expect(b.transport.listen({ host: 'c', port: 1 }, () => new Ear())).rejects.toMatchObject(
      { code: 'HOST_NOT_OURS' },
    )
    simulation.crash('b')
    await expect(simulation.node('b').transport.listen(at, () => new Ear())).resolves.toBeDefined()
  })
})

describe('a slow node', () => {
  test('does one step after the other, and is late; others are not, and it is not when it is over', async () => {
    const simulation = new Simulation({ seed: 3 })
    const late: Record<string, number[]> = { a: [], b: [] }
    for (const name of ['a', 'b']) {
      const { timers } = simulation.node(name).environment
      for (let due = 1_000; due < 1_100; due++) {
        timers.after(due, () => late[name]?.push(simulation.now - due))
      }
      timers.after(10_000, () => late[name]?.push(simulation.now - 10_000))
    }
    simulation.slow('a', { stepMeanMs: 20, for: '2s' })
    await simulation.run({ for: '20s' })
    expect(late['b']).toEqual(Array.from({ length: 101 }, () => 0))
    expect(late['a']).toHaveLength(101)
    // A hundred steps of 20 ms take two seconds; what is left at the end of its trouble comes at once.
    expect(Math.max(...(late['a'] ?? []))).toBeGreaterThan(500)
    expect(late['a']?.at(-1)).toBe(0)
    expect(simulation.faults).toBe(1)
  })

  test('can be paused, and crash, in the midst of a step', async () => {
    const simulation = new Simulation({ seed: 3 })
    const { timers } = simulation.node('a').environment
    let steps = 0
    const goOn = (): void => {
      steps++
      timers.after(1, goOn)
    }
    goOn()
    simulation.slow('a', { stepMeanMs: 50, for: '10s' })
    await simulation.run({ for: '1s' })
    expect(steps).toBeLessThan(60)
    simulation.pause('a', '1s')
    const before = steps
    await simulation.run({ for: '999ms' })
    expect(steps).toBe(before)
    await simulation.run({ for: '1s' })
    expect(steps).toBeGreaterThan(before)
    simulation.crash('a')
    await simulation.run({ for: '20s' })
    expect(simulation.isAlive('a')).toBe(false)
  })
})

describe('a node whose clock runs at a rate of its own', () => {
  test.each([0.5, 0.98, 1.02, 2])('%d waits by that clock, and never too short', async (rate) => {
    const simulation = new Simulation({ seed: 3 })
    const { clock, timers } = simulation.node('a', { clockRate: rate }).environment
    const startMs = clock.monotonicMs()
    for (const delayMs of [0.1, 1, 7, 333.3, 1_000]) {
      let tookMs: number | undefined
      const beganMs = clock.monotonicMs()
      timers.after(delayMs, () => (tookMs = clock.monotonicMs() - beganMs))
      await simulation.runUntil(() => tookMs !== undefined)
      expect(tookMs).toBeGreaterThanOrEqual(delayMs)
      expect(tookMs).toBeLessThan(delayMs + 0.01)
    }
    expect((clock.monotonicMs() - startMs) / simulation.now).toBeCloseTo(rate, 5)
  })
})

describe('a paused node', () => {
  test('does nothing meanwhile, and everything afterwards in any order', async () => {
    const orders = new Set<string>()
    for (let seed = 1; seed <= 20; seed++) {
      const { simulation, connection, b, far } = await line(seed)
      const order: string[] = []
      b.environment.timers.after(1_000, () => order.push('timer'))
      far.received = () => void order.push('bytes')
      simulation.pause('b', '10s')
      connection.write(Buffer.from('!'))
      await simulation.run({ for: '9999ms' })
      expect(order).toEqual([])
      await simulation.run({ for: '10ms' })
      orders.add(order.join())
    }
    expect(orders).toEqual(new Set(['timer,bytes', 'bytes,timer']))
  })

  test('takes connections by its machine', async () => {
    const { simulation, a } = await line(2)
    simulation.pause('b', '10s')
    const second = new Ear()
    a.transport.connect({ host: 'b', port: 1 }, second, { timeoutMs: 1_000 })
    await simulation.runUntil(() => second.isOpen, { within: '1s' })
  })
})
