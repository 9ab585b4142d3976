/**
 * Adapter: while a world steps, the ways out to the real world (network, disk, processes, threads) refuse with the call
 * site, since what comes through them differs from run to run. What was captured before the simulation and goes past
 * them is still seen: Node tells of every resource that its event loop will serve.
 */
import { createHook, type AsyncHook } from 'node:async_hooks'
import childProcess from 'node:child_process'
import cluster from 'node:cluster'
import nodeCrypto from 'node:crypto'
import dgram from 'node:dgram'
import dns from 'node:dns'
import fs from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import tls from 'node:tls'
import workerThreads from 'node:worker_threads'
import zlib from 'node:zlib'
import { Patches } from './globals/patches.ts'
import { SimulationEscape } from './simulation-errors.ts'

interface Exits {
  readonly name: string
  readonly target: object
  readonly keys: readonly string[]
}

const functionsOf = (target: object): string[] =>
  Object.keys(target).filter(
    (key) => /^[a-z]/.test(key) && typeof Reflect.get(target, key) === 'function',
  )

const existing = (target: object, ...keys: string[]): string[] =>
  keys.filter((key) => key in target)

const exits: readonly Exits[] = [
  { name: 'fs', target: fs, keys: [...functionsOf(fs), 'ReadStream', 'WriteStream'] },
  { name: 'fs.realpath', target: fs.realpath, keys: ['native'] },
  { name: 'fs.realpathSync', target: fs.realpathSync, keys: ['native'] },
  { name: 'fs.promises', target: fs.promises, keys: functionsOf(fs.promises) },
  { name: 'net', target: net, keys: ['connect', 'createConnection'] },
  { name: 'net.Socket', target: net.Socket.prototype, keys: ['connect'] },
  { name: 'net.Server', target: net.Server.prototype, keys: ['listen'] },
  { name: 'tls', target: tls, keys: ['connect'] },
  { name: 'http', target: http, keys: ['request', 'get'] },
  { name: 'https', target: https, keys: ['request', 'get'] },
  { name: 'http2', target: http2, keys: ['connect'] },
  { name: 'dns', target: dns, keys: functionsOf(dns) },
  { name: 'dns.promises', target: dns.promises, keys: functionsOf(dns.promises) },
  { name: 'dgram', target: dgram, keys: ['createSocket'] },
  { name: 'dgram.Socket', target: dgram.Socket.prototype, keys: ['bind', 'connect', 'send'] },
  { name: 'child_process', target: childProcess, keys: functionsOf(childProcess) },
  { name: 'cluster', target: cluster, keys: ['fork'] },
  {
    name: 'worker_threads',
    target: workerThreads,
    keys: ['Worker', 'MessageChannel', 'BroadcastChannel'],
  },
  {
    name: 'zlib',
    target: zlib,
    keys: functionsOf(zlib).filter((key) => !/Sync$|^crc32$/.test(key)),
  },
  {
    name: 'crypto',
    target: nodeCrypto,
    keys: existing(
      nodeCrypto,
      'pbkdf2',
      'scrypt',
      'hkdf',
      'generateKey',
      'generateKeySync',
      'generateKeyPair',
      'generateKeyPairSync',
      'generatePrime',
      'generatePrimeSync',
      'checkPrime',
    ),
  },
  {
    name: 'crypto.subtle',
    target: nodeCrypto.webcrypto.subtle,
    keys: Object.getOwnPropertyNames(Object.getPrototypeOf(nodeCrypto.webcrypto.subtle)).filter(
      (key) => key !== 'constructor',
    ),
  },
  { name: 'process', target: process, keys: ['exit', 'abort', 'kill', 'reallyExit', 'dlopen'] },
  {
    name: 'globalThis',
    target: globalThis,
    keys: existing(
      globalThis,
      'fetch',
      'WebSocket',
      'EventSource',
      'MessageChannel',
      'BroadcastChannel',
    ),
  },
]

/** Resources that Node's event loop serves in its own time, as its async hooks name them. */
const realResources: ReadonlySet<string> = new Set(
  (
    'Timeout Immediate FSREQCALLBACK FSREQPROMISE FILEHANDLE FSEVENTWRAP STATWATCHER GETADDRINFOREQWRAP ' +
    'GETNAMEINFOREQWRAP QUERYWRAP TCPCONNECTWRAP TCPSERVERWRAP PIPECONNECTWRAP PIPESERVERWRAP UDPWRAP UDPSENDWRAP ' +
    'PROCESSWRAP WORKER ZLIB PBKDF2REQUEST SCRYPTREQUEST RANDOMBYTESREQUEST RANDOMPRIMEREQUEST CHECKPRIMEREQUEST ' +
    'KEYPAIRGENREQUEST KEYGENREQUEST HASHREQUEST CIPHERREQUEST SIGNREQUEST DERIVEBITSREQUEST MESSAGEPORT'
  ).split(' '),
)

/** Loading code, printing and the synchronous twins of thread-pool functions are no business with the world. */
const innocentCaller = /^node:internal\/(modules|source_map)\//
const innocentFrame = /\bnode:internal\/console\/|\bconsole\.\w+ |\bConsole\.\w+ |Sync\]? \(node:/
/** Frames of Node and of this room tell nobody where a call comes from. */
const ownFrame = /\(?node:|^new Promise|[\\/]simulation[\\/](escapes|microtasks)\.[jt]s:/

export class Escapes {
  readonly #patches = new Patches()
  readonly #watch: AsyncHook
  readonly #report: (escape: SimulationEscape) => void
  #isLooking = false

  /** `report` hears of every escape, also of one whose error the caller swallows. */
  constructor(report: (escape: SimulationEscape) => void) {
    this.#report = report
    for (const { name, target, keys } of exits) {
      for (const key of keys)
        this.#close(target, key, name === 'globalThis' ? key : `${name}.${key}`)
    }
    this.#watch = createHook({
      init: (_id, type) => {
        if (realResources.has(type)) this.#started(type)
      },
    })
  }

  install(): void {
    // They are made at first use, by code that keeps what `fs` offers at that moment.
    void process.stdout
    void process.stderr
    this.#patches.install()
    syncBuiltinESMExports()
    this.#watch.enable()
  }

  restore(): void {
    this.#watch.disable()
    this.#patches.restore()
    syncBuiltinESMExports()
  }

  #close(target: object, key: string, called: string): void {
    const mayPass = (refuse: AnyFunction): boolean => this.#mayPass(refuse)
    const refuseWith = (refuse: AnyFunction): never => this.#refuse(called, refuse)
    const patches = this.#patches
    patches.add(target, key, (original: (...values: unknown[]) => unknown) => {
      const refuse = function (this: unknown, ...values: unknown[]): unknown {
        if (!mayPass(refuse)) return refuseWith(refuse)
        const present = patches.isInstalled
          ? original
          : patches.present(target, key, refuse, original)
        if (new.target === undefined) return Reflect.apply(present, this, values)
        return Reflect.construct(present, values, new.target === refuse ? present : new.target)
      }
      // What hangs on a function stays reachable: prototypes for instanceof, realpath.native.
      refuse.prototype = original.prototype as unknown
      return Object.setPrototypeOf(refuse, original) as unknown
    })
  }

  #mayPass(refuse: AnyFunction): boolean {
    if (!this.#patches.isInstalled || this.#isLooking) return true
    const frames = this.#framesAbove(refuse)
    return (
      innocentCaller.test(frames[0]?.replace(/^.*\(/, '') ?? '') ||
      frames.some((frame) => innocentFrame.test(frame))
    )
  }

  #refuse(called: string, refuse: AnyFunction): never {
    const escape = new SimulationEscape(called, this.#callSite(this.#framesAbove(refuse)))
    this.#report(escape)
    throw escape
  }

  /** Nothing can be refused here any more, so it is only reported. */
  #started(type: string): void {
    const frames = this.#framesAbove(this.#started)
    if (frames.some((frame) => innocentFrame.test(frame))) return
    const called = frames.some((frame) => frame.includes('node:internal/modules/'))
      ? 'import()'
      : `${type} (kept from before the simulation)`
    this.#report(new SimulationEscape(called, this.#callSite(frames.slice(1))))
  }

  #callSite(frames: readonly string[]): string {
    return frames.find((frame) => !ownFrame.test(frame)) ?? frames[0] ?? 'an unknown place'
  }

  /** Making a stack may itself read files (source maps): that passes. */
  #framesAbove(caller: AnyFunction): string[] {
    const limit = Error.stackTraceLimit
    this.#isLooking = true
    try {
      Error.stackTraceLimit = 30
      const holder: { stack?: string } = {}
      Error.captureStackTrace(holder, caller)
      const lines = String(holder.stack).split('\n')
      return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim().slice(3))
    } finally {
      Error.stackTraceLimit = limit
      this.#isLooking = false
    }
  }
}

type AnyFunction = (...values: never[]) => unknown
