import { describe, expect, test } from 'vitest'
import { found, opening, planted } from './planted.ts'

describe('world-access', () => {
  test.each([
    ['const now = Date.now()'],
    ['const today = new Date()'],
    ['const now = performance.now()'],
    ['const chance = Math.random()'],
    ['const { random } = Math'],
    ['const id = crypto.randomUUID()'],
    ["import { randomUUID } from 'node:crypto'"],
    ['const timer = setTimeout(wake, 10)'],
    ['const timer = setInterval(wake, 10)'],
    ['setImmediate(wake)'],
    ['clearTimeout(timer)'],
    ['clearInterval(timer)'],
    ['clearImmediate(timer)'],
    ['queueMicrotask(wake)'],
    ['setTimeout = wake'],
    ['process.exit(1)'],
    ['const host = isReal ? process : undefined'],
    ['const text = `pid ${process.pid}`'],
    ['const half = total / process.pid / 2'],
    ['console.log(1)'],
    ['const answer = fetch(address)'],
    ['const timers = globalThis.setTimeout'],
    ['const signal = AbortSignal.timeout(10)'],
    ['const held = new WeakRef(value)'],
    ['const ends = new FinalizationRegistry(work)'],
    ['const id = randomUUID()'],
    ['const socket = new WebSocket(address)'],
    ['const source = new EventSource(address)'],
    ['const thread = new Worker(file)'],
    ['const { port1 } = new MessageChannel()'],
    ['const channel = new BroadcastChannel(name)'],
    ["import { connect } from 'node:net'"],
    ["import tls from 'node:tls'"],
    ["import { readFileSync } from 'fs'"],
    ["import { lookup } from 'node:dns/promises'"],
    ["import * as http from 'node:http'"],
    ["import { fork } from 'node:child_process'"],
    ["import { Thread } from 'node:worker_threads'"],
    ["import { cpus } from 'node:os'"],
    ["import { AsyncLocalStorage } from 'node:async_hooks'"],
    ["import { gzip } from 'node:zlib'"],
    ["import { createHash, scrypt } from 'node:crypto'"],
    ["const { readFile } = await import('node:fs/promises')"],
    ["const fs = require('fs')"],
    ['const fs = await import(`node:fs`)'],
    ['const anything = await import(name)'],
    ["export * as fs from 'node:fs'"],
    ["import { open } from 'lmdb'"],
    ["import { Cell } from '/src/actor/cell.ts'"],
    ["import { systemClock } from '../foundation/system-clock.ts'"],
    ['const here = import.meta.dirname'],
    ['global.setTimeout(wake, 10)'],
    ['const timers = { setTimeout, b }'],
    ["const chance = Math['random']()"],
    ["const signal = AbortSignal['timeout'](10)"],
    ['const { timeout } = AbortSignal'],
    ['const Signal = AbortSignal'],
    ['Atomics.wait(numbers, 0, 0, 10)'],
    ['Atomics.waitAsync(numbers, 0, 0, 10)'],
    ['setTimeout(wake)\n{\n}'],
  ])('reports %s', (line) => {
    expect(found('src/actor/cell.ts', line)).toEqual(['src/actor/cell.ts:2 world-access'])
  })

  test('leaves look-alikes alone', () => {
    const lines = [
      '// Date.now() and setTimeout() would be wrong here.',
      '/* process.exit(1) */',
      "const words = 'process.exit(1)' + \"Date\" + `console.log ${'fetch(x)'} Math.random()`",
      'const pattern = /Date.now(process)["`]/g.test(words) ? 1 : 2',
      'const now = clock.performance.now() / env?.process.exit() / 2',
      'export interface Ports {',
      '  readonly process: HostProcess',
      '  console?: Logger',
      '  fetch(address: string): Answer',
      '}',
      'export class Store {',
      '  #process = 1',
      '  readonly setTimeout = (wake: () => void): void => this.after(wake)',
      '  async fetch(address: string): Promise<void> {',
      '    this.#process += Math.max(address.length, options.process.Date)',
      '  }',
      '}',
      'const isDay = value instanceof Date',
      'type Signal = AbortSignal | undefined',
      'const over = (signal: AbortSignal = AbortSignal.abort()): boolean => signal.aborted',
      'const anyOf = (reason: AbortSignal["reason"]): unknown => Atomics.load(numbers, reason)',
      "const room = await import('../actor/index.ts')",
      "import type { Database } from 'lmdb'",
      "import { pack } from 'msgpackr'",
      "import type { SystemClock } from '../foundation/system-clock.ts'",
      "import type { Socket } from 'node:net'",
      "import { createHash, timingSafeEqual } from 'node:crypto'",
      "import { deflateSync } from 'node:zlib'",
      "import { inspect } from 'node:util'",
    ]
    expect(found('src/actor/cell.ts', ...lines)).toEqual([])
  })

  test('lets adapters be held by their room, by the door of the house and by the testkit', () => {
    const files = {
      'src/foundation/system-environment.ts': [opening, "import { a } from './system-clock.ts'"],
      'src/index.ts': [opening, "import { a } from './foundation/console-logger.ts'"],
      'src/testkit/a.ts': [opening, "import { a } from '../foundation/event-loop-dispatcher.ts'"],
    }
    expect(planted(files)).toEqual([])
  })

  test('leaves adapters, tests and code outside src alone', () => {
    const code = [opening, 'setTimeout(() => process.exit(), Date.now())']
    const files = {
      'src/foundation/system-timers.ts': code,
      'src/actor/cell.test.ts': code,
      'bench/run.ts': code,
    }
    expect(planted(files)).toEqual([])
  })
})
