/** One node in a process of its own, as the test sees it: what it can be asked, what it tells, how it is hurt and ended. */
import { type ChildProcess, fork } from 'node:child_process'
import { compiledFile } from './compiled.ts'
import { type ErrorInWords, type FromProcess, startMethod } from './control-messages.ts'
import { NewsLog } from './news-log.ts'
import { patienceMs, within } from './patience.ts'

/** How a process ended, and how long after the signal that asked it to; 0 when nobody asked. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly tookMs: number
}

/** The methods of a kind of node; what they answer may be a promise. */
type MethodsOf<N> = { [K in keyof N]: N[K] extends (...args: never[]) => unknown ? K : never }
export type MethodName<N> = Extract<MethodsOf<N>[keyof N], string>
type ArgsOf<M> = M extends (...args: infer A) => unknown ? A : never
type ResultOf<M> = M extends (...args: never[]) => infer R ? Awaited<R> : never

/** The node answered with an error. */
export class NodeError extends Error {
  readonly code: string
  readonly mayHaveHappened: boolean

  constructor(node: string, method: string, error: ErrorInWords) {
    super(`${node}.${method}: ${error.name}: ${error.message}`)
    this.name = error.name
    this.code = error.code
    this.mayHaveHappened = error.mayHaveHappened
  }
}

/** The process ended, or had ended. Whether the call was carried out is not known if it `wasSent`. */
export class ProcessGone extends Error {
  override readonly name = 'ProcessGone'
  readonly wasSent: boolean

  constructor(words: string, wasSent: boolean) {
    super(words)
    this.wasSent = wasSent
  }
}

interface OpenCall {
  readonly method: string
  resolve(value: unknown): void
  reject(error: Error): void
}

/** Lines of output kept per process. */
const outputCharactersMax = 200_000

const mainFile = compiledFile(new URL('../node-main.ts', import.meta.url))

export class NodeProcess<N> {
  readonly name: string
  readonly news: NewsLog
  readonly exited: Promise<Exit>
  readonly #child: ChildProcess
  readonly #calls = new Map<number, OpenCall>()
  #lastCall = 0
  readonly #onOutput = new Set<() => void>()
  #output = ''
  #end: Exit | undefined
  #askedToEndMs: number | undefined

  /** The process runs, and has not been told yet what it is: `start` does that. `enter` stands before its command. */
  constructor(name: string, kind: string, enter: readonly string[] = []) {
    this.name = name
    this.news = new NewsLog(name)
    const [execPath, ...execArgv] = [...enter, process.execPath, '--enable-source-maps']
    this.#child = fork(mainFile, [kind], {
      execPath,
      execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => this.#keep(chunk.toString()))
    }
    this.#child.on('message', (message) => this.#received(message as FromProcess))
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error) => this.#keep(`could not be started: ${error}\n`))
      this.#child.once('close', (code, signal) => resolve(this.#ended(code, signal)))
    })
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  get isRunning(): boolean {
    return this.#end === undefined
  }

  /** What it printed, and how it ended. */
  get transcript(): string {
    const { code, signal } = this.#end ?? {}
    const end = this.#end === undefined ? 'running' : `ended with ${signal ?? code}`
    return `--- ${this.name} (${this.pid}), ${end}\n${this.#output}`
  }

  /** Resolves when it has printed this; fails by name. */
  async printed(pattern: RegExp): Promise<void> {
    let look: () => void = () => undefined
    const seen = new Promise<void>((resolve) => {
      look = () => void (pattern.test(this.#output) && resolve())
    })
    this.#onOutput.add(look)
    look()
    try {
      await within(seen, `${String(pattern)} in the output of ${this.name}`)
    } finally {
      this.#onOutput.delete(look)
    }
  }

  // ---- talk

  start(options: unknown): Promise<unknown> {
    return this.#request(startMethod, [options], patienceMs)
  }

  call<M extends MethodName<N>>(method: M, ...args: ArgsOf<N[M]>): Promise<ResultOf<N[M]>> {
    return this.callWithin(patienceMs, method, ...args)
  }

  /** The same with less patience, for nodes that may be asleep. */
  callWithin<M extends MethodName<N>>(
    limitMs: number,
    method: M,
    ...args: ArgsOf<N[M]>
  ): Promise<ResultOf<N[M]>> {
    return this.#request(method, args, limitMs) as Promise<ResultOf<N[M]>>
  }

  #request(method: string, args: readonly unknown[], limitMs: number): Promise<unknown> {
    const id = ++this.#lastCall
    const answered = new Promise<unknown>((resolve, reject) => {
      if (!this.isRunning || !this.#child.connected) {
        return reject(new ProcessGone(`${this.name} had ended before ${method}`, false))
      }
      this.#calls.set(id, { method, resolve, reject })
      // A process that dies now makes the send fail too; its end is what the call is told.
      this.#child.send({ id, method, args }, () => undefined)
    })
    return within(answered, `the answer of ${this.name}.${method}`, limitMs)
  }

  #received(message: FromProcess): void {
    if (message.type === 'News') return this.news.add(message.news)
    const call = this.#calls.get(message.id)
    this.#calls.delete(message.id)
    if (message.type === 'Answer') return call?.resolve(message.value)
    call?.reject(new NodeError(this.name, call.method, message.error))
  }

  // ---- faults and ends

  /** kill -9. */
  kill(): Promise<Exit> {
    return this.#signal('SIGKILL')
  }

  /** SIGTERM: the orderly end. */
  terminate(): Promise<Exit> {
    return this.#signal('SIGTERM')
  }

  /** SIGSTOP: sleeps without knowing it, until `resume`. */
  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  #signal(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit> {
    if (this.isRunning) {
      this.#askedToEndMs ??= performance.now()
      this.#child.kill(signal)
    }
    return within(this.exited, `the end of ${this.name} after ${signal}`)
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): Exit {
    const tookMs = performance.now() - (this.#askedToEndMs ?? performance.now())
    this.#end = { code, signal, tookMs }
    const words = `${this.name} ended with ${signal ?? code}`
    for (const { method, reject } of this.#calls.values()) {
      reject(new ProcessGone(`${words} during ${method}`, true))
    }
    this.#calls.clear()
    this.news.close(words)
    return this.#end
  }

  #keep(text: string): void {
    this.#output = `${this.#output}${text}`.slice(-outputCharactersMax)
    for (const look of [...this.#onOutput]) look()
  }
}
