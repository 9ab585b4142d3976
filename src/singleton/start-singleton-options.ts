/** How a singleton is described, and the look at it before it starts. */
import type { Behavior } from '../actor/index.ts'
import { refuseNotYet } from '../foundation/not-there-yet.ts'

export interface StartSingletonOptions<T> {
  /** The same on every node. */
  readonly name: string
  /** Only members with this role run it; undefined for all. */
  readonly role?: string | undefined
  /** Makes the instance. Terms grow with every life anywhere: whoever sees two knows which is the later. */
  readonly behavior: (life: { readonly term: number }) => Behavior<T>
  /** An ordinary message that makes the instance stop when it can. Without it, it ends after the messages it has. */
  readonly stopMessage?: T
}

/** What people will look for, and what to do until it is there. */
const notYet: Readonly<Record<string, string>> = {
  lease:
    'An instance starts only after every older member has ended its own or was removed; its `term` tells two lives apart.',
  dataCenter: 'Run one cluster per data center.',
}

/** Throws `NotThereYet`. */
export function checkStartSingleton(options: object): void {
  refuseNotYet(options, notYet)
}
