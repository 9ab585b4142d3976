/** One day of the bank: opens it, lets it run until somebody or the clock ends it, closes it in order and checks the books. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as rest } from 'node:timers/promises'
import { Demo } from './demo.ts'
import type { Command } from './keys.ts'
import type { DemoOptions } from './options.ts'
import { type Display, openDisplay } from './screen.ts'
import type { Statement } from './transfers.ts'
import { type Step, Unattended, stepInWords } from './unattended.ts'
import type { Footer } from './view.ts'
import { counted, inWords, milliseconds, wrapped } from './words.ts'

const plan = { nodes: 3, accounts: 120, tellers: 1_000 }
const customersPerSecond = 300
const serveEveryMs = 20
const lookEveryMs = 50
const showEveryMs = 250
const sampleEveryMs = 500
const checkEveryMs = 2_000
const columnsMax = 80
const openWithinMs = 30_000
const closeWithinMs = 30_000
const leaveWithinMs = 4_000

/** Answers the exit code. */
export async function runBank(options: DemoOptions): Promise<number> {
  const store = options.store === undefined ? undefined : resolve(options.store)
  const folder = store ?? mkdtempSync(join(tmpdir(), 'sherd-demo-'))
  const day = new Day(folder, options.seconds)
  // Whatever happens, no process and no folder stays behind.
  const cleanUp = (): void => {
    day.demo.processes.killAll()
    if (store === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', cleanUp)
  const interrupted = (): void => day.quit()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted)
  // Whoever read our lines has gone: `npm start | head`.
  process.stdout.on('error', () => process.exit(1))
  try {
    return await day.run()
  } finally {
    await day.endProcesses()
  }
}

class Day {
  readonly demo: Demo
  readonly #seconds: number | undefined
  readonly #unattended: Unattended | undefined
  readonly #display: Display
  readonly #startedMs = performance.now()
  #openedMs = 0
  #isQuitting = false
  #footer: Footer | undefined

  constructor(store: string, seconds: number | undefined) {
    this.#seconds = seconds
    this.#unattended = seconds === undefined ? undefined : new Unattended(seconds)
    this.demo = new Demo({ ...plan, store }, () => this.#nowMs())
    this.#display = openDisplay((command) => this.#obey(command))
  }

  async run(): Promise<number> {
    const timers = [
      setInterval(() => this.#show(), showEveryMs),
      setInterval(() => this.demo.scene.sample(this.#nowMs()), sampleEveryMs),
    ]
    try {
      if (!(await this.#open())) return this.#notOpened()
      const customers = (customersPerSecond * serveEveryMs) / 1_000
      timers.push(setInterval(() => this.demo.serve(customers), serveEveryMs))
      void this.demo.check()
      const checks = setInterval(() => void this.demo.check(), checkEveryMs)
      timers.push(checks)
      await this.#until(() => this.#isOver(), Infinity)
      clearInterval(checks)
      return await this.#close()
    } finally {
      for (const timer of timers) clearInterval(timer)
      this.#display.close()
    }
  }

  /** In order; a second time at once. */
  quit(): void {
    if (this.#isQuitting) process.exit(1)
    this.#isQuitting = true
  }

  /** Lets the nodes leave, but not for long: everything is stored. */
  async endProcesses(): Promise<void> {
    const { processes } = this.demo
    for (const name of processes.names) {
      processes.signal(name, 'SIGCONT')
      processes.signal(name, 'SIGTERM')
    }
    await this.#until(() => processes.names.length === 0, leaveWithinMs)
    processes.killAll()
    await this.#until(() => processes.names.length === 0, leaveWithinMs)
  }

  async #open(): Promise<boolean> {
    this.#footer = { type: 'closing', text: 'The nodes start and find each other …' }
    for (let count = 0; count < plan.nodes; count++) this.demo.add()
    const isOpen = (): boolean => this.demo.healthy().length === plan.nodes
    await this.#until(() => isOpen() || this.#isQuitting, openWithinMs)
    if (!isOpen()) return false
    await this.demo.open()
    this.#openedMs = this.#nowMs()
    this.#footer = undefined
    this.demo.scene.say('the bank is open', 'good', this.#openedMs)
    return true
  }

  #isOver(): boolean {
    if (this.#isQuitting) return true
    const openMs = this.#nowMs() - this.#openedMs
    if (this.#seconds !== undefined && openMs >= this.#seconds * 1_000) return true
    const nodes = this.demo.expected()
    const healthy = this.demo.healthy().length
    const situation = { elapsedMs: openMs, healthy, isChanging: healthy !== nodes.length }
    const step = this.#unattended?.next(situation)
    if (step !== undefined) this.#take(step)
    return false
  }

  async #close(): Promise<number> {
    this.#footer = { type: 'closing', text: 'The bank closes: the last customers are served …' }
    const { demo } = this
    const isWhole = (): boolean => {
      const nodes = demo.expected()
      return this.#isQuitting || nodes.length === demo.healthy().length
    }
    demo.stopTransfers()
    for (const { name, process } of demo.nodes()) {
      if (process === 'paused') demo.togglePause(name)
    }
    await this.#until(() => {
      // The books can be checked by one node, also when all that were there have been killed.
      if (demo.processes.names.length === 0) demo.add()
      return demo.underWay === 0 && demo.healthy().length > 0 && isWhole()
    }, closeWithinMs)
    this.#footer = { type: 'closing', text: 'The coins are counted …' }
    const closing = demo.underWay === 0 ? await this.#counted() : undefined
    return this.#conclude(closing, isWhole())
  }

  async #counted(): Promise<ReadonlyMap<string, Statement> | undefined> {
    let closing: ReadonlyMap<string, Statement> | undefined
    const asking = (async () => {
      while (closing === undefined) {
        closing = await this.demo.count()
        await rest(lookEveryMs)
      }
    })()
    await Promise.race([asking, this.#until(() => closing !== undefined, closeWithinMs)])
    return closing
  }

  #conclude(closing: ReadonlyMap<string, Statement> | undefined, isWhole: boolean): number {
    const { demo } = this
    const view = demo.view({ type: 'keys' })
    const { done, refused, kills, joins, moves, askedAgain, underWay, coins } = view
    const outage = milliseconds(view.longestWaitMs)
    const { ledger } = demo
    const problems =
      ledger === undefined || closing === undefined
        ? [`the coins could not be counted: ${counted(underWay, 'transfer')} did not end`]
        : ledger.audit(closing)
    if (done === 0 && !this.#isQuitting) problems.push('no transfer was done at all')
    if (!isWhole) problems.push('not every node that should be a member was one in the end')
    const [code, last] =
      problems.length === 0
        ? [0, `The books balance: ${inWords(coins)} coins, each transfer booked exactly once.`]
        : [1, `The books do not balance: ${counted(problems.length, 'problem')}.`]
    return this.#say(
      [
        `The bank is closed. Transfers: ${inWords(done)} done, ${inWords(refused)} refused for lack of money.`,
        `Kills: ${kills}. Joins: ${joins}. Shards moved: ${inWords(moves)}. Longest outage: ${outage}.`,
        `Calls asked again: ${inWords(askedAgain)}.`,
        ...problems.slice(0, 10).map((problem) => `  ${problem}`),
        ...(code === 0 ? [] : demo.lastWords),
        last,
      ],
      code,
    )
  }

  #notOpened(): number {
    const why = this.#isQuitting ? 'was closed before it was open' : 'could not be opened'
    return this.#say([...this.demo.lastWords, `The bank ${why}.`], 1)
  }

  #say(lines: readonly string[], code: number): number {
    this.#display.close()
    for (const line of lines.flatMap((each) => wrapped(each, columnsMax))) console.log(line)
    return code
  }

  // ---- keys, steps and what is shown

  #obey(command: Command): void {
    const { demo } = this
    if (command === 'quit') return this.quit()
    if (this.#footer !== undefined || this.#unattended !== undefined) return
    const { scene } = demo
    if (command === 'up') scene.choose(-1, this.#nowMs())
    else if (command === 'down') scene.choose(1, this.#nowMs())
    else if (command === 'add') demo.add()
    else if (scene.chosen !== undefined) {
      if (command === 'kill') demo.kill(scene.chosen)
      if (command === 'drain') demo.drain(scene.chosen)
      if (command === 'pause') demo.togglePause(scene.chosen)
      if (command === 'start') demo.restart(scene.chosen)
    }
    this.#show()
  }

  #take(step: Step): void {
    const { demo } = this
    const names = demo.healthy().map(({ name }) => name)
    const gone = demo.nodes().findLast(({ process }) => process === 'gone')?.name
    if (step === 'add' && gone !== undefined) demo.restart(gone)
    else if (step === 'add') demo.add()
    else if (step === 'drain') demo.drain(names[1]!)
    else demo.kill(names[step === 'kill-oldest' ? 0 : 1]!)
  }

  #show(): void {
    this.#display.show(this.demo.view(this.#footer ?? this.#usualFooter()))
  }

  #usualFooter(): Footer {
    if (this.#unattended === undefined || this.#seconds === undefined) return { type: 'keys' }
    const openMs = this.#nowMs() - this.#openedMs
    const left = Math.max(0, Math.ceil(this.#seconds - openMs / 1_000))
    const { nextStep } = this.#unattended
    const next = nextStep === undefined ? '' : `   next: ${stepInWords[nextStep]}`
    return { type: 'unattended', text: `unattended, ${left} s left${next}   q quit` }
  }

  #nowMs(): number {
    return performance.now() - this.#startedMs
  }

  async #until(isSo: () => boolean, withinMs: number): Promise<void> {
    const deadlineMs = performance.now() + withinMs
    while (!isSo() && performance.now() < deadlineMs) await rest(lookEveryMs)
  }
}
