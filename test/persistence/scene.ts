/** A system, its losses and a journal for tests of event-sourced actors. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ActorSystem,
  DeadLetter,
  Dropped,
  type LostMessage,
  UnhandledMessage,
} from '../../src/actor/index.ts'
import {
  FaultyJournal,
  type Journal,
  LmdbJournal,
  MemoryJournal,
} from '../../src/persistence/index.ts'
import { SeededRandom } from '../../src/simulation/index.ts'
import { CapturedLogs, ManualTime } from '../../src/testkit/index.ts'

export interface Scene {
  readonly system: ActorSystem
  readonly journal: Journal
  /** `reason message`, in order. */
  readonly losses: string[]
  end(): Promise<void>
}

function lossesOf(system: ActorSystem): string[] {
  const losses: string[] = []
  const note = (event: LostMessage): void => {
    const reason = 'reason' in event ? event.reason : 'unhandled'
    losses.push(`${reason} ${JSON.stringify(event.message)}`)
  }
  system.eventStream.subscribe<LostMessage>(DeadLetter, note)
  system.eventStream.subscribe<LostMessage>(Dropped, note)
  system.eventStream.subscribe<LostMessage>(UnhandledMessage, note)
  return losses
}

export interface RealScene extends Scene {
  readonly logs: CapturedLogs
}

/** On real time, since a real store is in it. */
export const realScenes: Readonly<Record<string, () => RealScene>> = {
  'on MemoryJournal': () => realScene(new MemoryJournal(), async () => undefined),
  'on LmdbJournal': () => {
    const folder = mkdtempSync(join(tmpdir(), 'sherd-event-sourced-'))
    return realScene(LmdbJournal.open({ folder }), () => rm(folder, { recursive: true }))
  },
}

function realScene(journal: Journal, remove: () => Promise<void>): RealScene {
  const logs = new CapturedLogs()
  const system = new ActorSystem('scene', { environment: { logger: logs } })
  const end = async (): Promise<void> => {
    await system.terminate()
    await journal.close()
    await remove()
  }
  return { system, journal, logs, losses: lossesOf(system), end }
}

export interface ManualScene extends Scene {
  readonly time: ManualTime
  readonly memory: MemoryJournal
  /** In front of the memory; without faults until they are set. */
  readonly journal: FaultyJournal
}

export const noFaults = { latencyMaxMs: 0, failsBefore: 0, failsUnknown: 0 }

export function manualScene(): ManualScene {
  const time = new ManualTime()
  const system = new ActorSystem('scene', { environment: time.environment })
  const memory = new MemoryJournal()
  const journal = new FaultyJournal({
    journal: memory,
    random: new SeededRandom(1, 'journal'),
    timers: time.environment.timers,
    faults: noFaults,
  })
  const end = async (): Promise<void> => {
    journal.flow()
    await time.settle()
    await system.terminate()
  }
  return { time, system, memory, journal, losses: lossesOf(system), end }
}
