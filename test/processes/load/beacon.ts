/**
 * An entity without events, which no store protects: each time it acts it writes down who it is and when, on a clock that all
 * processes of the host share. So a test sees when two of them were active at once.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { defineEntity } from '../../../src/entity/index.ts'

/** Below the folder of a cluster. */
export const activityFolder = 'activity'

/** What this process writes down, a line for each act: `entity instance nanoseconds`. */
export class ActivityLog {
  readonly #file: number
  #instances = 0

  constructor(folder: string, node: string) {
    const logs = join(folder, activityFolder)
    mkdirSync(logs, { recursive: true })
    this.#file = openSync(join(logs, `${node}.${process.pid}`), 'a')
  }

  /** A name that no other instance has, in any process. */
  newInstance(): string {
    return `${process.pid}.${++this.#instances}`
  }

  /** At once, so that nothing is lost with the process. */
  write(entity: string, instance: string): void {
    writeSync(this.#file, `${entity} ${instance} ${process.hrtime.bigint()}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}

export function defineBeacon(log: ActivityLog) {
  return defineEntity('Beacon', {
    state: () => ({ instance: log.newInstance() }),
    commands: {
      flash: ({ id, state }) => {
        log.write(id, state.instance)
        return state.instance
      },
    },
    numberOfShards: 8,
    passivateAfter: 'never',
  })
}

export const beacons: readonly string[] = ['north', 'east', 'south', 'west']
