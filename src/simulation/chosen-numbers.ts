/** Numbers that a test may set, over those that hold otherwise: a name that nobody knows would be a fault that never comes. */
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import { show } from '../foundation/show.ts'
import { unknownSettings } from '../foundation/unknown-names.ts'

/** `otherwise` with what was chosen in its place; undefined is not chosen. Throws `InvalidSettings`. */
export function withChosen<Numbers extends object>(
  subject: string,
  chosen: Partial<Numbers>,
  otherwise: Numbers,
): Numbers {
  const given: unknown = chosen
  if (!isRecord(given)) {
    throw new InvalidSettings(subject, [`they must be an object, not ${show(given)}`])
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  const isNumber = (value: unknown): boolean => typeof value === 'number' && value >= 0
  const problems = [
    ...unknownSettings(given, otherwise, 'known'),
    ...set
      .filter(([name, value]) => Object.hasOwn(otherwise, name) && !isNumber(value))
      .map(([name, value]) => `${name} must be a number of at least 0, not ${show(value)}`),
  ]
  if (problems.length > 0) throw new InvalidSettings(subject, problems)
  return { ...otherwise, ...Object.fromEntries(set) }
}
