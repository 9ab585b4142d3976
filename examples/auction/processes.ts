/** Starts processes of the auction house, and kills them. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface Server {
  readonly process: ChildProcess
  /** Of its HTTP server. */
  readonly http: string
  /** Of its node. */
  readonly node: string
}

// As source under a loader, or compiled.
const program = fileURLToPath(
  new URL(`./server${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
)

export class Servers {
  readonly #folder: string
  readonly #running = new Set<Server>()

  constructor(folder: string) {
    this.#folder = folder
    // Whatever happens, none stays behind.
    process.once('exit', () => this.#running.forEach((server) => server.process.kill('SIGKILL')))
  }

  get running(): readonly Server[] {
    return [...this.#running]
  }

  /** One more, which joins those that run. */
  async start(): Promise<Server> {
    const seeds = this.running.map(({ node }) => node).join(',')
    const child = fork(program, [this.#folder, seeds], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    let errors = ''
    child.stderr?.on(
      'data',
      (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2_000)),
    )
    const ended = once(child, 'exit').then(() => {
      throw new Error(`A server ended before it was ready:\n${errors}`)
    })
    const [ready] = (await Promise.race([once(child, 'message'), ended])) as [
      Omit<Server, 'process'>,
    ]
    ended.catch(() => undefined)
    const server = { process: child, ...ready }
    this.#running.add(server)
    child.once('exit', () => this.#running.delete(server))
    return server
  }

  /** Without goodbye. */
  async kill(server: Server): Promise<void> {
    this.#running.delete(server)
    server.process.kill('SIGKILL')
    await once(server.process, 'exit')
  }

  async stopAll(): Promise<void> {
    const ends = this.running.map(({ process: child }) => {
      child.kill('SIGTERM')
      return once(child, 'exit')
    })
    await Promise.all(ends)
  }
}
