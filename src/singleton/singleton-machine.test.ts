import { describe, expect, test } from 'vitest'
import type { Member, MemberStatus } from '../cluster/index.ts'
import { nodeIdOf } from '../foundation/node-id.ts'
import { SingletonMachine } from './singleton-machine.ts'
import type { SingletonEffect, SingletonInput } from './singleton-inputs.ts'
import { defaultSingletonSettings } from './singleton-settings.ts'
import { singletonProtocol } from './singleton-wire.ts'

const a = nodeIdOf('a:1', 1n)
const b = nodeIdOf('b:1', 2n)
const c = nodeIdOf('c:1', 3n)
const upNumbers: Readonly<Record<string, number>> = { [a]: 1, [b]: 2, [c]: 3 }
const termOf = (node: string, life = 1): number => (upNumbers[node] ?? 0) * 2 ** 20 + life

function member(node: string, status: MemberStatus, roles: readonly string[] = []): Member {
  return {
    node,
    status,
    roles,
    attributes: [],
    appVersion: '1.0.0',
    upNumber: upNumbers[node] ?? 9,
  }
}

/** Without words to the operator, which are for people. */
function quiet(effects: readonly SingletonEffect[]): SingletonEffect[] {
  return effects.filter(({ type }) => type !== 'Log')
}

class OneMachine {
  readonly machine: SingletonMachine
  now = 0

  constructor(self: string, role?: string) {
    const settings = defaultSingletonSettings
    this.machine = new SingletonMachine({ name: 'bank', self, hosts: { role }, settings })
  }

  members(...members: readonly Member[]): SingletonEffect[] {
    return this.step({ type: 'MembersChanged', members })
  }

  step(input: SingletonInput): SingletonEffect[] {
    return quiet(this.machine.step(input, this.now))
  }

  get phase(): string {
    return this.machine.snapshot().phase
  }
}

const send = (to: string, from: string, type: string, term: number) => ({
  type: 'Send',
  to,
  message: { type, from, term },
})
const start = (term: number) => ({ type: 'StartInstance', term })
const retry = { type: 'StartTimer', timer: 'ask-again', delayMs: 1_000 }
const done = (from: string, term = termOf(from)) => ({ type: 'HandOverDone', from, term }) as const
const terminated = (term: number) => ({ type: 'InstanceTerminated', term }) as const

describe('a node that is the oldest', () => {
  test('starts the instance once it is up', () => {
    const node = new OneMachine(a)
    expect(node.members({ ...member(a, 'Joining'), upNumber: 2 ** 31 - 1 })).toEqual([])
    expect(node.members(member(a, 'Up'))).toEqual([start(termOf(a))])
    expect(node.members(member(a, 'Up'), member(b, 'Up'))).toEqual([])
  })

  test('is the oldest of those with the role', () => {
    const node = new OneMachine(b, 'bank')
    expect(node.members(member(a, 'Up'), member(b, 'Up', ['bank']))).toEqual([start(termOf(b))])
    const other = new OneMachine(a, 'bank')
    expect(other.members(member(a, 'Up'), member(b, 'Up', ['bank']))).toEqual([])
  })

  test('starts the instance again after longer and longer pauses when it ends by itself', () => {
    const node = new OneMachine(a)
    node.members(member(a, 'Up'))
    const pause = (delayMs: number) => ({ type: 'StartTimer', timer: 'restart', delayMs })
    expect(node.step(terminated(termOf(a)))).toEqual([pause(100)])
    expect(node.step({ type: 'TimerFired', timer: 'restart' })).toEqual([start(termOf(a, 2))])
    expect(node.step(terminated(termOf(a, 2)))).toEqual([pause(200)])
    node.step({ type: 'TimerFired', timer: 'restart' })
    node.now = 60_000
    expect(node.step(terminated(termOf(a, 3)))).toEqual([pause(100)])
  })

  test('ignores the end of an earlier life', () => {
    const node = new OneMachine(a)
    node.members(member(a, 'Up'))
    node.step(terminated(termOf(a)))
    node.step({ type: 'TimerFired', timer: 'restart' })
    expect(node.step(terminated(termOf(a)))).toEqual([])
    expect(node.phase).toBe('running')
  })

  test('starts nothing while frozen', () => {
    const node = new OneMachine(a)
    node.step({ type: 'FreezeChanged', isFrozen: true })
    expect(node.members(member(a, 'Up'))).toEqual([])
    expect(node.step({ type: 'FreezeChanged', isFrozen: false })).toEqual([start(termOf(a))])
  })

  test('tells proxies where the instance is, at once or when it starts', () => {
    const node = new OneMachine(a)
    const where = { type: 'WhereIsInstance', from: b, term: 0 } as const
    const here = { type: 'TellProxies', nodes: [b], news: 'InstanceIsHere', term: termOf(a) }
    node.step({ type: 'FreezeChanged', isFrozen: true })
    node.members(member(a, 'Up'), member(b, 'Up'))
    expect(node.step(where)).toEqual([])
    const thawed = node.step({ type: 'FreezeChanged', isFrozen: false })
    expect(thawed).toEqual([start(termOf(a)), here])
    expect(node.step(where)).toEqual([here])
  })
})

describe('a node that is to follow', () => {
  const follower = () => {
    const node = new OneMachine(b)
    node.members(member(a, 'Up'), member(b, 'Up'), member(c, 'Up'))
    return node
  }

  test('waits while an older member is up or leaving', () => {
    const node = follower()
    expect(node.members(member(a, 'Leaving'), member(b, 'Up'))).toEqual([])
    expect(node.phase).toBe('waiting')
  })

  test('asks the exiting one, again and again, and starts when that is done', () => {
    const node = follower()
    const question = send(a, b, 'HandOverToMe', termOf(b))
    expect(node.members(member(a, 'Exiting'), member(b, 'Up'))).toEqual([question, retry])
    node.step({ type: 'HandOverInProgress', from: a, term: termOf(a) })
    expect(node.step({ type: 'TimerFired', timer: 'ask-again' })).toEqual([question, retry])
    expect(node.step(done(a))).toEqual([
      { type: 'CancelTimer', timer: 'ask-again' },
      start(termOf(b)),
    ])
  })

  test('starts on the word of one that it still believes to be leaving', () => {
    const node = follower()
    node.members(member(a, 'Leaving'), member(b, 'Up'))
    expect(node.step(done(a))).toEqual([start(termOf(b))])
  })

  test('does not start for a downed one before that is removed', () => {
    const node = follower()
    node.members(member(a, 'Down'), member(b, 'Up'))
    expect(node.phase).toBe('asking')
    expect(node.members(member(b, 'Up'))).toContainEqual(start(termOf(b)))
  })

  test('needs the word of every older one: nobody vouches for another', () => {
    const node = new OneMachine(c)
    node.members(member(a, 'Exiting'), member(b, 'Exiting'), member(c, 'Up'))
    expect(node.step(done(b, 0))).toEqual([])
    expect(node.machine.snapshot().waitsFor).toEqual([a])
    expect(node.step(done(a))).toContainEqual(start(termOf(c)))
  })

  test('does not take the word of a former incarnation for the present one', () => {
    const node = follower()
    node.members(member(a, 'Exiting'), member(b, 'Up'))
    expect(node.step(done(nodeIdOf('a:1', 99n), 0))).toEqual([])
    expect(node.phase).toBe('asking')
  })

  test('goes above the term of whoever was before it, however high that is', () => {
    const node = follower()
    node.members(member(a, 'Exiting'), member(b, 'Up'))
    const high = termOf(c, 7)
    expect(node.step(done(a, high))).toContainEqual(start(high + 1))
    node.step(terminated(high + 1))
    expect(node.step({ type: 'TimerFired', timer: 'restart' })).toEqual([start(high + 2)])
  })

  test('goes above what a proxy has heard of', () => {
    const node = follower()
    node.step({ type: 'WhereIsInstance', from: c, term: termOf(b, 5) })
    expect(node.members(member(b, 'Up'), member(c, 'Up'))).toContainEqual(start(termOf(b, 6)))
  })

  test.each([2 ** 51 - 1, 2 ** 51, 2 ** 52 - 1])(
    'whatever it was told (%d), others take its terms, and it starts again',
    (high) => {
      const node = new OneMachine(b)
      node.members(member(a, 'Exiting'), member(b, 'Up'), member(c, 'Up'))
      node.step({ type: 'WhereIsInstance', from: c, term: high })
      const started = node.step(done(a, high)).find(({ type }) => type === 'StartInstance')
      const { term } = started as { term: number }
      expect(term).toBe(high < 2 ** 51 ? high + 1 : termOf(b))
      node.step({ type: 'WhereIsInstance', from: c, term: high })
      node.step(terminated(term))
      const again = node.step({ type: 'TimerFired', timer: 'restart' })
      expect(again).toContainEqual(start(term + 1))
      const message = { type: 'HandOverDone', from: b, term: term + 1 } as const
      expect(singletonProtocol.unpack(singletonProtocol.pack(message))).toEqual(message)
    },
  )

  test('keeps its terms growing when two views of its number merge into the smaller one', () => {
    const node = new OneMachine(c)
    node.members(member(c, 'Up'))
    node.members({ ...member(c, 'Up'), upNumber: 2 })
    node.step(terminated(termOf(c)))
    expect(node.step({ type: 'TimerFired', timer: 'restart' })).toEqual([start(termOf(c, 2))])
  })

  test('says so when it has waited for long', () => {
    const node = new OneMachine(b)
    node.members(member(a, 'Exiting'), member(b, 'Up'))
    let lines: SingletonEffect[] = []
    for (let asked = 0; asked < 14; asked++) {
      const effects = node.machine.step({ type: 'TimerFired', timer: 'ask-again' }, 0)
      lines = effects.filter(({ type }) => type === 'Log')
    }
    expect(lines).toMatchObject([{ level: 'warn' }])
  })
})

describe('a node that leaves', () => {
  const stop = (isForced: boolean) => ({ type: 'StopInstance', isForced })
  const patience = { type: 'StartTimer', timer: 'force-stop', delayMs: 6_000 }
  const host = () => {
    const node = new OneMachine(a)
    node.members(member(a, 'Up'), member(b, 'Up'))
    return node
  }

  test('keeps the instance until the shutdown asks for it, then hands over after its end', () => {
    const node = host()
    expect(node.members(member(a, 'Leaving'), member(b, 'Up'))).toEqual([])
    expect(node.members(member(a, 'Exiting'), member(b, 'Up'))).toEqual([])
    const asks = { type: 'HandOverToMe', from: b, term: termOf(b) } as const
    expect(node.step(asks)).toEqual([send(b, a, 'HandOverInProgress', termOf(a))])
    expect(node.step({ type: 'HandOver' })).toEqual([stop(false), patience])
    expect(node.step(terminated(termOf(a)))).toEqual([
      { type: 'CancelTimer', timer: 'force-stop' },
      send(b, a, 'HandOverDone', termOf(a)),
      { type: 'HandedOver' },
    ])
    expect(node.step(asks)).toEqual([send(b, a, 'HandOverDone', termOf(a))])
  })

  test('forces an instance that does not stop', () => {
    const node = host()
    node.step({ type: 'HandOver' })
    expect(node.step({ type: 'TimerFired', timer: 'force-stop' })).toEqual([stop(true)])
  })

  test('stops the instance at once when it is downed or removed', () => {
    expect(host().members(member(a, 'Down'), member(b, 'Up'))).toEqual([stop(true), patience])
    expect(host().members(member(b, 'Up'))).toEqual([stop(true), patience])
  })

  test('never starts an instance once it is exiting, and says so to whoever asks', () => {
    const node = new OneMachine(b)
    node.members(member(a, 'Exiting'), member(b, 'Leaving'), member(c, 'Up'))
    const ended = node.members(member(a, 'Exiting'), member(b, 'Exiting'), member(c, 'Up'))
    expect(ended).toEqual([
      { type: 'CancelTimer', timer: 'ask-again' },
      send(c, b, 'HandOverDone', 0),
      { type: 'HandedOver' },
    ])
    expect(node.members(member(b, 'Exiting'), member(c, 'Up'))).toEqual([])
  })

  test('has nothing to hand over when it never ran it', () => {
    const node = new OneMachine(b)
    node.members(member(a, 'Up'), member(b, 'Leaving'))
    expect(node.step({ type: 'HandOver' })).toEqual([
      send(a, b, 'HandOverDone', 0),
      { type: 'HandedOver' },
    ])
  })
})
