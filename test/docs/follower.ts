/**
 * Follows a page as a person at several terminals would: writes the files, types the commands, and waits for what the page
 * says they print. Numbers may be others than on the page, and other lines may stand between; ports are chosen anew, so
 * that nobody is in the way. After a kill something may be on any node that lives, but on no other.
 *
 * What it understands: ```js blocks that begin with `// name.mjs` are files. In ```sh blocks `node …` opens a terminal,
 * `kill` is sent to the process that printed the number on the page, and everything else must end well. A ```text block is
 * what the terminal opened last prints, or the one whose port stands in the sentence before it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Block } from './snippets.ts'

/** One that takes longer does not come. */
const patienceMs = 40_000

class Terminal {
  readonly child: ChildProcess
  readonly lines: string[] = []
  errors = ''
  /** Lines up to here were compared with the page. */
  read = 0
  readonly #news = new EventEmitter()

  constructor(node: string, words: readonly string[], cwd: string) {
    this.child = spawn(node, words, { cwd, env: plainEnvironment() })
    let rest = ''
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      this.lines.push(...parts)
      this.#news.emit('news')
    })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.errors += text))
    this.child.once('exit', () => this.#news.emit('news'))
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** Waits for a line like this one, behind those it has waited for. */
  async expect(pattern: RegExp, where: string): Promise<string> {
    const signal = AbortSignal.timeout(patienceMs)
    for (;;) {
      while (this.read < this.lines.length) {
        const line = this.lines[this.read++]!
        if (pattern.test(line)) return line
      }
      if (this.hasEnded) throw this.#disappointed(where, pattern, 'it has ended')
      await once(this.#news, 'news', { signal }).catch(() => {
        throw this.#disappointed(where, pattern, `it did not come in ${patienceMs} ms`)
      })
    }
  }

  #disappointed(where: string, pattern: RegExp, why: string): Error {
    const said = `${this.lines.join('\n')}\n${this.errors}`
    return new Error(`${where} promises ${String(pattern)}, and ${why}. This was printed:\n${said}`)
  }
}

export interface FollowerOptions {
  /** From the root of the repository. */
  readonly page: string
  /** Where the files are written. */
  readonly folder: string
  /** The program that `node` stands for. */
  readonly node: string
  /** For commands other than `node`. */
  readonly environment: Readonly<Record<string, string>>
}

export class Follower {
  readonly #folder: string
  readonly #page: string
  readonly #node: string
  readonly #environment: Readonly<Record<string, string>>
  /** By the port on the page: the last one is the one that runs. */
  readonly #terminals = new Map<string, Terminal[]>()
  readonly #ports = new Map<string, string>()
  readonly #processes = new Map<string, Terminal>()
  #last: Terminal | undefined = undefined
  /** Once a process was killed, chance decides which of the others takes over. */
  #isByChance = false

  constructor({ page, folder, node, environment }: FollowerOptions) {
    this.#page = page
    this.#folder = folder
    this.#node = node
    this.#environment = environment
  }

  async follow(blocks: readonly Block[]): Promise<void> {
    for (const [, port = ''] of blocks.flatMap(({ lines }) => [
      ...lines.join('\n').matchAll(/127\.0\.0\.1:(\d+)/g),
    ])) {
      if (!this.#ports.has(port)) this.#ports.set(port, await freePort())
    }
    for (const block of blocks) {
      const { language, lines, start } = block
      if (language === 'js') this.#write(lines)
      if (language === 'sh') for (const line of lines) await this.#type(line)
      if (language === 'text') await this.#compare(block, `${this.#page}:${start}`)
    }
  }

  /** All that was printed on one port, over all lives. */
  linesOf(port: string): readonly string[] {
    return (this.#terminals.get(port) ?? []).flatMap(({ lines }) => lines)
  }

  async close(): Promise<void> {
    const open = [...this.#terminals.values()].flat().filter(({ hasEnded }) => !hasEnded)
    await Promise.all(
      open.map(async ({ child }) => {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }),
    )
  }

  #write(lines: readonly string[]): void {
    const name = /^\/\/ ([\w-]+\.mjs)$/.exec(lines[0] ?? '')?.[1]
    if (name === undefined) throw new Error(`${this.#page}: a file must begin with its name`)
    writeFileSync(join(this.#folder, name), this.#withPorts(lines.join('\n')))
  }

  async #type(line: string): Promise<void> {
    const words = line.split(' ')
    if (words[0] === 'kill') return this.#kill(words.slice(1))
    if (words[0] !== 'node') return this.#command(line)
    const port = words.at(-1) ?? ''
    const given = words.slice(1).map((word) => this.#ports.get(word) ?? word)
    this.#last = new Terminal(this.#node, given, this.#folder)
    this.#terminals.set(port, [...(this.#terminals.get(port) ?? []), this.#last])
  }

  /** A process that is asked to end must end well. */
  async #kill(words: readonly string[]): Promise<void> {
    const isForced = words[0] === '-9'
    const terminal = this.#processes.get(words.at(-1) ?? '')
    if (terminal === undefined) throw new Error(`${this.#page}: nobody printed ${words.at(-1)}`)
    const ended = once(terminal.child, 'exit')
    terminal.child.kill(isForced ? 'SIGKILL' : 'SIGTERM')
    const [code] = (await ended) as [number | null]
    if (!isForced && code !== 0) throw new Error(`kill ended with ${code}:\n${terminal.errors}`)
    this.#isByChance = true
    // What is read from now on was printed after it.
    for (const each of [...this.#terminals.values()].flat()) each.read = each.lines.length
  }

  async #command(line: string): Promise<void> {
    const env = { ...plainEnvironment(), ...this.#environment }
    const child = spawn(line, { cwd: this.#folder, env, shell: true })
    let said = ''
    child.stdout.on('data', (text: Buffer) => (said += text.toString()))
    child.stderr.on('data', (text: Buffer) => (said += text.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`${line} ended with ${code}:\n${said}`)
  }

  async #compare({ lines, before }: Block, where: string): Promise<void> {
    const named = /(\d{4}):$/.exec(before)?.[1]
    const terminal = named === undefined ? this.#last : this.#terminals.get(named)?.at(-1)
    if (terminal === undefined) throw new Error(`${where}: no terminal is open`)
    for (const line of lines) {
      const printed = await terminal.expect(this.#patternOf(line), where)
      const numberOnPage = /process (\d+)/.exec(line)?.[1]
      if (numberOnPage === undefined) continue
      if (printed.includes(`process ${terminal.child.pid}`)) {
        this.#processes.set(numberOnPage, terminal)
      }
    }
  }

  /** Other counts and other process numbers are as good; addresses must be right. */
  #patternOf(line: string): RegExp {
    const pattern = this.#withPorts(line)
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/(?<=^| )\d+(?= |$)/g, '\\d+')
      .replace(/(?<= is on ).*$/, (place) => (this.#isByChance ? this.#anyLivingPlace() : place))
    return new RegExp(`^${pattern}$`)
  }

  #anyLivingPlace(): string {
    const living = [...this.#terminals].filter(([, lives]) => lives.at(-1)?.hasEnded === false)
    return `127\\.0\\.0\\.1:(${living.map(([port]) => this.#ports.get(port)).join('|')})`
  }

  #withPorts(text: string): string {
    return text.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, (port) => this.#ports.get(port) ?? port)
  }
}

/** The variables that vitest and npm set for their children are not the reader's. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' }
}

async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<unknown>((resolve) => server.close(resolve))
  return String(port)
}
