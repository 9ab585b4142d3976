import { expect, test } from 'vitest'
import { ConnectionFailed, WrongClusterName } from '../../remote/index.ts'
import { SeedTroubles } from './seed-troubles.ts'

const [a, b, c] = ['a:1', 'b.invalid:2', 'c:3'] as const
const error = new WrongClusterName(a, 'shop')

test('each seed is named with its last trouble, and what to do', () => {
  const troubles = new SeedTroubles([a, b, c])
  const { text } = new ConnectionFailed(b, { type: 'unknown-host', detail: 'ENOTFOUND' })
  troubles.notConnected(a, 'refused the connection')
  troubles.notAccepted(a, error.code, error.message)
  troubles.notConnected(b, text)
  expect(troubles.lines).toEqual([
    expect.stringMatching(/^a:1 belongs to a different cluster than "shop"\. Give both nodes/),
    'b.invalid:2 has a host name that cannot be resolved: correct it, or make it known to DNS or /etc/hosts (ENOTFOUND)',
    'c:3 has not answered yet',
  ])
  expect(troubles.areFinal).toBe(false)
})

test('a name that cannot be resolved now may be later: the node tries on', () => {
  const troubles = new SeedTroubles([b])
  troubles.notConnected(b, 'has a host name that cannot be resolved')
  expect(troubles.areFinal).toBe(false)
  troubles.connected(b)
  expect(troubles.lines).toEqual([`${b} is connected and has not let this node in yet`])
})

test('who founds a cluster is told unless only other settings help', () => {
  const troubles = new SeedTroubles([a], a)
  troubles.notConnected(a, 'refused the connection')
  expect(troubles.founder).toBe(a)
  troubles.notAccepted(a, error.code, error.message)
  expect(troubles.founder).toBeUndefined()
  expect(new SeedTroubles([b]).founder).toBeUndefined()
})

test('others than the seeds do not matter', () => {
  const troubles = new SeedTroubles([a])
  troubles.notConnected(c, 'refused the connection')
  expect(troubles.lines).toEqual([`${a} has not answered yet`])
})
