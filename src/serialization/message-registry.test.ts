import { describe, expect, test } from 'vitest'
import { MessageRegistry, registerMessages } from './message-registry.ts'

const sharding = registerMessages('sharding', { HandOff: 1, BeginHandOff: 2 }, ['sharding.Old@1'])
const cluster = registerMessages('cluster', { Gossip: 1 })
const registry = new MessageRegistry([sharding, cluster])

describe('MessageRegistry', () => {
  test('names a message by room, type and version', () => {
    expect(registry.nameOf('sharding', 'BeginHandOff')).toEqual({
      room: 'sharding',
      type: 'BeginHandOff',
      version: 2,
      wireName: 'sharding.BeginHandOff@2',
      number: 1,
    })
  })

  test('finds it again by wire name and by number', () => {
    const name = registry.nameOf('sharding', 'HandOff')
    expect(registry.named('sharding.HandOff@1')).toBe(name)
    expect(registry.numbered(name.number)).toBe(name)
  })

  test('numbers the names in order, whatever the order of the tables', () => {
    const other = new MessageRegistry([cluster, sharding])
    expect(registry.wireNames).toEqual([
      'cluster.Gossip@1',
      'sharding.BeginHandOff@2',
      'sharding.HandOff@1',
    ])
    expect(other.wireNames).toEqual(registry.wireNames)
    expect(other.hash).toBe(registry.hash)
    expect(registry.hash).toMatch(/^[0-9a-f]{16}$/)
  })

  test('has another hash for other names', () => {
    const newer = registerMessages('cluster', { Gossip: 2 })
    expect(new MessageRegistry([sharding, newer]).hash).not.toBe(registry.hash)
  })

  test('says that an unknown name may be newer, and a retired one older', () => {
    expect(() => registry.named('sharding.HandOff@9')).toThrow(
      'sharding.HandOff@9 is unknown to this node: its sender may run a newer version of Sherd',
    )
    expect(() => registry.named('sharding.Old@1')).toThrow(
      'sharding.Old@1 is retired: its sender runs a version of Sherd that is too old for this node',
    )
    expect(() => registry.numbered(77)).toThrow('message 77 is unknown')
    expect(() => registry.numbered(-1)).toThrow('message -1 is unknown')
    expect(() => registry.named('__proto__')).toThrow('is unknown')
  })

  test('reads the numbers of a peer that has other names', () => {
    const peer = ['cluster.Gossip@1', 'cluster.Newer@1', 'sharding.HandOff@1', 'sharding.Old@1']
    const read = registry.understand(peer)
    expect(read(2)).toBe(registry.named('sharding.HandOff@1'))
    expect(() => read(1)).toThrow('cluster.Newer@1 is unknown')
    expect(() => read(3)).toThrow('sharding.Old@1 is retired')
    expect(() => read(4)).toThrow('message 4 is unknown')
  })

  test('refuses tables that would give a name two meanings', () => {
    const again = registerMessages('sharding', { HandOff: 2 })
    expect(() => new MessageRegistry([sharding, again])).toThrow('one version in use')
    const back = registerMessages('sharding', { Old: 1 })
    expect(() => new MessageRegistry([sharding, back])).toThrow('is retired and not in use')
    const bad = registerMessages('Sharding', { handOff: 0 })
    expect(() => new MessageRegistry([bad])).toThrow('has the form room.Type@version')
    expect(() => registry.nameOf('sharding', 'Missing')).toThrow('in the table of its room')
  })
})
