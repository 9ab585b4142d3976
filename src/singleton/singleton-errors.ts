/** What users of singletons can do wrong. Each says what happened, and what to look at. */
import { CodedError } from '../foundation/coded-error.ts'

export class SingletonRoleConflict extends CodedError {
  readonly code = 'SINGLETON_ROLE_CONFLICT'
  readonly singleton: string

  constructor(singleton: string, known: string | undefined, asked: string | undefined) {
    super(
      `Singleton ${singleton} is used with ${inWords(asked)} and was used with ${inWords(known)} before; ` +
        'give start and proxy the same role, on every node.',
    )
    this.singleton = singleton
  }
}

function inWords(role: string | undefined): string {
  return role === undefined ? 'no role' : `role ${role}`
}
