/** The node processes: starts them, speaks with them, and ends every one of them by its own pid. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromNode, ToNode } from './messages.ts'

export interface Exit {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly words: readonly string[]
}

export interface ProcessListener {
  message(name: string, message: FromNode): void
  /** With what it wrote last, for the case that nobody wanted it to end. */
  exited(name: string, exit: Exit): void
}

/** Lines of output remembered per process. */
const wordsMax = 20

// As source under a loader, or compiled.
const program = fileURLToPath(
  new URL(`./node-process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
)

export class Processes {
  readonly #listener: ProcessListener
  readonly #children = new Map<string, ChildProcess>()

  constructor(listener: ProcessListener) {
    this.#listener = listener
  }

  get names(): string[] {
    return [...this.#children.keys()]
  }

  /** Answers its pid; 0 when the system gave us none, and `exited` tells why. */
  start(name: string): number {
    // In a group of its own, so that a Ctrl-C at the terminal reaches us alone and we can close in order.
    const child = fork(program, [name], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#children.set(name, child)
    const words: string[] = []
    const listen = (chunk: Buffer): void => {
      words.push(...chunk.toString().trimEnd().split('\n'))
      words.splice(0, words.length - wordsMax)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.on('message', (message) => this.#listener.message(name, message as FromNode))
    const ended = (code: number | null): void => {
      if (!this.#children.delete(name)) return
      this.#listener.exited(name, { code, words })
    }
    child.on('error', (error) => {
      words.push(error.message)
      if (child.pid === undefined) ended(null)
    })
    child.on('close', ended)
    return child.pid ?? 0
  }

  send(name: string, message: ToNode): void {
    const child = this.#children.get(name)
    // A child that has just ended: its exit is about to be told.
    if (child?.connected === true) child.send(message, () => undefined)
  }

  signal(name: string, signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#children.get(name)?.kill(signal)
  }

  /** At once, and also those that are stopped: nothing may stay behind us. */
  killAll(): void {
    for (const child of this.#children.values()) child.kill('SIGKILL')
  }
}
