/**
 * What holds for a type, of what it says about passivation and of the settings. The only place that knows whether a type has
 * chosen by itself that its entities rest.
 */
import type { ShardingSettings } from '../sharding-settings.ts'
import type { LimitedPassivation, Passivation } from './passivation-options.ts'

export interface ChosenPassivation {
  /** Whether the type itself says that its entities rest, by time or by number; settings of the node do not. */
  readonly isExplicit: boolean
  /** What the settings of the type are besides. */
  readonly settings: Partial<Pick<ShardingSettings, 'passivateIdleAfterMs'>>
  readonly limited: LimitedPassivation | undefined
}

/** `ofType` is what the type has set for itself. */
export function chosenPassivation(
  passivation: Passivation | undefined,
  ofType: Partial<ShardingSettings> = {},
): ChosenPassivation {
  const idle = ofType.passivateIdleAfterMs
  if (passivation === 'off') return resting({ passivateIdleAfterMs: Infinity })
  if (passivation === undefined)
    return resting(idle === undefined ? {} : { passivateIdleAfterMs: idle })
  const { idleAfterMs } = passivation
  if (passivation.activeEntityLimit !== undefined) {
    // Room alone counts, unless the type says otherwise: two reasons to rest would be hard to tell apart.
    const passivateIdleAfterMs = idleAfterMs ?? idle ?? Infinity
    return { isExplicit: true, settings: { passivateIdleAfterMs }, limited: passivation }
  }
  const chosen = idleAfterMs ?? idle
  return resting(chosen === undefined ? {} : { passivateIdleAfterMs: chosen })
}

function resting(settings: ChosenPassivation['settings']): ChosenPassivation {
  const { passivateIdleAfterMs: idle = Infinity } = settings
  return { isExplicit: idle < Infinity, settings, limited: undefined }
}
