/** How long silence lasts before it is noticed, at the least and at the most. What waits for others to notice builds on it. */
import type { ClusterSettings } from '../cluster-settings.ts'
import { type PhiAccrualOptions, phiOf } from './phi-accrual.ts'

/** The rhythm may be learned as up to a quarter slower than it is meant to be. */
const slowestMean = 1.25

export function detectorOptions(settings: ClusterSettings): PhiAccrualOptions {
  return {
    threshold: settings.phiThreshold,
    samplesMax: settings.phiSamplesMax,
    deviationMinMs: settings.phiDeviationMinMs,
    deviationMaxMs: settings.phiDeviationMaxMs,
    meanMaxMs: settings.heartbeatIntervalMs * slowestMean,
    acceptablePauseMs: settings.acceptableHeartbeatPauseMs,
    firstIntervalMs: settings.heartbeatIntervalMs,
  }
}

/** After the last answer, silence is noticed no sooner and no later than this. */
export function detectionTimeMs(settings: ClusterSettings): { least: number; most: number } {
  const { heartbeatIntervalMs, acceptableHeartbeatPauseMs, tickIntervalMs } = settings
  const deviations = deviationsAt(settings.phiThreshold)
  const least = heartbeatIntervalMs + deviations * settings.phiDeviationMinMs
  const most = heartbeatIntervalMs * slowestMean + deviations * settings.phiDeviationMaxMs
  return {
    least: acceptableHeartbeatPauseMs + least,
    most: acceptableHeartbeatPauseMs + most + tickIntervalMs,
  }
}

/** How far apart two nodes can notice the same cut: the last answers before it are up to a heartbeat apart. */
export function detectionSpreadMs(settings: ClusterSettings): number {
  const { least, most } = detectionTimeMs(settings)
  return most - least + settings.heartbeatIntervalMs
}

type Rhythm = Pick<ClusterSettings, 'heartbeatIntervalMs' | 'tickIntervalMs'>

/** How long those may be silent whom a node monitors before it asks others: longer than the pause between two answers. */
export function doubtfulAfterMs({
  heartbeatIntervalMs,
}: Pick<Rhythm, 'heartbeatIntervalMs'>): number {
  return 1.5 * heartbeatIntervalMs
}

/**
 * After a cut, a node that is nearly alone among more than it monitors knows it by then: it has noticed, has asked others,
 * and has waited for their answers for a heartbeat. Nobody may act on its absence sooner.
 */
export function outOfTouchAfterMs(settings: Rhythm): number {
  const { heartbeatIntervalMs, tickIntervalMs } = settings
  return doubtfulAfterMs(settings) + heartbeatIntervalMs + 2 * tickIntervalMs
}

/** How many deviations late a sign of life must be to reach this phi. */
function deviationsAt(phi: number): number {
  let low = 0
  let high = 64
  while (high - low > 0.001) {
    const middle = (low + high) / 2
    if (phiOf(middle, 0, 1) < phi) low = middle
    else high = middle
  }
  return high
}
