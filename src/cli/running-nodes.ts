/**
 * Whether nodes use a store. Each cluster keeps a record in the store which its leader carries on: one that moves lives. One
 * that does not move is over when its processes have ended, as far as that can be proven here, or when it has stood still for
 * so long that its members are frozen. On a folder the processes that have it open count as well.
 */
import {
  addressesIn,
  areAllGone,
  type FoundingRecord,
  recordOfBytes,
  RecordWatch,
} from '../cluster/internals.ts'
import { defaultClusterSettings } from '../cluster/index.ts'
import { show } from '../foundation/show.ts'
import type { StoredRegister } from '../persistence/index.ts'
import { registersOf } from '../persistence/internals.ts'
import { NodesRun } from './cli-errors.ts'
import type { OpenedStore } from './opened-store.ts'
import type { Terminal } from './terminal.ts'

type Looker = Pick<Terminal, 'clock' | 'timers' | 'process' | 'signal' | 'note'>

const lookEveryMs = 500
/** Looks that are further apart show nothing about the time between them. */
const gapMaxMs = 4 * lookEveryMs
const prefix = 'founding/'

/** Rejects with `NodesRun` when nodes use one of the stores. Waits where only time can tell. */
export async function checkNoNodesRun(
  stores: readonly OpenedStore[],
  terminal: Looker,
): Promise<void> {
  for (const opened of stores) checkNoOthers(opened)
  const watched = (await Promise.all(stores.map(foundingsIn))).flat()
  for (let looks = 0; ; looks++) {
    const open: Founding[] = []
    for (const founding of watched) if (!(await founding.isOver(terminal))) open.push(founding)
    if (open.length === 0) return
    if (looks === 0) {
      const seconds = Math.max(...open.map(({ waitMs }) => waitMs)) / 1000
      const words = open.map((founding) => founding.words).join('; ')
      terminal.note(`${words}. Looking whether it lives: at most ${seconds} s.`)
    }
    await pause(terminal)
  }
}

/** Throws `NodesRun`. */
export function checkNoOthers({ name, otherProcesses }: OpenedStore): void {
  const others = otherProcesses()
  if (others.length === 0) return
  throw new NodesRun(
    `${name} is open in other processes of this host: ${others.join(', ')} (each has a note in ${name}/writers; that of a process in another container is removed by hand when it has ended)`,
  )
}

async function foundingsIn({ store, name }: OpenedStore): Promise<Founding[]> {
  const foundings: Founding[] = []
  for await (const register of registersOf(store)) {
    if (!register.startsWith(prefix)) continue
    const read = () => store.readRegister(register)
    foundings.push(new Founding(register.slice(prefix.length), name, read))
  }
  return foundings
}

class Founding {
  readonly #cluster: string
  readonly #store: string
  readonly #read: () => Promise<StoredRegister | undefined>
  readonly #watch = new RecordWatch(gapMaxMs)

  constructor(cluster: string, store: string, read: () => Promise<StoredRegister | undefined>) {
    this.#cluster = cluster
    this.#store = store
    this.#read = read
  }

  get words(): string {
    const { record } = this.#watch
    const addresses = record === undefined ? [] : addressesIn(record)
    return `${this.#store} has the record of a cluster ${show(this.#cluster)} with ${addresses.join(', ')}`
  }

  get waitMs(): number {
    const { foundingStillMs } = defaultClusterSettings
    return Math.max(foundingStillMs, this.#watch.record?.stillMs ?? 0)
  }

  /** Rejects with `NodesRun` when it lives. */
  async isOver({ clock, process: host }: Looker): Promise<boolean> {
    const beganAt = clock.monotonicMs()
    const found = await this.#read()
    const record = found && this.#recordOf(found.bytes)
    const gone = record !== undefined && areAllGone(record, (identity) => host.isGone(identity))
    const now = clock.monotonicMs()
    const { revision = 0 } = found ?? {}
    this.#watch.saw({ revision, record, areAllGone: gone, beganAt }, now)
    if (this.#watch.isOver) return true
    if (this.#watch.advances > 0) throw new NodesRun(`${this.words}, and it lives`)
    return this.#watch.stillForMs(now) >= this.waitMs
  }

  #recordOf(bytes: Uint8Array): FoundingRecord {
    const record = recordOfBytes(bytes)
    if (record !== undefined) return record
    throw new NodesRun(
      `${this.#store} has a record of a cluster ${show(this.#cluster)} that this version of Sherd cannot read, so nobody can tell whether it lives`,
    )
  }
}

async function pause({ timers, signal }: Looker): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve) => {
    const timer = timers.after(lookEveryMs, done)
    function done(): void {
      timer.cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
  signal.throwIfAborted()
}
