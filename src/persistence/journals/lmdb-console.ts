/**
 * Keeps what lmdb prints about a failed commit off the console: it has no place in a log of one JSON object per line, and
 * whoever waits for the commit gets the same error. LMDB itself, below, has written by then to standard error, without the
 * end of a line; that is written here, so that what is logged next stands in a line of its own.
 */
import type { RootDatabase } from 'lmdb'

type Told = (status: number) => unknown

interface NativeEnvironment {
  readonly startWriting?: (address: unknown, told: Told) => unknown
}

/** Statuses of lmdb that are not errors: committed, written, and the turn of a transaction's code. */
const lastGood = 2
const inputOutputError = 5

export function keepOffConsole(environment: RootDatabase<Buffer, Buffer>): void {
  const { env } = environment as unknown as { env?: NativeEnvironment }
  const startWriting = env?.startWriting
  // Not promised by lmdb: without it the console has a few lines more.
  if (env === undefined || startWriting === undefined) return
  const quiet: typeof startWriting = (address, told) =>
    startWriting.call(env, address, (status) =>
      status >= 0 && status <= lastGood ? told(status) : quietly(status, () => told(status)),
    )
  // It stands on the prototype, and may not be assigned.
  Object.defineProperty(env, 'startWriting', { value: quiet })
}

/** What runs within is lmdb's own, from beginning to end, and synchronous. */
function quietly(status: number, run: () => unknown): unknown {
  const { error } = console
  console.error = () => undefined
  try {
    return run()
  } finally {
    console.error = error
    // Of a write that was cut short, and of errors of its own, LMDB says nothing.
    if (status > lastGood && status !== inputOutputError) process.stderr.write('\n')
  }
}
