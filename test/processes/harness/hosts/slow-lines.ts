/**
 * Lines to hosts that are slow as lines are: narrow, and filled in bursts by others' traffic, behind which packets wait in the queue of
 * the kernel. So they are late by anything up to three tenths of a second, never the same, and none is lost or overtaken. It is made by
 * `tc` with a token bucket, which kernels have that lack `netem`.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { compiledFile } from '../compiled.ts'
import type { HostNetwork, Seat } from './host-network.ts'
import { run } from './host-tools.ts'
import { deviceTo, storeName } from './packet-rules.ts'

/** Ten megabit; what fills it leaves about a third of that. */
export const bytesPerMs = 1_250
/** Nothing waits as long as that. */
const queueMs = 1_000

const program = compiledFile(new URL('./filler-main.ts', import.meta.url))

export class SlowLines {
  readonly #switch: Seat
  readonly #names: readonly string[]
  readonly #filler: ChildProcess
  /** How late packets were that asked for it, one after the other. */
  readonly lateMs: number[] = []

  constructor(network: HostNetwork, names: readonly string[]) {
    this.#switch = network.seatOf(storeName)
    this.#names = names
    const rate = `${(bytesPerMs * 8) / 1_000}mbit`
    for (const name of names) {
      this.#tc('add', name, 'tbf', 'rate', rate, 'burst', '5kb', 'latency', `${queueMs}ms`)
    }
    const [execPath, ...execArgv] = this.#switch.enter
    const hosts = names.map((name) => network.seatOf(name).host)
    this.#filler = fork(program, hosts, { execPath, execArgv: [...execArgv, process.execPath] })
    this.#filler.on('message', (ms) => this.lateMs.push(ms as number))
  }

  /** All is as fast as before. */
  end(): void {
    this.#filler.kill('SIGKILL')
    for (const name of this.#names) this.#tc('del', name)
  }

  #tc(what: string, name: string, ...how: readonly string[]): void {
    const [, ...enter] = this.#switch.enter
    run('nsenter', [...enter, 'tc', 'qdisc', what, 'dev', deviceTo(name), 'root', ...how])
  }
}
