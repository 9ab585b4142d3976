/**
 * The operating-system process of a member, as an attribute that all members know: whoever is on the same host can see from
 * it that a member has ended, and need not wait for its silence.
 */
import type { Member } from './member.ts'

const prefix = 'process '

/** Every one of our own is shorter. A longer text would make the whole gossip unreadable. */
const identityLengthMax = 500

/** None where a process has no identity. */
export function attributesOfProcess(identity: string | undefined): string[] {
  const isGood = identity !== undefined && identity !== '' && identity.length <= identityLengthMax
  return isGood ? [`${prefix}${identity}`] : []
}

/** Undefined when it shows none. */
export function processOf({ attributes }: Pick<Member, 'attributes'>): string | undefined {
  return attributes.find((attribute) => attribute.startsWith(prefix))?.slice(prefix.length)
}
