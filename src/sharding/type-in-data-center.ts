/**
 * Each data center has its own coordinator and its own shards of a type, and where several share a store each keeps its own: this
 * names a type in one of them, for what is stored. No name of a type has the sign in it that stands between.
 */
import { defaultDataCenter } from '../cluster/internals.ts'

const between = '|'

/** The name of the type alone in the default one, as it always was. */
export function typeInDataCenter(
  entityType: string,
  dataCenter: string = defaultDataCenter,
): string {
  return dataCenter === defaultDataCenter ? entityType : `${entityType}${between}${dataCenter}`
}

export function entityTypeIn(stored: string): string {
  return stored.split(between, 1)[0] ?? stored
}
