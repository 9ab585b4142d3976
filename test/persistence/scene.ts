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
  type Journal,
  LmdbJournal,
  MemoryJournal,
  type SliceReader,
} from '../../src/persistence/index.ts'
import type { SimulatedJournal } from '../../src/simulation/storage/simulated-journal.ts'
import { CapturedLogs, ManualTime } from '../../src/testkit/index.ts'
import { faultyJournal, noFaults } from './faulty-journal.ts'

export { noFaults }

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
  readonly journal: Journal & SliceReader
  readonly logs: CapturedLogs
}

/** On real time, since a real store is in it. */
export const realScenes: Readonly<Record<string, () => Promise<RealScene>>> = {
  'on MemoryJournal': async () => realScene(new MemoryJournal(), async () => undefined),
  'on LmdbJournal': async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sherd-event-sourced-'))
    return realScene(await LmdbJournal.open({ folder }), () => rm(folder, { recursive: true }))
  },
}

function realScene(journal: Journal & SliceReader, remove: () => Promise<void>): RealScene {
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
  readonly journal: SimulatedJournal
}

export function manualScene(): ManualScene {
  const time = new ManualTime()
  const system = new ActorSystem('scene', { environment: time.environment })
  const memory = new MemoryJournal()
  const journal = faultyJournal(memory, time.environment)
  const end = async (): Promise<void> => {
    journal.flow()
    await time.settle()
    await system.terminate()
  }
  return { time, system, memory, journal, losses: lossesOf(system), end }
}
