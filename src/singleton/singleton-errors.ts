/** What users of singletons can do wrong. Each says what happened, and what to look at. */
import type { MembersWith } from '../cluster/index.ts'
import { CodedError } from '../foundation/coded-error.ts'

export class SingletonRoleConflict extends CodedError {
  readonly code = 'SINGLETON_ROLE_CONFLICT'
  readonly singleton: string

  constructor(singleton: string, known: MembersWith, asked: MembersWith) {
    super(
      `Singleton ${singleton} is used with ${inWords(asked)} and was used with ${inWords(known)} before; ` +
        'give start and proxy the same role, on every node.',
    )
    this.singleton = singleton
  }
}

function inWords({ role, attribute }: MembersWith): string {
  const ofRole = role === undefined ? 'no role' : `role ${role}`
  return attribute === undefined ? ofRole : `${ofRole} and attribute ${attribute}`
}
