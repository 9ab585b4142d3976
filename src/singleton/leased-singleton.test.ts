import { describe, expect, test } from 'vitest'
import type { Member, MemberStatus } from '../cluster/index.ts'
import { nodeIdOf } from '../foundation/node-id.ts'
import { SingletonMachine } from './singleton-machine.ts'
import type { SingletonEffect, SingletonInput } from './singleton-inputs.ts'
import { defaultSingletonSettings } from './singleton-settings.ts'

const a = nodeIdOf('a:1', 1n)
const b = nodeIdOf('b:1', 2n)

function member(node: string, status: MemberStatus): Member {
  const upNumber = node === a ? 1 : 2
  return { node, status, roles: [], attributes: [], appVersion: '1.0.0', upNumber }
}

class Leased {
  readonly machine: SingletonMachine

  constructor(self: string, options: { readonly hasLease?: boolean } = { hasLease: true }) {
    const settings = defaultSingletonSettings
    this.machine = new SingletonMachine({ name: 'bank', self, hosts: {}, settings, ...options })
  }

  members(...members: readonly Member[]): string[] {
    return this.step({ type: 'MembersChanged', members })
  }

  step(input: SingletonInput): string[] {
    return this.machine.step(input, 0).flatMap(inWords)
  }

  says(type: 'LeaseAcquired' | 'LeaseRefused' | 'LeaseLost' | 'LeaseReleased'): string[] {
    return this.step({ type })
  }

  get phase(): string {
    return this.machine.snapshot().phase
  }

  get ended(): SingletonInput {
    return { type: 'InstanceTerminated', term: this.machine.snapshot().term }
  }
}

function inWords(effect: SingletonEffect): string[] {
  switch (effect.type) {
    case 'Log':
      return []
    case 'Send':
      return [effect.message.type]
    case 'StopInstance':
      return [effect.isForced ? 'ForceInstance' : 'StopInstance']
    case 'StartTimer':
    case 'CancelTimer':
      return [`${effect.type} ${effect.timer}`]
    default:
      return [effect.type]
  }
}

function running(): Leased {
  const node = new Leased(a)
  node.members(member(a, 'Up'))
  node.says('LeaseAcquired')
  return node
}

describe('a singleton with a lease', () => {
  test('starts when it is granted, and asks again after a while when it is not', () => {
    const node = new Leased(a)
    expect(node.members(member(a, 'Up'))).toEqual(['AcquireLease'])
    expect(node.says('LeaseRefused')).toEqual(['StartTimer lease'])
    expect(node.members(member(a, 'Up'), member(b, 'Up'))).toEqual([])
    expect(node.step({ type: 'TimerFired', timer: 'lease' })).toEqual(['AcquireLease'])
    expect(node.says('LeaseAcquired')).toEqual(['StartInstance'])
    // An old timer asks for nothing.
    expect(node.step({ type: 'TimerFired', timer: 'lease' })).toEqual([])
  })

  test('gives back on its way out what it may have been granted, though nobody could tell', () => {
    const refused = (isDoubtful: boolean): Leased => {
      const node = new Leased(a)
      node.members(member(a, 'Up'), member(b, 'Up'))
      node.step({ type: 'LeaseRefused', isDoubtful })
      return node
    }
    const doubtful = refused(true)
    expect(doubtful.step({ type: 'HandOver' })).toEqual(['CancelTimer lease', 'ReleaseLease'])
    expect(doubtful.says('LeaseReleased')).toEqual(['HandOverDone', 'HandedOver'])
    expect(refused(false).step({ type: 'HandOver' })).not.toContain('ReleaseLease')
    expect(refused(true).step({ type: 'FreezeChanged', isFrozen: true })).toContain('ReleaseLease')
    const again = refused(true)
    expect(again.step({ type: 'TimerFired', timer: 'lease' })).toEqual(['AcquireLease'])
    expect(again.says('LeaseAcquired')).toEqual(['StartInstance'])
  })

  test('that is lost ends by force, gives it back, asks for it anew, and starts', () => {
    const node = running()
    expect(node.says('LeaseLost')).toEqual(['ForceInstance'])
    expect(node.phase).toBe('losing')
    expect(node.says('LeaseLost')).toEqual([])
    expect(node.step(node.ended)).toEqual(['ReleaseLease'])
    // Not before the former one is on its way no more.
    expect(node.phase).toBe('leasing')
    expect(node.says('LeaseReleased')).toEqual(['AcquireLease'])
    expect(node.says('LeaseAcquired')).toEqual(['StartInstance'])
  })

  test('that ends by itself keeps its lease over the pause', () => {
    const node = running()
    expect(node.step(node.ended)).toEqual(['StartTimer restart'])
    expect(node.step({ type: 'TimerFired', timer: 'restart' })).toEqual(['StartInstance'])
  })

  test('that loses its lease in the pause asks for it anew after it', () => {
    const node = running()
    node.step(node.ended)
    expect(node.says('LeaseLost')).toEqual(['ReleaseLease'])
    expect(node.says('LeaseReleased')).toEqual([])
    expect(node.step({ type: 'TimerFired', timer: 'restart' })).toEqual(['AcquireLease'])
  })

  test('on a node that leaves is over only when the lease was given back', () => {
    const node = running()
    node.members(member(a, 'Exiting'), member(b, 'Up'))
    expect(node.step({ type: 'HandOver' })).toEqual(['StopInstance', 'StartTimer force-stop'])
    expect(node.step(node.ended)).toEqual(['CancelTimer force-stop', 'ReleaseLease'])
    const question = { type: 'HandOverToMe', from: b, term: 9 } as const
    expect(node.step(question)).toEqual(['HandOverInProgress'])
    expect(node.step({ type: 'HandOver' })).toEqual([])
    expect(node.says('LeaseReleased')).toEqual(['HandOverDone', 'HandedOver'])
    expect(node.step(question)).toEqual(['HandOverDone'])
  })

  test('that is lost while the instance stops forces it, and the node is over all the same', () => {
    const node = running()
    node.step({ type: 'HandOver' })
    expect(node.says('LeaseLost')).toEqual(['ForceInstance'])
    expect(node.step(node.ended)).toEqual(['CancelTimer force-stop', 'ReleaseLease'])
    expect(node.says('LeaseReleased')).toEqual(['HandedOver'])
  })

  test('of a node that leaves while it is being lost is not asked for again', () => {
    const node = running()
    node.says('LeaseLost')
    expect(node.step({ type: 'HandOver' })).toEqual([])
    expect(node.step(node.ended)).toContain('ReleaseLease')
    expect(node.says('LeaseReleased')).toEqual(['HandedOver'])
  })

  test('that was only asked for is given back by a node that leaves, freezes, or is not the one any more', () => {
    const leaving = new Leased(a)
    leaving.members(member(a, 'Up'))
    expect(leaving.step({ type: 'HandOver' })).toEqual(['CancelTimer lease', 'ReleaseLease'])
    expect(leaving.says('LeaseAcquired')).toEqual([])
    expect(leaving.says('LeaseReleased')).toEqual(['HandedOver'])

    const frozen = new Leased(a)
    frozen.members(member(a, 'Up'))
    expect(frozen.step({ type: 'FreezeChanged', isFrozen: true })).toEqual([
      'CancelTimer lease',
      'ReleaseLease',
    ])
    expect(frozen.says('LeaseAcquired')).toEqual([])
    expect(frozen.step({ type: 'FreezeChanged', isFrozen: false })).toEqual([])
    expect(frozen.says('LeaseReleased')).toEqual(['AcquireLease'])
  })

  test('of a node that was downed is given back, too', () => {
    const node = running()
    expect(node.members(member(a, 'Down'), member(b, 'Up'))).toContain('ForceInstance')
    expect(node.step(node.ended)).toContain('ReleaseLease')
    expect(node.says('LeaseReleased')).toEqual(['HandOverDone', 'HandedOver'])
  })
})

describe('where the whole cluster is about to be stopped', () => {
  test('nothing starts on a node that ran nothing, and it asks nobody', () => {
    const node = new Leased(b, {})
    node.members(member(a, 'Up'), member(b, 'Up'))
    node.members(member(a, 'Exiting'), member(b, 'Up'))
    expect(node.phase).toBe('asking')
    expect(node.step({ type: 'PreparingForShutdown' })).toEqual(['CancelTimer ask-again'])
    expect(node.step({ type: 'HandOverDone', from: a, term: 1 })).toEqual([])
    expect(node.members(member(b, 'Up'))).toEqual([])
    expect(node.step({ type: 'HandOver' })).toEqual(['HandedOver'])
  })

  test('what ends by itself starts again where it was', () => {
    const node = new Leased(a, {})
    node.members(member(a, 'Up'))
    node.step({ type: 'PreparingForShutdown' })
    node.step(node.ended)
    expect(node.step({ type: 'TimerFired', timer: 'restart' })).toEqual(['StartInstance'])
  })

  test('what others need to stop moves all the same', () => {
    const settings = defaultSingletonSettings
    const machine = new SingletonMachine({
      ...{ name: 'coordinator', self: b, hosts: {}, settings, movesToTheEnd: true },
    })
    machine.step({ type: 'PreparingForShutdown' }, 0)
    const effects = machine.step({ type: 'MembersChanged', members: [member(b, 'Up')] }, 0)
    expect(effects.map(({ type }) => type)).toContain('StartInstance')
  })
})
