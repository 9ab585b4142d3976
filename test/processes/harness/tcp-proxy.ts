/**
 * One connection between two nodes, led through this process. Each direction can be stalled: its bytes wait, and so does
 * the news that it was closed, as behind a cable that was pulled. It can be slow, and the whole can be reset.
 *
 * Who dials is read from the first bytes: a Hello names the node that sends it.
 */
import { connect, type Socket } from 'node:net'

/** What the connection asks of the network. Names are those of the nodes. */
export interface LinkRules {
  /** The node whose advertised port this is. */
  nameOf(advertisedPort: number): string | undefined
  isCut(from: string, to: string): boolean
  isStalled(from: string, to: string): boolean
  /** How late the next bytes arrive. */
  lateMs(): number
}

const helloForm = /127\.0\.0\.1:(\d{1,5})#[0-9a-f]{16}/
const helloBytesMax = 2_048

export class ProxiedConnection {
  /** The node that dialed; undefined until it has said so. */
  from: string | undefined
  readonly to: string
  readonly #rules: LinkRules
  readonly #dialer: Socket
  readonly #targetPort: number
  #hello: Buffer = Buffer.alloc(0)
  #target: Socket | undefined
  #pipes: readonly Pipe[] = []

  constructor(dialer: Socket, to: string, targetPort: number, rules: LinkRules) {
    this.to = to
    this.#dialer = dialer
    this.#targetPort = targetPort
    this.#rules = rules
    dialer.setNoDelay(true)
    dialer.on('error', () => undefined)
    dialer.on('data', this.#readHello)
  }

  onClosed(listener: () => void): void {
    this.#dialer.once('close', listener)
  }

  /** As the rules now say: bytes flow on, or wait. */
  follow(): void {
    for (const pipe of this.#pipes) pipe.follow()
  }

  /** Both ends get a reset. */
  reset(): void {
    reset(this.#dialer)
    if (this.#target !== undefined) reset(this.#target)
  }

  readonly #readHello = (chunk: Buffer): void => {
    this.#hello = Buffer.concat([this.#hello, chunk])
    const port = helloForm.exec(this.#hello.toString('latin1'))?.[1]
    if (port === undefined) {
      if (this.#hello.length > helloBytesMax) this.reset()
      return
    }
    this.#dialer.off('data', this.#readHello)
    this.#dialer.pause()
    this.from = this.#rules.nameOf(Number(port)) ?? 'a stranger'
    if (this.#rules.isCut(this.from, this.to)) return this.reset()
    this.#join(this.from)
  }

  #join(from: string): void {
    const target = connect(this.#targetPort, '127.0.0.1')
    target.setNoDelay(true)
    // Nobody listens behind the proxy: the dialer is told as plainly as a proxy can.
    target.on('error', () => reset(this.#dialer))
    this.#target = target
    const { lateMs } = this.#rules
    const isStalled = (one: string, other: string) => () => this.#rules.isStalled(one, other)
    const there = new Pipe(this.#dialer, target, isStalled(from, this.to), lateMs)
    const back = new Pipe(target, this.#dialer, isStalled(this.to, from), lateMs)
    this.#pipes = [there, back]
    there.take(this.#hello)
    this.follow()
  }
}

/** One that has said goodbye can be reset no more: Node would keep it, and never end. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** The bytes of one direction. */
export class Pipe {
  readonly #source: Socket
  readonly #sink: Socket
  readonly #isStalled: () => boolean
  readonly #lateMs: () => number
  /** In order, each with when it may arrive. */
  #held: { readonly chunk: Buffer; readonly dueMs: number }[] = []
  #alarm: NodeJS.Timeout | undefined
  #isOver = false

  constructor(source: Socket, sink: Socket, isStalled: () => boolean, lateMs = (): number => 0) {
    this.#source = source
    this.#sink = sink
    this.#isStalled = isStalled
    this.#lateMs = lateMs
    source.on('data', (chunk: Buffer) => this.take(chunk))
    source.on('close', () => {
      this.#isOver = true
      this.follow()
    })
    sink.on('drain', () => this.follow())
  }

  take(chunk: Buffer): void {
    // Nothing overtakes what came before.
    const dueMs = Math.max(performance.now() + this.#lateMs(), this.#held.at(-1)?.dueMs ?? 0)
    this.#held.push({ chunk, dueMs })
    this.follow()
  }

  follow(): void {
    if (this.#isStalled()) return void this.#source.pause()
    const nowMs = performance.now()
    const due = this.#held.filter(({ dueMs }) => dueMs <= nowMs)
    this.#held = this.#held.slice(due.length)
    const canTakeMore = due.map(({ chunk }) => this.#sink.write(chunk)).every(Boolean)
    const [next] = this.#held
    clearTimeout(this.#alarm)
    if (next !== undefined) this.#alarm = setTimeout(() => this.follow(), next.dueMs - nowMs)
    else if (this.#isOver) this.#sink.end(() => this.#sink.destroy())
    if (this.#isOver) return
    if (canTakeMore) this.#source.resume()
    else this.#source.pause()
  }
}
