/** `sherd copy`: a whole store into another one, compared afterwards. */
import { CodedError } from '../foundation/coded-error.ts'
import { seconds } from '../foundation/duration.ts'
import { show } from '../foundation/show.ts'
import {
  compareStores,
  type Compared,
  copyStore,
  type CopyProgress,
  lineOf,
  nothingCopied,
} from '../persistence/internals.ts'
import { UsageError } from './cli-errors.ts'
import type { Command, ExitCode } from './command.ts'
import { noteLogger } from './note-logger.ts'
import { type OpenedStore, openStore } from './opened-store.ts'
import type { Options } from './options.ts'
import { checkNoNodesRun, checkNoOthers } from './running-nodes.ts'
import { parseStoreAddress, type StoreAddress } from './store-address.ts'
import { progressOn, type Terminal } from './terminal.ts'

const help = `sherd copy --from STORE --to STORE [--resume] [--json]

Copies all that a store has into another one, reads both again and compares them. A STORE is a
folder, or postgres://user:password@host:port/database. Several such urls with commas between them
are the partitions of one store; ?schema=NAME behind each says where its tables are.

  --from STORE  is only read
  --to STORE    is made when it is missing, and must be empty
  --resume      goes on with a copy that was cut short: what is there and equal is passed over,
                and where something else stands the copy stops, with its id. Nothing is overwritten
  --json        prints a summary as the last line, on one line

No node may use either store meanwhile: the copy refuses to start while a cluster lives in one of
them. It carries epochs and revisions on, so that fences hold in the new store as they did in the
old one. The places of projections are left behind, since they mean nothing in another store: there
a projection begins anew with the first event.

Exit code: 0 copied and equal, 1 refused, failed or different, 2 wrong words, 130 interrupted.`

export const copyCommand: Command = {
  name: 'copy',
  summary: 'copies a whole store into another one, and compares them',
  help,
  options: { from: 'text', to: 'text', resume: 'flag', json: 'flag' },

  async run(options, terminal) {
    const from = addressIn(options, 'from')
    const to = addressIn(options, 'to')
    if (options.rest.length > 0) {
      throw new UsageError(
        `${show(options.rest[0])} has no place here: the stores are given as --from STORE --to STORE.`,
      )
    }
    const summary = new Summary(options.has('json'), terminal)
    try {
      return await copyBetween(from, to, { mayResume: options.has('resume'), terminal, summary })
    } catch (error) {
      await summary.failed(error)
      throw error
    }
  },
}

function addressIn(options: Options, name: 'from' | 'to'): StoreAddress {
  const text = options.text(name)
  if (text !== undefined) return parseStoreAddress(text)
  throw new UsageError(`--${name} is missing: the store to copy ${name}.`)
}

interface CopyRun {
  readonly mayResume: boolean
  readonly terminal: Terminal
  readonly summary: Summary
}

async function copyBetween(from: StoreAddress, to: StoreAddress, run: CopyRun): Promise<ExitCode> {
  // A busy disk is waited for: nobody else does.
  const opening = { logger: noteLogger(run.terminal), commitTimeoutMs: seconds(60) }
  const source = await openStore(from, { ...opening, isMade: false })
  try {
    const target = await openStore(to, { ...opening, isMade: true })
    try {
      await checkNoNodesRun([source, target], run.terminal)
      return await copyOpened(source, target, run)
    } finally {
      // Nothing stays of a target to which nothing was written.
      await target.takeBack()
    }
  } finally {
    await source.close()
  }
}

async function copyOpened(
  { store: source, name: from, ...left }: OpenedStore,
  opened: OpenedStore,
  { mayResume, terminal, summary }: CopyRun,
): Promise<ExitCode> {
  const { store: target, name: to } = opened
  const { signal } = terminal
  const tell = progressOn(terminal)
  const copied = await copyStore({
    ...{ source, target, mayResume, signal },
    onProgress: (progress) => {
      summary.copied = progress
      tell(() => `copying: ${countsOf(progress)}`)
    },
  })
  summary.copied = copied
  const compared = await compareStores({
    ...{ source, target, signal },
    onProgress: (progress) => tell(() => `comparing: ${countsOf(progress)}`),
  })
  terminal.progress('')
  checkNoOthers({ store: source, name: from, ...left })
  checkNoOthers(opened)
  return summary.done({ from, to, compared })
}

function countsOf(counts: Omit<CopyProgress, 'bytes' | 'passedOver' | 'leftOut'>): string {
  const { streams, events, snapshots, states, registers } = counts
  return `${streams} streams with ${events} events and ${snapshots} snapshots, ${states} states, ${registers} registers`
}

/** What is said at the end, in words and as JSON. */
class Summary {
  readonly #isJson: boolean
  readonly #terminal: Terminal
  copied: CopyProgress = nothingCopied

  constructor(isJson: boolean, terminal: Terminal) {
    this.#isJson = isJson
    this.#terminal = terminal
  }

  async done(ends: {
    readonly from: string
    readonly to: string
    readonly compared: Compared
  }): Promise<ExitCode> {
    const { from, to, compared } = ends
    const { differences, differenceCount } = compared
    const { passedOver, bytes, leftOut } = this.copied
    const isEqual = differenceCount === 0
    const print = (line: string): Promise<void> => this.#terminal.print(line)
    await print(
      `copied ${countsOf(this.copied)}, ${bytes} bytes of events; ${passedOver} things were there`,
    )
    for (const name of leftOut) {
      await print(
        `left out ${show(name)}: the place of a projection means nothing in another store`,
      )
    }
    await print(`compared ${countsOf(compared)}: ${isEqual ? 'equal' : 'different'}`)
    for (const difference of differences) await print(difference)
    const untold = differenceCount - differences.length
    if (untold > 0) await print(`and ${untold} more differences`)
    await this.#json({ isDone: true, isEqual, from, to, copied: this.copied, compared })
    return isEqual ? 0 : 1
  }

  async failed(error: unknown): Promise<void> {
    this.#terminal.progress('')
    const code = error instanceof CodedError ? error.code : undefined
    const problem = error instanceof Error ? error.message : show(error)
    await this.#json({ isDone: false, isEqual: false, code, problem, copied: this.copied })
  }

  async #json(summary: object): Promise<void> {
    if (this.#isJson) await this.#terminal.print(lineOf(summary))
  }
}
