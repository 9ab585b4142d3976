/** For whoever asks for something that is planned and does not exist. */
import { CodedError } from './coded-error.ts'

export class NotThereYet extends CodedError {
  readonly code = 'NOT_THERE_YET'
  readonly option: string

  constructor(option: string, instead: string) {
    super(`${option} is not there yet in this version of Sherd. ${instead}`)
    this.option = option
  }
}

/** Throws for the first of these names that is in there; `notYet` says what to do until it is there. */
export function refuseNotYet(
  given: object,
  notYet: Readonly<Record<string, string>>,
  prefix = '',
): void {
  for (const [name, instead] of Object.entries(notYet)) {
    if (name in given) throw new NotThereYet(`\`${prefix}${name}\``, instead)
  }
}
