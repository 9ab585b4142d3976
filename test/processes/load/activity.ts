/**
 * Whether entities without events were ever active twice, from what their processes wrote down. An instance was active from
 * its first act to its last; when a home changes, the last act of one comes before the first of the next.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { activityFolder } from './beacon.ts'

/** All that one instance of an entity did. */
interface Active {
  readonly entity: string
  /** The name of the node, and of its process. */
  readonly where: string
  readonly firstNs: bigint
  lastNs: bigint
  acts: number
}

export interface Activity {
  readonly acts: number
  /** In words: who was active beside whom, and for how long. */
  readonly doubles: readonly string[]
  readonly longestDoubleMs: number
}

/** `folder` is that of the cluster. */
export function activityIn(folder: string): Activity {
  const logs = join(folder, activityFolder)
  return judge(
    readdirSync(logs).map((where) => ({ where, text: readFileSync(join(logs, where), 'utf8') })),
  )
}

export function judge(logs: readonly { where: string; text: string }[]): Activity {
  const all = logs.flatMap(({ where, text }) => instancesIn(where, text))
  const doubles: string[] = []
  let longestDoubleMs = 0
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      const bothNs = overlapNs(one, other)
      if (one.entity !== other.entity || bothNs < 0n) continue
      const ms = Number(bothNs) / 1e6
      longestDoubleMs = Math.max(longestDoubleMs, ms)
      doubles.push(
        `${one.entity} was active in ${one.where} and ${other.where} at once, for ${ms.toFixed(1)} ms`,
      )
    }
  }
  return { acts: all.reduce((sum, { acts }) => sum + acts, 0), doubles, longestDoubleMs }
}

/** Negative when one ended before the other began. */
function overlapNs(one: Active, other: Active): bigint {
  const end = one.lastNs < other.lastNs ? one.lastNs : other.lastNs
  return end - (one.firstNs > other.firstNs ? one.firstNs : other.firstNs)
}

function instancesIn(where: string, text: string): Active[] {
  const instances = new Map<string, Active>()
  // The last line of a process that was killed may be cut.
  for (const line of text.split('\n').slice(0, -1)) {
    const [entity = '', instance = '', ns = ''] = line.split(' ')
    const at = BigInt(ns)
    const known = instances.get(`${entity} ${instance}`)
    if (known === undefined) {
      instances.set(`${entity} ${instance}`, { entity, where, firstNs: at, lastNs: at, acts: 1 })
    } else {
      known.lastNs = at
      known.acts++
    }
  }
  return [...instances.values()]
}
