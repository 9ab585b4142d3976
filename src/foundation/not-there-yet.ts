/** For whoever asks for something that is planned and does not exist. */
import { CodedError } from './coded-error.ts'
import { isObject } from './is-object.ts'

export class NotThereYet extends CodedError {
  readonly code = 'NOT_THERE_YET'
  readonly option: string

  constructor(option: string, instead: string) {
    super(`${option} is not there yet in this version of Sherd. ${instead}`)
    this.option = option
  }
}

/** What people will look for in a set of options, by name or path, and what to do until it is there. */
export type NotYet = Readonly<Record<string, string>>

/** The same where a set of options stands within another, under this name. */
export function within(name: string, notYet: NotYet): NotYet {
  return Object.fromEntries(
    Object.entries(notYet).map(([path, instead]) => [`${name}.${path}`, instead]),
  )
}

/** Throws for the first of these that is in there. */
export function refuseNotYet(given: object, notYet: NotYet): void {
  for (const [path, instead] of Object.entries(notYet)) {
    if (isThere(given, path.split('.'))) throw new NotThereYet(`\`${path}\``, instead)
  }
}

function isThere(given: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true
  return isObject(given) && name in given && isThere(given[name], rest)
}
