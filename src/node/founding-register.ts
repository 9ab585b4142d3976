/** Where a node keeps the founding of its cluster: a register of the store that all nodes which host entities share. */
import type { ActorSystem } from '../actor/index.ts'
import { type FoundingStore, withdrawFromFounding } from '../cluster/internals.ts'
import { seconds } from '../foundation/duration.ts'
import type { Environment } from '../foundation/environment.ts'
import type { Remoting } from '../remote/index.ts'
import type { GuardedJournal } from './guarded-journal.ts'

/** How long the end of a node waits for the store to take note of it. */
const withdrawalMaxMs = seconds(2)

/** Undefined for a store without registers: then the seeds alone decide who founds. */
export function foundingStoreOf(
  clusterName: string,
  { readRegister, writeRegister }: GuardedJournal,
  { process: host }: Environment,
): FoundingStore | undefined {
  if (readRegister === undefined || writeRegister === undefined) return undefined
  const name = `founding/${clusterName}`
  return {
    identity: host.identity,
    read: () => readRegister(name),
    write: (expectedRevision, bytes) => writeRegister({ name, expectedRevision, bytes }),
    isGone: (identity) => host.isGone(identity),
  }
}

/** Takes a node that has ended out of the record. Not for long, and whatever happens, it resolves. */
export async function withdraw(
  founding: FoundingStore,
  { system, remoting }: { readonly system: ActorSystem; readonly remoting: Remoting },
): Promise<void> {
  let isOver: (() => void) | undefined
  const late = new Promise<void>((resolve) => (isOver = resolve))
  const timer = system.environment.timers.after(withdrawalMaxMs, () => isOver?.())
  const done = withdrawFromFounding(founding, remoting.node).catch((err: unknown) =>
    system.log.debug({ err }, 'The store could not be told that this node has ended'),
  )
  await Promise.race([done, late])
  timer.cancel()
}
