import { X509Certificate } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { PeerDisconnected } from '../../src/remote/index.ts'
import { CertificateFiles } from './certificate-files.ts'
import { Authority, type Credentials } from './certificates.ts'
import { type TestNode, TestNodes, type TestNodeOptions } from './nodes.ts'

const often = { certificates: { reloadIntervalMs: 5 } }
const takenUp = /The files of `tls` have changed: new connections use the certificate/
const patient = { within: '30s' } as const

let nodes = new TestNodes('tcp')
const folders: CertificateFiles[] = []

afterEach(async () => {
  await nodes.stop()
  for (const files of folders.splice(0)) files.remove()
  nodes = new TestNodes('tcp')
})

function filesWith(ca: string, credentials: Credentials): CertificateFiles {
  const files = new CertificateFiles(ca, credentials)
  folders.push(files)
  return files
}

interface Ping {
  readonly replyTo: ActorRef<string>
}

async function start(options: TestNodeOptions): Promise<TestNode> {
  const node = await nodes.start({ remote: often, ...options })
  const pong = Behaviors.receiveMessage<Ping>(({ replyTo }) => replyTo.tell('pong'))
  node.system.spawn(pong, 'pong')
  return node
}

const ask = (from: TestNode, to: TestNode): Promise<string> =>
  (from.remoting.refAt(to.remoting.address, '/user/pong') as ActorRef<Ping>).ask<string>(
    (replyTo) => ({ replyTo }),
    { timeout: '30s' },
  )

/** How often its files were taken up. */
const reloads = (node: TestNode): number => node.logs.matching(takenUp).length

describe('T02 certificates that are replaced while nodes run', () => {
  test('are used by new connections, and those that stand live on', async () => {
    const authority = new Authority()
    const files = filesWith(authority.cert, authority.issue())
    const a = await start({ tls: files.tls })
    const shown: string[] = []
    const verify = ({ serialNumber }: { readonly serialNumber: string }): boolean =>
      shown.push(serialNumber) > 0
    const b = await start({ tls: { ...authority.credentials(), verify } })
    const broken: unknown[] = []
    for (const { system } of [a, b]) {
      system.eventStream.subscribe(PeerDisconnected, (event) => broken.push(event))
    }
    expect(await ask(a, b)).toBe('pong')
    const before = new Set(shown)

    const next = authority.issue()
    files.write(next)
    await a.logs.expect(takenUp, patient)
    expect(await ask(a, b)).toBe('pong')
    expect([broken, new Set(shown)]).toEqual([[], before])

    // To somebody else, and so by a connection that did not stand before.
    const c = await start({ tls: { ...authority.credentials(), verify } })
    expect(await ask(a, c)).toBe('pong')
    expect(shown.at(-1)).toBe(new X509Certificate(next.cert).serialNumber)
  })

  test('so is an authority, step by step and without a lost answer', async () => {
    const [before, after] = [new Authority('before'), new Authority('after')]
    const both = before.cert + after.cert
    const files = [0, 1].map(() => filesWith(before.cert, before.issue()))
    const [a, b] = (await Promise.all(files.map(({ tls }) => start({ tls })))) as [
      TestNode,
      TestNode,
    ]
    const broken: unknown[] = []
    for (const { system } of [a, b]) {
      system.eventStream.subscribe(PeerDisconnected, (event) => broken.push(event))
    }
    const over = new AbortController()
    const answers = (async () => {
      let count = 0
      for (; !over.signal.aborted; count++) {
        expect([await ask(a, b), await ask(b, a)]).toEqual(['pong', 'pong'])
      }
      return count
    })()
    const steps: readonly (() => { ca?: string } & Partial<Credentials>)[] = [
      () => ({ ca: both }),
      () => after.issue(),
      () => ({ ca: after.cert }),
    ]
    for (const [index, step] of steps.entries()) {
      // One node after the other, as in a rollout: nodes of two steps are together, and a newcomer joins them.
      for (const [at, node] of [a, b].entries()) {
        const changed = step()
        files[at]!.write(changed)
        await until(node, index + 1)
        const newcomer = await start({ tls: materialOf(index, before, after) })
        expect([await ask(newcomer, a), await ask(newcomer, b)]).toEqual(['pong', 'pong'])
        expect([await ask(a, newcomer), await ask(b, newcomer)]).toEqual(['pong', 'pong'])
      }
    }
    over.abort()
    expect(await answers).toBeGreaterThan(0)
    const lost = broken.filter((event) =>
      [a, b].some(({ remoting }) => (event as PeerDisconnected).node === remoting.node),
    )
    expect(lost).toEqual([])
  })

  /** A newcomer that goes with the step and with the one before it. */
  function materialOf(step: number, before: Authority, after: Authority) {
    const both = [before.cert, after.cert]
    if (step === 0) return { ca: both, ...before.issue() }
    return { ca: both, ...after.issue() }
  }

  async function until(node: TestNode, count: number): Promise<void> {
    while (reloads(node) < count) {
      await node.logs.expect(takenUp, patient)
      await new Promise(setImmediate)
    }
  }

  test('are not used before certificate and key go together, and that is no news', async () => {
    const authority = new Authority()
    const files = filesWith(authority.cert, authority.issue())
    const settings = { certificates: { reloadIntervalMs: 40 } }
    const a = await start({ tls: files.tls, remote: settings })
    const { cert, key } = authority.issue()
    files.write({ cert })
    files.write({ key })
    await a.logs.expect(takenUp, patient)
    expect(a.logs.matching(/cannot be used/)).toEqual([])
  })

  test.each<[string, (authority: Authority) => Partial<Credentials & { ca: string }>, RegExp]>([
    ['do not go together', (authority) => ({ cert: authority.issue().cert }), /not the key of/],
    ['are no PEM', () => ({ cert: 'nothing of the kind' }), /has no PEM in it/],
    ['are of another cluster', (authority) => authority.issue({ dnsNames: ['x'] }), /has x, and/],
    [
      'have run out',
      (authority) => authority.issue({ fromSeconds: -20, toSeconds: -10 }),
      /is valid from .* and not now/,
    ],
    ['are of an authority that is not listed', () => new Authority().issue(), /is not signed by/],
  ])(
    'are not taken up when they %s: told once, and the old ones serve',
    async (_what, make, why) => {
      const authority = new Authority()
      const files = filesWith(authority.cert, authority.issue())
      const [a, b] = [
        await start({ tls: files.tls }),
        await start({ tls: authority.credentials() }),
      ]
      files.write(make(authority))
      const { message } = await a.logs.expect(/this node goes on with what it had/, patient)
      expect(message).toMatch(why)
      expect(message).not.toMatch(/BEGIN|nothing of the kind/)
      expect(await ask(a, b)).toBe('pong')
      files.write(authority.issue())
      await a.logs.expect(takenUp, patient)
      expect(a.logs.matching(/this node goes on/)).toHaveLength(1)
    },
  )

  test('are those of before while their files are gone', async () => {
    const authority = new Authority()
    const files = filesWith(authority.cert, authority.issue())
    const [a, b] = [await start({ tls: files.tls }), await start({ tls: authority.credentials() })]
    files.remove()
    await a.logs.expect(/the file .* cannot be read \(ENOENT\)/, patient)
    expect(await ask(a, b)).toBe('pong')
  })
})

describe('T03 a secret that is replaced', () => {
  test('lets nodes of two steps speak, on TCP and on TLS', async () => {
    const [old, fresh] = ['the secret as it was', 'the secret to come.']
    const authority = new Authority()
    for (const tls of [undefined, authority.credentials()]) {
      const network = tls === undefined ? {} : { tls }
      const a = await start({ secret: [old, fresh], ...network })
      const b = await start({ secret: [fresh, old], ...network })
      const c = await start({ secret: fresh, ...network })
      for (const [from, to] of [
        [a, b],
        [b, a],
        [b, c],
        [c, b],
      ] as const) {
        expect(await ask(from, to)).toBe('pong')
      }
    }
  })
})
