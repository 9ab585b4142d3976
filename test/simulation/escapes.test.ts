import childProcess, { spawn } from 'node:child_process'
import nodeCrypto, { pbkdf2 } from 'node:crypto'
import dgram from 'node:dgram'
import dns, { lookup } from 'node:dns'
import fs, { readFileSync, writeFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import http, { request } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { createRequire } from 'node:module'
import net, { connect } from 'node:net'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import zlib, { gzip } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { Simulation, SimulationEscape, type Violation } from '../../src/simulation/index.ts'
import { compiledFile } from '../processes/harness/compiled.ts'

/** What happened when `program` ran as user code of a node. */
async function attempt(
  program: () => unknown,
): Promise<{ error: unknown; violations: readonly Violation[] }> {
  const simulation = new Simulation({ seed: 5 })
  let error: unknown
  const actor = simulation.node('a').system.spawn<string>(async () => {
    try {
      await program()
    } catch (caught) {
      // As user code does that hides its errors.
      error = caught
    }
  })
  actor.tell('go')
  await simulation.run({ for: '1s' }).catch(() => {})
  return { error, violations: simulation.violations }
}

const noop = (): void => {}
/** Made before any simulation: its class is not watched, but its methods are. */
const oldSocket = dgram.createSocket('udp4').unref()
const thisFile = fileURLToPath(import.meta.url)
const calls: [string, () => unknown][] = [
  ['fs.readFileSync', () => readFileSync(thisFile)],
  ['fs.writeFile', () => writeFile('/tmp/never', '', noop)],
  ['fs.existsSync', () => fs.existsSync('/')],
  ['fs.createReadStream', () => fs.createReadStream(thisFile)],
  ['fs.ReadStream', () => void Reflect.construct(fs.ReadStream, [thisFile])],
  ['fs.realpathSync.native', () => fs.realpathSync.native(thisFile)],
  ['fs.promises.readFile', () => readFile(thisFile)],
  ['fs.promises.stat', () => fs.promises.stat('/')],
  ['net.connect', () => connect(1)],
  ['net.Socket.connect', () => new net.Socket().connect(1)],
  ['net.Server.listen', () => net.createServer().listen(0)],
  ['net.Server.listen', () => http.createServer().listen(0)],
  ['tls.connect', () => tls.connect(1)],
  ['http.request', () => request('http://localhost')],
  ['http.get', () => http.get('http://localhost')],
  ['https.request', () => https.request('https://localhost')],
  ['http2.connect', () => http2.connect('http://localhost')],
  ['fetch', () => fetch('http://localhost')],
  ['dns.lookup', () => lookup('localhost', noop)],
  ['dns.promises.resolve', () => dns.promises.resolve('localhost')],
  ['dgram.createSocket', () => dgram.createSocket('udp4')],
  ['dgram.Socket.bind', () => oldSocket.bind(0)],
  ['dgram.Socket.send', () => oldSocket.send('x', 1)],
  ['child_process.spawn', () => spawn('true')],
  ['child_process.execFileSync', () => childProcess.execFileSync('true')],
  ['worker_threads.Worker', () => new Worker('', { eval: true })],
  ['MessageChannel', () => new MessageChannel()],
  ['zlib.gzip', () => gzip('x', noop)],
  ['zlib.createGzip', () => zlib.createGzip()],
  ['crypto.pbkdf2', () => pbkdf2('a', 'b', 1, 8, 'sha1', noop)],
  ['crypto.generateKeyPairSync', () => nodeCrypto.generateKeyPairSync('ed25519')],
  ['crypto.subtle.digest', () => crypto.subtle.digest('SHA-256', new Uint8Array(1))],
  ['process.exit', () => process.exit(0)],
]

describe('reaching for the real world', () => {
  test.each(calls)('%s is refused, with the call site', async (called, program) => {
    const { error, violations } = await attempt(program)
    expect(error).toBeInstanceOf(SimulationEscape)
    expect(error).toMatchObject({ code: 'SIMULATION_ESCAPE', called })
    expect((error as SimulationEscape).callSite).toContain('escapes.test.ts')
    expect(violations[0]).toMatchObject({ name: 'nothing escapes to the real world', seed: 5 })
    expect(violations[0]?.detail).toMatch(
      new RegExp(`^${called} was called at .*escapes\\.test\\.ts:\\d+`),
    )
  })

  const keptTimeout = setTimeout
  const keptReadFile = promisify(fs.readFile)
  const kept: [string, () => unknown][] = [
    ['Timeout', () => void keptTimeout(noop, 0)],
    ['FSREQCALLBACK', () => void keptReadFile(thisFile).catch(noop)],
  ]
  test.each(kept)('with a function kept from before is seen as well: %s', async (type, program) => {
    const { violations } = await attempt(program)
    expect(violations).toHaveLength(1)
    expect(violations[0]?.detail).toMatch(new RegExp(`^${type} .*escapes\\.test\\.ts:\\d+`))
  })

  test('is no concern outside of steps', async () => {
    await attempt(() => {})
    expect(readFileSync(thisFile)).toBeTruthy()
    expect(await readFile(thisFile)).toBeTruthy()
    await promisify(gzip)('x')
    await promisify(lookup)('localhost')
    expect(net.createServer().listen).toBe(net.Server.prototype.listen)
  })

  test('is not what computing, cloning and printing do', async () => {
    const { violations } = await attempt(() => {
      nodeCrypto.createHash('sha256').update('x').digest('hex')
      nodeCrypto.pbkdf2Sync('a', 'b', 1, 8, 'sha1')
      zlib.gunzipSync(zlib.gzipSync('x'))
      structuredClone({ a: [1] })
      console.log('printed inside a step')
      createRequire(import.meta.url)('../../package.json')
      return new Error('with a stack').stack
    })
    expect(violations).toEqual([])
  })
})

test('loading a module inside a step is refused by its name', { timeout: 120_000 }, async () => {
  const words = [compiledFile(new URL('fixtures/lazy.ts', import.meta.url))]
  const { stdout } = await promisify(childProcess.execFile)(process.execPath, words)
  expect(stdout).toMatch(/^import\(\) was called at /)
  expect(stdout).not.toMatch(/kept from before|escapes|microtasks/)
})

test('what comes in from outside while the simulation runs is a violation', async () => {
  const simulation = new Simulation({ seed: 3 })
  const { system } = simulation.node('a')
  const restless = system.spawn<string>(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    restless.tell('again')
  })
  restless.tell('go')
  const idle = system.spawn<string>(() => {})
  const outside = setTimeout(() => idle.tell('from outside'), 5)
  await expect(simulation.run({ for: '200s' })).rejects.toThrow('nothing comes in from outside')
  clearTimeout(outside)
})
