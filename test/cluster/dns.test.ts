/** What real name servers answer, by a small one on this machine: the records, and the ways to have none. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { Resolver } from 'node:dns/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { dnsDiscovery } from '../../src/cluster/joining/discovery/dns-discovery.ts'
import { lookUp } from '../../src/cluster/joining/discovery/discovery.ts'

const types = { A: 1, AAAA: 28, SRV: 33 } as const
const codes = { none: 0, failed: 2, unknownName: 3 } as const

interface Zone {
  readonly code?: number
  /** The data of each record. */
  readonly records?: readonly Buffer[]
  readonly isSilent?: boolean
}

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close()
})

/** Answers every question in the same way, with records of the type that was asked for. */
async function serversWith({ code = codes.none, records = [], isSilent }: Zone): Promise<Resolver> {
  const socket = createSocket('udp4')
  sockets.push(socket)
  socket.on('message', (question, { port, address }) => {
    if (isSilent !== true) socket.send(answerTo(question, code, records), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 50, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return resolver
}

function answerTo(question: Buffer, code: number, records: readonly Buffer[]): Buffer {
  // The name ends with an empty label; type and class follow.
  const end = question.indexOf(0, 12) + 5
  const asked = question.subarray(12, end)
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(0x81_80 | code, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  const answers = records.map((data) => {
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc0_0c, 0)
    asked.copy(fixed, 2, asked.length - 4)
    fixed.writeUInt32BE(5, 6)
    fixed.writeUInt16BE(data.length, 10)
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([head, asked, ...answers])
}

function srv(port: number, name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`))
  const fixed = Buffer.alloc(6)
  fixed.writeUInt16BE(port, 4)
  return Buffer.concat([fixed, ...labels, Buffer.from([0])])
}

async function found(zone: Zone, records: keyof typeof types = 'A'): Promise<unknown> {
  const discovery = dnsDiscovery(
    { dns: 'nodes.shop.example', records, requiredNodes: 2 },
    2552,
    await serversWith(zone),
  )
  const { number: _, ...answer } = await lookUp(discovery, { type: 'LookUp', number: 1 })
  return answer
}

describe('what name servers answer', () => {
  test('A, AAAA and SRV records are addresses of nodes', async () => {
    expect(
      await found({ records: [Buffer.from([10, 0, 0, 7]), Buffer.from([10, 0, 0, 8])] }),
    ).toEqual({
      type: 'Discovered',
      addresses: ['10.0.0.7:2552', '10.0.0.8:2552'],
    })
    const six = Buffer.from('fd000000000000000000000000000001', 'hex')
    expect(await found({ records: [six] }, 'AAAA')).toEqual({
      type: 'Discovered',
      addresses: ['[fd00::1]:2552'],
    })
    expect(await found({ records: [srv(4000, 'shop-0.nodes.shop.example')] }, 'SRV')).toEqual({
      type: 'Discovered',
      addresses: ['shop-0.nodes.shop.example:4000'],
    })
  })

  test.each([
    ['a name that is not known', { code: codes.unknownName }],
    ['a name without such records', { code: codes.none }],
  ])('%s names nobody', async (_, zone) => {
    expect(await found(zone)).toEqual({ type: 'Discovered', addresses: [] })
  })

  test.each([
    ['a server that fails', { code: codes.failed }],
    ['a server that is silent', { isSilent: true }],
  ])('%s is no answer', async (_, zone) => {
    expect(await found(zone)).toMatchObject({ type: 'NotDiscovered' })
  })
})
