import { afterEach, describe, expect, test } from 'vitest'
import { minutes } from '../../src/foundation/duration.ts'
import type { TlsOptions } from '../../src/remote/index.ts'
import { openTls } from '../../src/remote/internals.ts'
import { ManualTime } from '../../src/testkit/index.ts'
import { CertificateFiles } from './certificate-files.ts'
import { Authority } from './certificates.ts'

const dayMs = minutes(24 * 60)
const authority = new Authority()
const folders: CertificateFiles[] = []
const opened: { stop(): void }[] = []

afterEach(() => {
  for (const network of opened.splice(0)) network.stop()
  for (const files of folders.splice(0)) files.remove()
})

/** Time begins now. */
async function open(tls: TlsOptions, expiryWarningMs?: number): Promise<ManualTime> {
  const time = new ManualTime()
  const startMs = Date.now()
  const { timers, logger } = time.environment
  const clock = { monotonicMs: () => time.now, wallMs: () => startMs + time.now }
  const settings = expiryWarningMs === undefined ? {} : { expiryWarningMs }
  const environment = { clock, timers, logger }
  opened.push(await openTls({ tls, clusterName: 'test', settings, environment }))
  return time
}

async function refusal(tls: TlsOptions): Promise<{ readonly code: string; readonly text: string }> {
  try {
    await open(tls)
  } catch (error) {
    const { code, message } = error as Error & { readonly code: string }
    return { code, text: message }
  }
  throw new Error('it was taken')
}

describe('what a node is given for TLS', () => {
  test('may be text, or files', async () => {
    const credentials = authority.issue()
    const files = new CertificateFiles(authority.cert, credentials)
    folders.push(files)
    await open(files.tls)
    await open({ ca: [authority.cert], ...credentials })
    await open({ ...files.tls, ca: [new Authority().cert, files.path('ca')], key: credentials.key })
  })

  test('T01 is refused when its certificate has run out, or its time has not come', async () => {
    for (const shape of [{ fromSeconds: -1_000, toSeconds: -10 }, { fromSeconds: 1_000 }]) {
      const { code, text } = await refusal(authority.credentials(shape))
      expect(code).toBe('OWN_CERTIFICATE_EXPIRED')
      expect(text).toMatch(
        /^The certificate of this node \(`tls\.cert`\) is valid from .+ GMT to .+ GMT, and not now: .* Have it renewed by a CA in `tls\.ca`/,
      )
    }
  })

  const expired = new Authority('expired', undefined, { fromSeconds: -100, toSeconds: -10 })
  test.each<[string, TlsOptions, RegExp]>([
    [
      'another key',
      { ...authority.credentials(), key: authority.issue().key },
      /tls\.key is not the key of tls\.cert/,
    ],
    [
      'no key',
      { ...authority.credentials(), key: authority.cert },
      /tls\.key cannot be used with tls\.cert/,
    ],
    [
      'another authority',
      { ...authority.credentials(), ca: new Authority().cert },
      /tls\.cert is not signed by a certificate in tls\.ca.*\([A-Z_]+\)/,
    ],
    [
      'an authority that has run out',
      expired.credentials(),
      /a certificate between tls\.cert and tls\.ca is not valid now \(CERT_HAS_EXPIRED\)/,
    ],
    [
      'a certificate for servers only',
      authority.credentials({ uses: ['serverAuth'] }),
      /not for servers and clients both \(INVALID_PURPOSE\).*serverAuth and clientAuth/,
    ],
    [
      'a certificate for clients only',
      authority.credentials({ uses: ['clientAuth'] }),
      /not for servers and clients both/,
    ],
    [
      'a certificate without the name of the cluster',
      authority.credentials({ dnsNames: ['node.shop'], commonName: 'node.test' }),
      /tls\.cert has node\.shop, and not test or \*\.test: make it with such a DNS name/,
    ],
    [
      'a file that is not there',
      { ...authority.credentials(), ca: '/nowhere/ca.pem', key: '/nowhere/key.pem' },
      /tls\.ca: the file \/nowhere\/ca\.pem cannot be read \(ENOENT\).*\n.*tls\.key: the file cannot/,
    ],
    [
      'a certificate that is damaged',
      { ...authority.credentials(), cert: authority.cert.replace(/MI/, 'XX') },
      /a certificate in tls\.cert or tls\.ca cannot be read/,
    ],
    [
      'something else in PEM',
      { ...authority.credentials(), cert: authority.key },
      /tls\.cert has no certificate in it/,
    ],
  ])('is refused with %s', async (_what, tls, problem) => {
    const { code, text } = await refusal(tls)
    expect(code).toBe('TLS_UNUSABLE')
    expect(text).toMatch(problem)
    expect(text).not.toMatch(/BEGIN \w|PRIVATE/)
  })

  test.each([
    ['tls.key', 'key', false],
    ['tls.cert', 'cert', false],
    ['tls.ca', 'ca', false],
    ['tls.ca', 'ca', true],
  ] as const)(
    'is never shown where it is a key, also when it has lost the lines around it and looks like a path (%s)',
    async (name, option, isList) => {
      const { key, ...others } = authority.credentials()
      const [lines, bare] = [/-----.*-----/g, /-----.*-----|\n/g].map((all) =>
        key.replaceAll(all, ''),
      )
      for (const given of [lines!, bare!]) {
        const refused = open({ key, ...others, [option]: isList ? [given] : given })
        await expect(refused).rejects.toMatchObject({
          code: 'TLS_UNUSABLE',
          problems: [
            expect.stringMatching(
              new RegExp(
                `^${name}: the file cannot be read \\([A-Z]+\\); if it is no path but PEM`,
              ),
            ),
          ],
        })
        await expect(refused).rejects.not.toThrow(bare!.slice(0, 20))
      }
    },
  )

  test('is shown where it is the name of a file, of one that is there or of one that is not', async () => {
    const { text } = await refusal({ ...authority.credentials(), ca: ['nowhere.pem', '/'] })
    expect(text).toMatch(/tls\.ca: the file nowhere\.pem cannot be read \(ENOENT\)/)
    expect(text).toMatch(/tls\.ca: the file \/ cannot be read \(EISDIR\)/)
  })
})

describe('a certificate that runs out', () => {
  const told = (time: ManualTime): readonly string[] =>
    time.logs.lines.map(({ level, message }) => `${level}: ${message}`)

  test('is told of when the node starts, and once a day, and then that it has', async () => {
    const shape = { fromSeconds: -30 * 86_400, toSeconds: 5 * 86_400 + 60 }
    const time = await open(authority.credentials(shape), 3 * dayMs)
    expect(told(time)).toEqual([])
    await time.advance('60h')
    expect(told(time)).toEqual([
      expect.stringMatching(
        /^warn: The certificate CN=node in `tls\.cert` runs out in 2 days, on .+ GMT: .* Renew it/,
      ),
    ])
    await time.advance('25h')
    expect(told(time)).toHaveLength(2)
    expect(told(time)[1]).toMatch(/runs out in 4\d hours/)
    await time.advance('2d')
    expect(told(time).filter((line) => line.startsWith('error'))).toEqual([
      expect.stringMatching(
        /^error: The certificate CN=node in `tls\.cert` ran out on .+ GMT: no new/,
      ),
    ])
    expect(told(time)).toHaveLength(4)
  })

  test('is told of at the start when that is soon, by default a month before', async () => {
    const near = { fromSeconds: -100 * 86_400, toSeconds: 29 * 86_400 }
    expect(told(await open(authority.credentials(near)))).toHaveLength(1)
    const far = { fromSeconds: -100 * 86_400, toSeconds: 31 * 86_400 }
    expect(told(await open(authority.credentials(far)))).toHaveLength(0)
  })

  test('is not told of all its life when that is short: its last third counts', async () => {
    const time = await open(authority.credentials({ fromSeconds: -60, toSeconds: 86_400 }))
    await time.advance('15h')
    expect(told(time)).toEqual([])
    await time.advance('3h')
    expect(told(time)).toHaveLength(1)
  })

  test('is told of when it is that of an authority', async () => {
    const old = new Authority('old', undefined, { fromSeconds: -8_640_000, toSeconds: 86_400 })
    const time = await open({ ...authority.issue(), ca: [authority.cert, old.cert] })
    expect(told(time)).toEqual([
      expect.stringMatching(/The certificate CN=old in `tls\.ca` runs out/),
    ])
  })
})
