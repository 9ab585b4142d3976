/** Checks what somebody says about leases that guard something: `true`, or what they are made of. */
import { mustBeFunction } from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import { show } from '../foundation/show.ts'

/** Every problem, in words for the person who wrote it. */
export function problemsWithLeaseChoice(name: string, given: unknown): string[] {
  if (given === undefined || typeof given === 'boolean') return []
  if (!isRecord(given)) return [`${name} must be true, false or an object, not ${show(given)}`]
  const { implementation, settings, ...others } = given
  return [
    ...(implementation === undefined
      ? []
      : mustBeFunction(`${name}.implementation`, implementation)),
    ...(settings === undefined || isRecord(settings)
      ? []
      : [`${name}.settings must be an object, not ${show(settings)}`]),
    ...Object.keys(others).map(
      (other) => `${name}.${other} is unknown; there are implementation and settings`,
    ),
  ]
}
