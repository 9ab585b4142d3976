import { describe, expect, test } from 'vitest'
import { problemsWithTls, rulesOf } from './tls-options.ts'

const good = { ca: '/etc/ca.pem', cert: '/etc/cert.pem', key: '/etc/key.pem' }

describe('the options of TLS', () => {
  test('are three at least', () => {
    expect(problemsWithTls('tls', good)).toEqual([])
    expect(problemsWithTls('tls', undefined)).toEqual([])
    expect(problemsWithTls('tls', {})).toEqual([
      'tls.ca must be PEM or the path of a file, or a list of such',
      'tls.cert must be PEM or the path of a file',
      'tls.key must be PEM or the path of a file',
    ])
  })

  test.each<[string, unknown, string]>([
    ['ca', [], 'tls.ca must be PEM or the path of a file, or a list of such'],
    ['ca', ['/a.pem', 5], 'tls.ca must be PEM or the path of a file, or a list of such'],
    ['name', 'a name', "tls.name must be a DNS name, or a list of such, not 'a name'"],
    ['name', [], 'tls.name must be a DNS name, or a list of such, not []'],
    ['verifyHost', 'yes', "tls.verifyHost must be true or false, not 'yes'"],
    ['verify', true, 'tls.verify must be a function, not true'],
    ['keys', 'x', '`tls.keys` is not an option; did you mean `tls.key`?'],
    ['rejectUnauthorized', false, 'tls.rejectUnauthorized is not an option; known: ca, cert, key'],
  ])('%s: %j is refused', (name, value, problem) => {
    const problems = problemsWithTls('tls', { ...good, [name]: value })
    expect(problems.join('\n')).toContain(problem)
  })

  test('T27 show nothing of a key, whatever it is', () => {
    const canary = 'canary-in-the-key'
    for (const key of [[canary], { canary }, Buffer.from(canary)]) {
      const problems = problemsWithTls('tls', { ...good, key, passphrase: [canary] })
      expect(problems).toHaveLength(2)
      expect(problems.join()).not.toContain(canary)
    }
    expect(problemsWithTls('tls', canary).join()).not.toContain(canary)
  })

  test('demand the name of the cluster when they have none', () => {
    expect(rulesOf(good, 'shop')).toEqual({ names: ['shop'], verifyHost: false, verify: undefined })
    expect(rulesOf({ ...good, name: ['a', 'b'] }, 'shop').names).toEqual(['a', 'b'])
  })
})
