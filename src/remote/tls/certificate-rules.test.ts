import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Authority } from '../../../test/remote/certificates.ts'
import { certificateOf } from './certificate.ts'
import { type CertificateRules, objectionToChannel, objectionToNode } from './certificate-rules.ts'

const authority = new Authority()
const binding = Buffer.alloc(32)

const rulesFor = (...names: readonly string[]): CertificateRules => ({
  ...{ names, verifyHost: true, verify: undefined },
})

function read(shape: Parameters<Authority['issue']>[0]) {
  return certificateOf(new X509Certificate(authority.issue(shape).cert))
}

function isOfCluster(rules: CertificateRules, dnsNames: readonly string[]): boolean {
  const certificate = read({ dnsNames })
  return objectionToChannel({ binding, certificate, distrust: undefined }, rules) === undefined
}

describe('a certificate', () => {
  test('is read with all its names', () => {
    const shape = { dnsNames: ['a.shop', '*.shop'], ipAddresses: ['10.0.0.7'], uris: ['sherd://a'] }
    expect(read(shape)).toMatchObject({
      ...{ dnsNames: ['a.shop', '*.shop'], ipAddresses: ['10.0.0.7'], uris: ['sherd://a'] },
      ...{ subject: 'CN=node', issuer: 'CN=test authority' },
    })
  })

  test('without names has none', () => {
    expect(read({ dnsNames: [] })).toMatchObject({ dnsNames: [], ipAddresses: [], uris: [] })
  })

  test('T02 cannot smuggle a name in: one that looks like two is none', () => {
    const { dnsNames } = read({
      dnsNames: ['x, DNS:shop', 'x", DNS:shop', "x', DNS:shop", 'x\\", DNS:shop', 'x\n, DNS:shop'],
      uris: ['http://x/, DNS:shop', 'http://x/", DNS:"shop'],
      commonName: 'shop',
    })
    expect(dnsNames).toEqual([])
  })
})

describe('the name of a cluster', () => {
  test.each([
    [['shop'], ['shop'], true],
    [['shop'], ['a.shop'], true],
    [['shop'], ['a.b.shop'], true],
    [['shop'], ['*.shop'], true],
    [['shop'], ['A.Shop'], true],
    [['shop'], ['other', 'a.shop'], true],
    [['shop.example', 'old.example'], ['a.old.example'], true],
    [['shop'], ['workshop'], false],
    [['shop'], ['shop.example'], false],
    [['shop'], ['a.shop.'], false],
    [['shop'], ['*'], false],
    [['shop'], [], false],
    [['shop.example'], ['*.example'], false],
  ])('T02 %j: %j is %s', (names, dnsNames, isOne) => {
    expect(isOfCluster(rulesFor(...names), dnsNames)).toBe(isOne)
  })
})

describe('the host of a node', () => {
  test.each([
    ['10.0.0.7:2552', true],
    ['10.0.0.8:2552', false],
    ['a.shop:2552', true],
    ['A.Shop:2552', true],
    ['b.shop:2552', false],
    ['b.pods.shop:2552', true],
    ['b.c.pods.shop:2552', false],
    ['pods.shop:2552', false],
    ['[::1]:2552', true],
    ['[0:0:0:0:0:0:0:1]:2552', true],
    ['[::2]:2552', false],
    ['[2001:DB8::a]:2552', true],
    ['[2001:db8::a%eth0]:2552', false],
    ['[::1]:80?[]:2552', false],
    ['[::1:2552', false],
  ])('T02 %s: %s', (address, isOne) => {
    const ipAddresses = ['10.0.0.7', '0:0:0:0:0:0:0:1', '2001:db8:0:0:0:0:0:a']
    const shape = { dnsNames: ['a.shop', '*.pods.shop'], ipAddresses }
    const objection = objectionToNode(read(shape), address, rulesFor('shop'))
    expect(objection?.reason).toBe(isOne ? undefined : 'certificate-refused')
  })
})
