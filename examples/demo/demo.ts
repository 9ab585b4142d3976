/**
 * The operator: starts the nodes, keeps desk and ledger, and does what keys or the unattended plan say. Its process is no
 * member of the cluster and touches no account; everything goes through the nodes.
 */
import { Desk, type Assignment } from './desk.ts'
import { LiveAudit } from './live-audit.ts'
import type { FromNode } from './messages.ts'
import { type Exit, Processes } from './processes.ts'
import { isDead, Scene } from './scene.ts'
import { Ledger, type Statement } from './transfers.ts'
import type { Check, Footer, NodeView, View } from './view.ts'
import { endingOf } from './words.ts'

export interface DemoPlan {
  readonly store: string
  readonly nodes: number
  readonly accounts: number
  readonly tellers: number
}

/** Milliseconds that only go forward. */
export type Now = () => number

export class Demo {
  readonly scene = new Scene()
  readonly #plan: DemoPlan
  readonly #now: Now
  readonly #accounts: readonly string[]
  readonly #desk: Desk
  readonly #processes: Processes
  readonly #addresses = new Map<string, string>()
  /** Loaded, and waiting for somebody to join. */
  readonly #waiting = new Set<string>()
  /** Whose end is no surprise. */
  readonly #doomed = new Set<string>()
  /** Who was paused in this life. */
  readonly #slept = new Set<string>()
  /** Where each node listens, also in its next life. */
  readonly #ports = new Map<string, number>()
  /** Why nodes have stopped, by their own words. */
  readonly #reasons = new Map<string, string>()
  #ledger: Ledger | undefined
  #forming: string | undefined
  #started = 0
  #counting: ((statements: ReadonlyMap<string, Statement> | undefined) => void) | undefined
  #countingOn: string | undefined
  #audit: LiveAudit | undefined
  #check: Check | undefined
  /** The last words of nodes that ended though nobody wanted them to. */
  readonly lastWords: string[] = []

  constructor(plan: DemoPlan, now: Now) {
    this.#plan = plan
    this.#now = now
    this.#accounts = Array.from({ length: plan.accounts }, (_, index) => `account-${index + 1}`)
    this.#desk = new Desk({
      accounts: this.#accounts,
      tellers: plan.tellers,
      // Above all numbers of earlier runs on the same store: accounts take a lower one for a late repetition.
      firstNumber: Date.now() * 1_000,
      random: Math.random,
    })
    this.#processes = new Processes({
      message: (name, message) => this.#heard(name, message),
      exited: (name, exit) => this.#exited(name, exit),
    })
  }

  get ledger(): Ledger | undefined {
    return this.#ledger
  }

  get underWay(): number {
    return this.#desk.underWay.length
  }

  get processes(): Processes {
    return this.#processes
  }

  nodes(): NodeView[] {
    return this.scene.nodes(this.#now())
  }

  /** All but the dead, of whom nothing is expected. */
  expected(): NodeView[] {
    return this.nodes().filter((node) => !isDead(node))
  }

  /** Nodes that can be asked. */
  healthy(): NodeView[] {
    return this.nodes().filter(
      (node) =>
        node.process === 'running' && node.member === 'Up' && node.isReachable && !node.isFrozen,
    )
  }

  view(footer: Footer): View {
    const { done = 0, refused = 0, coins = 0 } = this.#ledger ?? {}
    const nowMs = this.#now()
    const books = {
      ...{ accounts: this.#plan.accounts, coins, done, refused, underWay: this.underWay },
      ...{ check: this.#check, longestWaitMs: this.#desk.longestWaitMs(nowMs) },
    }
    return this.scene.view(books, footer, nowMs)
  }

  /** Counts what is in the accounts, and lets the tellers begin. */
  async open(): Promise<void> {
    const opening = await this.count()
    if (opening === undefined) throw new Error('The accounts could not be read.')
    this.#ledger = new Ledger(opening)
    for (const { name } of this.healthy()) this.#give(this.#desk.opened(name))
  }

  /** So many customers come in. */
  serve(customers: number): void {
    for (let count = 0; count < customers; count++) {
      const next = this.#desk.next(this.#now())
      if (next === undefined) return
      this.#audit?.begun(next.transfer)
      this.#give([next])
    }
  }

  /** No new customers; those at the counter are served. */
  stopTransfers(): void {
    this.#desk.close()
  }

  /** Looks into all accounts while money moves. Only one look at a time. */
  async check(): Promise<void> {
    if (this.#ledger === undefined || this.#counting !== undefined) return
    const audit = new LiveAudit(this.#ledger.expected, this.#desk.underWay)
    this.#audit = audit
    const statements = await this.count()
    this.#audit = undefined
    if (statements === undefined) return
    const { problems, undecided } = audit.judge(statements)
    const atMs = this.#now()
    for (const problem of problems.slice(0, 3)) this.scene.say(problem, 'bad', atMs)
    // Right is only what all accounts have shown; what is wrong stays wrong.
    const isRight = problems.length === 0 && this.#check?.isRight !== false
    if (!isRight || undecided === 0) this.#check = { atMs, isRight }
  }

  /** What is in all accounts; undefined when the node that was asked ended before it had answered. */
  count(): Promise<ReadonlyMap<string, Statement> | undefined> {
    const name = this.healthy()[0]?.name
    if (name === undefined) return Promise.resolve(undefined)
    // A look that is under way gives way.
    this.#counting?.(undefined)
    this.#processes.send(name, { type: 'GetStatements', accounts: this.#accounts })
    return new Promise((resolve) => {
      this.#counting = (statements) => {
        this.#counting = undefined
        resolve(statements)
      }
      this.#countingOn = name
    })
  }

  // ---- what can be done to nodes

  add(): string {
    const name = `node ${++this.#started}`
    const pid = this.#processes.start(name)
    this.scene.spawned(name, pid)
    if (this.#ledger !== undefined) this.scene.say(`${name} is added`, 'plain', this.#now())
    return name
  }

  /** Starts a dead node again, where it was: another life of it, with another number. */
  restart(name: string): void {
    const node = this.#find(name)
    if (node?.process !== 'gone') return
    this.#doomed.delete(name)
    this.#slept.delete(name)
    this.#reasons.delete(name)
    this.scene.spawned(name, this.#processes.start(name))
    this.scene.say(`${name} is started again`, 'plain', this.#now())
  }

  kill(name: string): void {
    if (!this.#isAlive(name)) return
    this.#doomed.add(name)
    this.scene.kills++
    this.scene.say(`kill -9 ${name}`, 'bad', this.#now())
    this.#processes.signal(name, 'SIGKILL')
  }

  drain(name: string): void {
    const node = this.#find(name)
    if (node === undefined || node.process === 'gone' || node.process === 'draining') return
    if (node.process === 'paused') this.togglePause(name)
    this.#doomed.add(name)
    this.scene.processIs(name, 'draining')
    this.scene.say(`drain ${name} (SIGTERM)`, 'warning', this.#now())
    this.#give(this.#desk.closed(name, false))
    this.#processes.signal(name, 'SIGTERM')
  }

  togglePause(name: string): void {
    const node = this.#find(name)
    if (node?.process === 'running') {
      this.scene.processIs(name, 'paused')
      this.#slept.add(name)
      if (name === this.#countingOn) this.#counting?.(undefined)
      this.scene.say(`pause ${name} (SIGSTOP); press p again to wake it`, 'warning', this.#now())
      this.#processes.signal(name, 'SIGSTOP')
      // Its customers go elsewhere. When it wakes it will repeat their orders, and none is booked twice.
      this.#give(this.#desk.closed(name, true))
    } else if (node?.process === 'paused') {
      this.scene.processIs(name, 'running')
      this.scene.say(`wake ${name} (SIGCONT)`, 'plain', this.#now())
      this.#processes.signal(name, 'SIGCONT')
      if (node.member === 'Up') this.#give(this.#desk.opened(name))
    }
  }

  #find(name: string): NodeView | undefined {
    return this.nodes().find((node) => node.name === name)
  }

  #isAlive(name: string): boolean {
    return this.#processes.names.includes(name)
  }

  // ---- what nodes say

  #heard(name: string, message: FromNode): void {
    const nowMs = this.#now()
    switch (message.type) {
      case 'Loaded':
        this.#waiting.add(name)
        return this.#letJoin()
      case 'Started':
        return this.#joined(name, message.address)
      case 'Finished':
        return this.#finished(message, nowMs)
      case 'Statements':
        if (name === this.#countingOn) this.#counting?.(new Map(message.statements))
        return
      case 'Event':
        return this.scene.happened(message.event, nowMs)
      case 'Report':
        return this.scene.reported(name, message.report, nowMs)
      case 'Stopped':
        this.#reasons.set(name, message.reason)
    }
  }

  /** The first node forms the cluster; the others join through all that are there. */
  #letJoin(): void {
    const seeds = [...this.#addresses.values()]
    if (seeds.length === 0 && this.#forming !== undefined) return
    for (const name of this.#waiting) {
      this.#waiting.delete(name)
      const port = this.#ports.get(name)
      this.#processes.send(name, { type: 'Start', store: this.#plan.store, seeds, port })
      if (seeds.length > 0) continue
      this.#forming = name
      return
    }
  }

  #joined(name: string, address: string): void {
    if (this.#forming === name) this.#forming = undefined
    this.#addresses.set(name, address)
    this.#ports.set(name, Number(address.slice(address.lastIndexOf(':') + 1)))
    this.scene.started(name, address, this.#now())
    this.#letJoin()
    if (this.#ledger === undefined) return
    this.scene.joins++
    this.#give(this.#desk.opened(name))
  }

  #finished({ transfer, outcome }: Extract<FromNode, { type: 'Finished' }>, nowMs: number): void {
    if (!this.#desk.finished(transfer, nowMs)) return
    this.#ledger?.acknowledge(transfer, outcome)
  }

  #give(assignments: readonly Assignment[]): void {
    for (const { node, transfer } of assignments) {
      this.#processes.send(node, { type: 'CarryOut', transfer })
    }
  }

  #exited(name: string, { code, words }: Exit): void {
    const wasPaused = this.#find(name)?.process === 'paused'
    this.#addresses.delete(name)
    this.#waiting.delete(name)
    if (this.#forming === name) this.#forming = undefined
    this.scene.processIs(name, 'gone')
    if (!this.#doomed.has(name)) {
      const reason = this.#reasons.get(name)
      const how = endingOf({ reason, code, wasPaused, hasSlept: this.#slept.has(name) })
      this.scene.say(`${name} ${how}`, 'warning', this.#now())
      this.lastWords.push(`${name} ${how}; its last words:`, ...words.map((line) => `  ${line}`))
    } else if (code === 0) {
      this.scene.say(`${name} has left`, 'plain', this.#now())
    }
    if (name === this.#countingOn) this.#counting?.(undefined)
    this.#give(this.#desk.closed(name, true))
    this.#letJoin()
  }
}
