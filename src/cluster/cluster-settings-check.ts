/** Whether cluster settings make sense, each alone and together: every problem at once, in words for who set them. */
import { unknownSettings } from '../foundation/invalid-settings.ts'
import { type ClusterSettings, defaultClusterSettings } from './cluster-settings.ts'
import { detectionSpreadMs } from './detection/detection-time.ts'
import { problemsWithDowning, stableAfterMs } from './downing/downing-settings.ts'

const durations = [
  'tickIntervalMs',
  'gossipIntervalMs',
  'pruneTombstonesAfterMs',
  'seedRetryIntervalMs',
  'seedTimeoutMs',
  'joinTimeoutMs',
  'heartbeatIntervalMs',
  'acceptableHeartbeatPauseMs',
  'phiMinDeviationMs',
  'phiMaxDeviationMs',
  'downedLingerMs',
  'exitedLingerMs',
] as const

const counts: readonly ('minMembers' | 'monitoredByMembers' | 'phiSamplesMax')[] = [
  'minMembers',
  'monitoredByMembers',
  'phiSamplesMax',
]

/** Empty when all is well. */
export function problemsWithClusterSettings(settings: ClusterSettings): string[] {
  return [
    ...unknownSettings(settings, defaultClusterSettings),
    ...problemsAlone(settings),
    ...problemsTogether(settings),
    ...problemsWithDowning(settings.downing),
  ]
}

function problemsAlone(settings: ClusterSettings): string[] {
  const problems: string[] = []
  for (const name of durations) {
    const value = settings[name]
    if (!(value > 0 && value < Infinity)) problems.push(`${name} must be positive, not ${value}`)
  }
  for (const name of counts) problems.push(...problemWithCount(name, settings[name], 1))
  problems.push(...problemWithCount('eagerGossipPeersMax', settings.eagerGossipPeersMax, 0))
  for (const [role, min] of Object.entries(settings.minMembersByRole)) {
    problems.push(...problemWithCount(`minMembersByRole.${role}`, min, 0))
  }
  const { gossipDifferentViewProbability: probability, phiThreshold, joinDeadlineMs } = settings
  if (!(probability >= 0 && probability <= 1)) {
    problems.push(`gossipDifferentViewProbability must be between 0 and 1, not ${probability}`)
  }
  if (!(phiThreshold > 0)) problems.push(`phiThreshold must be positive, not ${phiThreshold}`)
  if (!(joinDeadlineMs > 0)) problems.push(`joinDeadlineMs must be positive, not ${joinDeadlineMs}`)
  return problems
}

function problemsTogether(settings: ClusterSettings): string[] {
  const { tickIntervalMs: tick, heartbeatIntervalMs: heartbeat } = settings
  const { acceptableHeartbeatPauseMs: pause, seedTimeoutMs, seedRetryIntervalMs } = settings
  const { phiMinDeviationMs: least, phiMaxDeviationMs: most, joinDeadlineMs } = settings
  const wait = stableAfterMs(settings.downing, 1, settings)
  const spread = Math.ceil(detectionSpreadMs(settings))
  const relations: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [
      tick > heartbeat / 2,
      `tickIntervalMs (${tick}) must be at most half of heartbeatIntervalMs (${heartbeat}), or silence is noticed late`,
    ],
    [
      pause < heartbeat,
      `acceptableHeartbeatPauseMs (${pause}) must be at least heartbeatIntervalMs (${heartbeat}), or one late answer makes a member unreachable`,
    ],
    [most < least, `phiMaxDeviationMs (${most}) must be at least phiMinDeviationMs (${least})`],
    [
      wait < spread,
      `downing.stableAfterMs (${wait}) must be at least ${spread}: so far apart can two sides of a split notice it, and the losing one must be frozen before the other acts`,
    ],
    [
      seedTimeoutMs < 2 * seedRetryIntervalMs,
      `seedTimeoutMs (${seedTimeoutMs}) must leave time to ask twice, every ${seedRetryIntervalMs} ms`,
    ],
    [
      joinDeadlineMs < seedTimeoutMs,
      `joinDeadlineMs (${joinDeadlineMs}) must be at least seedTimeoutMs (${seedTimeoutMs})`,
    ],
  ]
  return relations.filter(([isBroken]) => isBroken).map(([, problem]) => problem)
}

function problemWithCount(name: string, value: number, min: number): string[] {
  if (Number.isSafeInteger(value) && value >= min) return []
  return [`${name} must be a whole number of at least ${min}, not ${value}`]
}
