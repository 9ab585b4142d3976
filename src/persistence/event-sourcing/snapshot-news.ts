/** What operators hear of snapshots of one family: the first trouble of a kind at once, those that follow counted. */
import type { ActorSystem } from '../../actor/index.ts'
import { CountedRepeats } from '../../foundation/counted-repeats.ts'
import { show } from '../../foundation/show.ts'
import { CannotSerialize } from '../../serialization/index.ts'
import { wordsOf } from './event-sourced-errors.ts'
import type { SnapshotSignal } from './snapshot-signals.ts'

type Where = Pick<ActorSystem, 'log' | 'settings' | 'environment'>

export class SnapshotNews {
  #repeats: CountedRepeats<string> | undefined = undefined

  /** Nothing is said of what went well. */
  heard(where: Where, persistenceId: string, signal: SnapshotSignal): void {
    const { type } = signal
    if (!('error' in signal)) return
    const { error } = signal
    const what =
      type === 'SnapshotFailed'
        ? `No snapshot of ${show(persistenceId)} was kept at number ${signal.sequenceNr}`
        : `Old ${type === 'EventDeletionFailed' ? 'events' : 'snapshots'} of ${show(persistenceId)} were not deleted`
    const next =
      error instanceof CannotSerialize
        ? 'Keep data in the state, or keep no snapshots of it.'
        : 'Its events are stored, and the next snapshot is tried in time.'
    const text = `${what}: ${wordsOf(error)} ${next}`
    this.#tell(where, { kind: type, persistenceId, text, error })
  }

  passedOver(where: Where, persistenceId: string, problems: readonly string[]): void {
    const count = problems.length === 1 ? 'A snapshot' : `${problems.length} snapshots`
    const text = `${count} of ${show(persistenceId)} could not be used, and what came after an older one, or all events, were read instead: ${problems.join(' ')}`
    this.#tell(where, { kind: 'SnapshotPassedOver', persistenceId, text, error: undefined })
  }

  #tell(
    { log, settings, environment }: Where,
    {
      kind,
      persistenceId,
      text,
      error,
    }: { kind: string; persistenceId: string; text: string; error: unknown },
  ): void {
    this.#repeats ??= new CountedRepeats(settings.logFailuresIntervalMs, 100)
    const { isFirst, due } = this.#repeats.add(kind, persistenceId, environment.clock.monotonicMs())
    for (const { count, last } of due) {
      log.warn({ count, persistenceId: last }, `${count} more of this kind: ${kind}`)
    }
    if (isFirst) log.warn({ persistenceId, ...(error !== undefined && { err: error }) }, text)
  }
}
